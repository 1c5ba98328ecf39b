import type { SourceData } from '../../contract/descriptor.ts'
import { maxResourceId } from '../../contract/limits.ts'
import { type Cls, dataOf, descriptorOf } from '../../contract/registry.ts'
import { MetadataValueSchema, ResourceMember } from '../../contract/resource.ts'
import type { Schema } from '../../contract/schema.ts'
import type { DataMode } from '../manifest.ts'
import { type JsonSchema, requiredOf, toManifestSchema, writtenProperties } from './field_schema.ts'
import { permissionsSchema, principalSchema, ruleSchema } from './permission_schema.ts'

/** What the keys of resources look like; they are keynames on the server. */
export const keyPattern = '^[\\x20-\\x7e]{1,255}$'

/** Names of what every block may hold, in the order they are written. */
export const blockFields = [
  'cls',
  'existing',
  'id',
  'was',
  'protect',
  'parent',
  'display_name',
  'description',
  'owner',
  'permissions',
  'resmeta',
] as const

const shared = Object.fromEntries(
  [...blockFields, 'children'].map((name) => [name, { $ref: `#/definitions/${name}` }]),
)

/** Schemas of what every block may hold, by the name they are referred to by. `children` is the caller's. */
export function sharedDefinitions(): Record<string, JsonSchema> {
  const { display_name, description } = ResourceMember.properties
  return {
    existing: {
      type: 'boolean',
      default: false,
      description: 'Others own it: only what is written here is managed, and it is never created or deleted.',
    },
    id: {
      type: 'integer',
      minimum: 0,
      maximum: maxResourceId,
      description: 'Id on the server, where the key does not find it.',
    },
    was: { type: 'string', pattern: keyPattern, description: 'Key it had before it was renamed.' },
    protect: {
      type: 'boolean',
      default: false,
      description: 'Whether deleting it is refused, even after this block is gone.',
    },
    parent: {
      type: 'string',
      minLength: 1,
      description: 'Key of the resource it stands under, where it is not nested under it.',
    },
    display_name: toManifestSchema(display_name as Schema),
    description: toManifestSchema(description as Schema),
    owner: principalSchema('The user who owns it.'),
    permissions: permissionsSchema(),
    rule: ruleSchema(),
    resmeta: {
      type: 'object',
      propertyNames: { minLength: 1, maxLength: 255 },
      additionalProperties: toManifestSchema(MetadataValueSchema as Schema),
      description: 'Metadata by key; null removes a key.',
    },
  }
}

/** Schema of a block of a class, without what only a resource of our own has to have. */
export function blockSchema(cls: Cls): JsonSchema {
  const { label, meaning, data } = descriptorOf(cls)
  const { cls: _, ...common } = shared
  return {
    title: label,
    description: meaning,
    type: 'object',
    additionalProperties: false,
    properties: {
      cls: { const: cls, description: 'Class.' },
      ...common,
      ...memberSchemas(cls),
      ...(data === undefined ? {} : { data: dataSchema(data) }),
    },
  }
}

/** Schema of a block that names a resource of others without telling its class. */
export function existingSchema(): JsonSchema {
  const { cls: _, was: __, ...common } = shared
  return {
    title: 'Resource of others',
    type: 'object',
    additionalProperties: false,
    required: ['existing'],
    properties: common,
  }
}

/** Schema that says which fields a block of our own has to have. */
export function requirementsOf(cls: Cls): JsonSchema {
  const needs = Object.entries(memberSchemas(cls, 'complete')).flatMap(([name, schema]) =>
    requiredOf(schema).length > 0 ? [[name, { type: 'object', required: requiredOf(schema) }] as const] : [],
  )
  const required = ['display_name', ...needs.map(([name]) => name).filter((name) => name !== 'feature_layer')]
  return { type: 'object', required, properties: Object.fromEntries(needs) }
}

const allowLossSchema = {
  type: 'boolean',
  default: false,
  description:
    'Load even a source that takes away more than 10 % of the features, all values of a field, or attachments.',
}

/** Schema of `data:` for a class. */
function dataSchema({ content, options }: SourceData): JsonSchema {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['source'],
    properties: {
      source: {
        type: 'string',
        minLength: 1,
        description: 'File that holds the data, from the folder of the manifest.',
      },
      mode: {
        type: 'string',
        enum: ['seed', 'replace'] satisfies DataMode[],
        description:
          'What is done with data that were edited on the server: seed loads once and keeps them, replace loads the source over them. Where absent, they stop the plan.',
      },
      ...(content === 'features' ? { allow_loss: allowLossSchema } : {}),
      ...writtenProperties(options as Schema['properties']),
    },
    description: 'Data that is loaded when the server has others.',
  }
}

/** Schemas of the members of a class that manifests write; those without fields are gone. */
function memberSchemas(cls: Cls, use: 'partial' | 'complete' = 'partial'): Record<string, JsonSchema> {
  const members = Object.entries(descriptorOf(cls).members).map(([name, schema]) => {
    const { required, ...rest } = toManifestSchema(withoutOptions(cls, schema as Schema))
    return [name, use === 'complete' ? { ...rest, required } : rest] as const
  })
  return Object.fromEntries(
    members.filter(([, { properties }]) => Object.keys(properties as object).length > 0),
  )
}

/** Load options belong to `data:` and nowhere else. */
function withoutOptions(cls: Cls, schema: Schema): Schema {
  const options = dataOf(cls)?.options ?? {}
  const properties = Object.entries(schema.properties ?? {}).filter(([name]) => !Object.hasOwn(options, name))
  return { ...schema, properties: Object.fromEntries(properties) }
}
