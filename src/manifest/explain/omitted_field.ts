import { isCls } from '../../contract/registry.ts'
import { isSecretName } from '../../contract/secrets.ts'
import { isObject } from '../../core/is_object.ts'
import { splitPointer } from '../../core/pointer.ts'
import { blockSchema, existingSchema, sharedDefinitions } from '../schema/block_schema.ts'
import type { JsonSchema } from '../schema/field_schema.ts'
import type { ExplainedField, NamedBlock } from './explain_block.ts'

/** Explains a field that a block of a resource omits; undefined if such blocks have no such field. */
export function explainOmitted({ block, pointer }: NamedBlock): ExplainedField | undefined {
  const { cls, existing } = block.value
  const names = splitPointer(pointer)
  if (names.length === 0 || !(isCls(cls) || existing === true)) return undefined
  let schema: JsonSchema | undefined = isCls(cls) ? blockSchema(cls) : existingSchema()
  for (const name of names) {
    schema = propertyOf(schema, name)
    if (schema === undefined) return undefined
  }
  const value = existing === true ? undefined : schema.default
  return {
    pointer,
    names,
    isSecret: names.some(isSecretName),
    origins: [],
    ...(value === undefined ? {} : { value }),
  }
}

/** Returns the schema of a property that is listed by its name. */
function propertyOf({ properties }: JsonSchema, name: string): JsonSchema | undefined {
  if (!isObject(properties) || !Object.hasOwn(properties, name)) return undefined
  const found = properties[name]
  const { $ref: definition } = found as JsonSchema
  return typeof definition === 'string'
    ? sharedDefinitions()[definition.split('/').at(-1) ?? '']
    : (found as JsonSchema)
}
