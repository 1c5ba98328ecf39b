import { type Cls, clsNames } from '../contract/registry.ts'
import { createValidatorCompiler, type Validator } from '../contract/validate.ts'
import { blockSchema, existingSchema, requirementsOf } from './schema/block.ts'
import type { JsonSchema } from './schema/field.ts'
import { blockDefinitions, strictSchema } from './schema.ts'

const compile = createValidatorCompiler({ faults: 'all' })
const compiled = new Map<string, Validator>()

/** Below the block that is checked, each resource is a block of its own. */
const definitions = { ...blockDefinitions(), children: { type: 'object' } }

/**
 * Gives the validator of a block: of a class, of our own or of others; without a class, that of a resource of others.
 * `children` is taken as it is.
 */
export function blockValidator(cls: Cls | undefined, existing: boolean): Validator {
  const name = `${cls ?? ''}/${existing}`
  const known = compiled.get(name)
  if (known !== undefined) return known
  const validator = compile({ ...schemaFor(cls, existing), definitions })
  compiled.set(name, validator)
  return validator
}

function schemaFor(cls: Cls | undefined, existing: boolean): JsonSchema {
  if (cls === undefined) return existingSchema()
  return existing ? blockSchema(cls) : { ...blockSchema(cls), allOf: [requirementsOf(cls)] }
}

/** Gives the validator of a file's top level; `resources` is taken as it is. */
export function fileValidator(): Validator {
  const known = compiled.get('file')
  if (known !== undefined) return known
  const { $id: _, ...schema } = strictSchema()
  const validator = compile({ ...schema, definitions })
  compiled.set('file', validator)
  return validator
}

/** Names of the classes that have a member. */
export function classesWithMember(name: string): Cls[] {
  return clsNames.filter((cls) => Object.hasOwn(blockSchema(cls).properties as object, name))
}
