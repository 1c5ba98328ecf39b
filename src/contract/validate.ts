import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import type { TSchema } from 'typebox'
import type { Pointer } from '../core/pointer.ts'
import { WebmapItemSchema } from './classes/webmap.ts'
import { describeFault } from './describe.ts'
import { annotationKeywords } from './descriptor.ts'

/** What kind of fault a value has. */
export type FaultKind = 'bad-value' | 'unknown-field' | 'missing-field'

/** One way in which a value does not fit its schema. */
export interface Fault {
  readonly kind: FaultKind
  /** The value at fault; for unknown fields the field itself, for missing ones the object that lacks it. */
  readonly pointer: Pointer
  /** One sentence with the value in it. */
  readonly message: string
  readonly hint?: string
}

/** Gives what a message shows of a part of the value: the part itself, or something else where it is secret. */
export type ShowPart = (pointer: Pointer, part: unknown) => unknown

/** Checks a value; the empty list means that it fits. */
export type Validator = (value: unknown, show?: ShowPart) => Fault[]

/** How thorough a validator is. */
export interface ValidatorOptions {
  /** `all` for files, where a person wants every fault; `first` for requests. */
  readonly faults: 'all' | 'first'
  /** A schema with an `$id`, whose parts others name by `$ref`. */
  readonly library?: object
}

/** Compiles schemas into validators. One Ajv an instance: keep it, compiling is slow. Values are never changed. */
export function createValidatorCompiler({
  faults,
  library,
}: ValidatorOptions): (schema: TSchema | object) => Validator {
  const ajv = new Ajv({
    strict: true,
    allErrors: faults === 'all',
    discriminator: true,
    verbose: true,
    allowUnionTypes: true,
    strictRequired: false,
    validateFormats: true,
    keywords: [...annotationKeywords],
    // Our schemas are held to be schemas by tests; here that, and code that is shorter, would only take time.
    validateSchema: false,
    code: { optimize: false },
  })
  formats.default(ajv)
  ajv.addSchema(WebmapItemSchema)
  if (library !== undefined) ajv.addSchema(library)
  return (schema) => {
    const validate = ajv.compile(schema)
    return (value, show) => (validate(value) ? [] : faultsOf(validate, show))
  }
}

function faultsOf(validate: ValidateFunction, show: ShowPart = (_, part) => part): Fault[] {
  const errors = (validate.errors ?? []).filter((error, _, all) => !isShadowed(error, all))
  return errors.map((error) => describeFault({ ...error, data: show(error.instancePath, error.data) }))
}

/**
 * A union reports the faults of each branch and then its own. Where a branch got further into the value, its faults
 * say more than the union's "matches none"; where none did, the union's own line says it once for all.
 */
function isShadowed(error: ErrorObject, all: readonly ErrorObject[]): boolean {
  if (error.keyword === 'if') return true
  // What a list of values says holds the type.
  if (error.keyword === 'type' && all.some((other) => isEnumOf(other, error))) return true
  const unions = all.filter((other) => other.keyword === 'anyOf' || other.keyword === 'oneOf')
  if (unions.includes(error)) return all.some((other) => isDeeper(other, error))
  return unions.some(
    (union) => isBranchOf(error, union) && error.instancePath === union.instancePath && !isDeepFault(error),
  )
}

function isEnumOf({ keyword, instancePath, parentSchema }: ErrorObject, type: ErrorObject): boolean {
  return keyword === 'enum' && instancePath === type.instancePath && parentSchema === type.parentSchema
}

function isBranchOf(error: ErrorObject, union: ErrorObject): boolean {
  return error.schemaPath.startsWith(`${union.schemaPath}/`)
}

function isDeeper(other: ErrorObject, union: ErrorObject): boolean {
  if (other.instancePath.startsWith(`${union.instancePath}/`)) return true
  return isBranchOf(other, union) && isDeepFault(other)
}

/** Faults of a value that is of the branch's type: about its members, its length or its bounds. */
function isDeepFault(error: ErrorObject): boolean {
  return !['type', 'enum', 'const', 'anyOf', 'oneOf'].includes(error.keyword)
}
