import { Ajv, type CodeOptions } from 'ajv'
import formats from 'ajv-formats'
import type { TSchema } from 'typebox'
import { WebmapItemSchema } from '../classes/webmap.ts'
import { annotationKeywords } from '../descriptor.ts'
import { toValidator, type Validator } from './fault.ts'

/** Options of a validator. */
export interface ValidatorOptions {
  /** Reported faults: `all` for files, `first` for requests. */
  readonly faults: 'all' | 'first'
  /** Schema with an `$id`, for references by `$ref`. */
  readonly library?: object
}

/** Creates a compiler of validators. Keep the instance, since compilation is slow. Validators never change values. */
export function createValidatorCompiler(options: ValidatorOptions): (schema: TSchema | object) => Validator {
  const ajv = createAjv(options)
  return (schema) => toValidator(ajv.compile(schema))
}

/** Creates the compiler of schemas itself, for code that is compiled by the build. */
export function createAjv(
  { faults, library }: ValidatorOptions,
  code: CodeOptions = { optimize: false },
): Ajv {
  const ajv = new Ajv({
    strict: true,
    allErrors: faults === 'all',
    discriminator: true,
    verbose: true,
    allowUnionTypes: true,
    strictRequired: false,
    validateFormats: true,
    keywords: [...annotationKeywords],
    // Tests validate the schemas; validation and code optimization at run time would only take time.
    validateSchema: false,
    code,
  })
  formats.default(ajv)
  ajv.addSchema(WebmapItemSchema)
  if (library !== undefined) ajv.addSchema(library)
  return ajv
}
