import { isCls } from '../../contract/registry.ts'
import { isSecretName } from '../../contract/secrets.ts'
import { isObject } from '../../core/is_object.ts'
import { splitPointer } from '../../core/pointer.ts'
import { accountSchema } from '../schema/account_schema.ts'
import { blockSchema, existingSchema, sharedDefinitions } from '../schema/block_schema.ts'
import { geoserviceSchema, iconSchema } from '../schema/catalog_schema.ts'
import type { JsonSchema } from '../schema/field_schema.ts'
import type { ExplainedBlock, ExplainedField, NamedBlock } from './explain_block.ts'

/** Explains a field that a block omits; undefined if such blocks have no such field. */
export function explainOmitted({ block, pointer }: NamedBlock): ExplainedField | undefined {
  const names = splitPointer(pointer)
  let schema = names.length === 0 ? undefined : schemaOf(block)
  for (const name of names) {
    if (schema === undefined) return undefined
    schema = propertyOf(schema, name)
  }
  if (schema === undefined) return undefined
  // Omitted fields of users, groups and existing resources stay as they are.
  const keeps = block.value.existing === true || block.kind === 'user' || block.kind === 'group'
  const value = keeps ? undefined : schema.default
  return {
    pointer,
    names,
    isSecret: names.some(isSecretName),
    origins: [],
    ...(value === undefined ? {} : { value }),
  }
}

function schemaOf({ kind, type, value }: ExplainedBlock): JsonSchema | undefined {
  if (kind === 'user' || kind === 'group') return accountSchema(kind)
  if (kind === 'icon') return iconSchema()
  if (kind === 'geoservice') return type === undefined ? undefined : geoserviceSchema(type)
  if (isCls(value.cls)) return blockSchema(value.cls)
  return value.existing === true ? existingSchema() : undefined
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
