import type { ValidateFunction } from 'ajv'
import { createAjv } from '../../contract/schema/validate.ts'
import { librarySchema, referenceTo } from './library_schema.ts'

const ajv = createAjv({ faults: 'all', library: librarySchema() })

/**
 * Compiles a definition of the library. In the published package, `scripts/build/validators.ts` replaces this module by code that
 * was compiled before: Ajv takes 0.13 s of CPU and 20 MB.
 */
export function compileDefinition(name: string): ValidateFunction {
  return ajv.compile({ $ref: referenceTo(name) })
}
