import { WebmapItemSchema } from '../../contract/classes/webmap.ts'
import { clsNames, descriptorOf } from '../../contract/registry.ts'
import type { Schema } from '../../contract/schema/schema.ts'
import { isObject } from '../../core/is_object.ts'
import { accountSections } from './account_schema.ts'
import { blockSchema, existingSchema, keyPattern, requirementsOf, sharedDefinitions } from './block_schema.ts'
import { catalogSections } from './catalog_schema.ts'
import { type JsonSchema, toManifestSchema, whenMember } from './field_schema.ts'
import { fragmentsSchema, useSchema } from './fragment_schema.ts'

/** Pattern of manifest ids; markers on the server store them, followed by a slash. */
export const manifestIdPattern = '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$'

/** Schema of an expression with a variable or a file. */
const expressionDefinition: JsonSchema = {
  type: 'string',
  pattern: '\\$\\{(env\\.[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?|param\\.[A-Za-z_][A-Za-z0-9_]*|file:[^}]+)\\}',
  description:
    'A value with environment variables, ${env.NAME} or ${env.NAME:-default}, with the text of a file, ${file:PATH}, or with a parameter of a fragment, ${param.NAME}.',
}

/** Keywords that do not contain schemas of manifest values. */
const keptKeywords = ['if', 'propertyNames', 'required', 'default', 'enum', 'const']

/** Fields that select a schema; they cannot be expressions. */
const selectors = ['cls', 'item_type']

/**
 * Returns the JSON Schema of manifest files for editors and other tools, derived from the class descriptors. It is
 * self-contained and uses only keywords of draft 7.
 *
 * @see https://json-schema.org/draft-07
 */
export function manifestSchema(): JsonSchema {
  const { definitions, ...schema } = allowExpressions(strictSchema())
  return { ...schema, definitions: { ...(definitions as object), expression: expressionDefinition } }
}

/** Returns the schema for values with resolved expressions. */
export function strictSchema(): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: 'urn:landform:manifest',
    ...fileSchema(),
    anyOf: [...manifestSections, 'fragments'].map((section) => ({ required: [section] })),
    definitions: {
      ...blockDefinitions(),
      ...catalogSections(),
      ...accountSections(),
      fragments: fragmentsSchema(),
      use: useSchema(),
      children: childrenSchema(),
      resource: resourceSchema(),
      existing_resource: existingSchema(),
      ...Object.fromEntries(clsNames.map((cls) => [`cls_${cls}`, classSchema(cls)])),
    },
  }
}

/** Sections of a manifest; a file has at least one of them. */
export const manifestSections = ['resources', 'users', 'groups', 'icons', 'geoservices'] as const

/** Schema of a file's top level. The caller defines its sections, and requires one of them. */
export function fileSchema(): JsonSchema {
  return {
    title: 'landform manifest',
    description:
      'The desired state of a tree of resources, of users and groups, and of records of the catalog.',
    type: 'object',
    additionalProperties: false,
    required: ['manifest'],
    properties: {
      manifest: {
        type: 'string',
        pattern: manifestIdPattern,
        description:
          'Id of the manifest: letters, digits, ., _ and -; the same in all its files. Its resources and records on the server are marked with it.',
      },
      resources: { $ref: '#/definitions/children' },
      users: { $ref: '#/definitions/users' },
      groups: { $ref: '#/definitions/groups' },
      icons: { $ref: '#/definitions/icons' },
      geoservices: { $ref: '#/definitions/geoservices' },
      fragments: { $ref: '#/definitions/fragments' },
    },
  }
}

/** Schemas that blocks refer to, except `children`. */
export function blockDefinitions(): Record<string, JsonSchema> {
  return { ...sharedDefinitions(), webmap_item: toManifestSchema(WebmapItemSchema as Schema) }
}

function childrenSchema(): JsonSchema {
  return {
    type: 'object',
    propertyNames: { pattern: keyPattern },
    additionalProperties: { $ref: '#/definitions/resource' },
    description:
      'Resources by key. Keys are keynames on the server, unique across all files of the manifest.',
  }
}

function resourceSchema(): JsonSchema {
  return {
    if: { type: 'object', required: ['use'] },
    // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword
    then: { $ref: '#/definitions/use' },
    else: ownSchema(),
  }
}

function ownSchema(): JsonSchema {
  const list = clsNames.map((cls) => `- ${cls}: ${descriptorOf(cls).meaning}`)
  return {
    type: 'object',
    properties: {
      cls: { type: 'string', enum: clsNames, description: `Class.\n\n${list.join('\n')}` },
      existing: { $ref: '#/definitions/existing' },
    },
    if: { type: 'object', required: ['cls'] },
    // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword
    then: {
      allOf: clsNames.map((cls) => whenMember('cls', cls, { $ref: `#/definitions/cls_${cls}` })),
    },
    else: {
      if: { type: 'object', required: ['existing'], properties: { existing: { not: { const: false } } } },
      // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword
      then: { $ref: '#/definitions/existing_resource' },
      else: { type: 'object', required: ['cls'] },
    },
  }
}

function classSchema(cls: (typeof clsNames)[number]): JsonSchema {
  return {
    ...blockSchema(cls),
    if: { type: 'object', required: ['existing'], properties: { existing: { not: { const: false } } } },
    else: requirementsOf(cls),
  }
}

/**
 * Allows an expression for every value that is not a free string, so that editors accept `port: ${env.PORT}` like the
 * loader does.
 */
function allowExpressions(schema: JsonSchema): JsonSchema {
  const parts = Object.entries(schema).map(([word, value]) => [word, allowWithin(word, value)])
  const opened = Object.fromEntries(parts) as JsonSchema
  return isNarrow(schema) ? widen(opened) : opened
}

function allowWithin(word: string, value: unknown): unknown {
  if (keptKeywords.includes(word)) return value
  if (word === 'properties' || word === 'definitions') return allowInEach(value as Record<string, JsonSchema>)
  if (Array.isArray(value)) return value.map((item) => (isObject(item) ? allowExpressions(item) : item))
  return isObject(value) ? allowExpressions(value) : value
}

function allowInEach(schemas: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  const entries = Object.entries(schemas).map(([name, schema]) => [
    name,
    selectors.includes(name) ? schema : allowExpressions(schema),
  ])
  return Object.fromEntries(entries)
}

/** Reports whether a schema of scalars, lists, or maps of values rejects an expression. */
function isNarrow({ type, enum: words, pattern, additionalProperties: values }: JsonSchema): boolean {
  if (type === 'string') return words !== undefined || pattern !== undefined
  if (type === 'object') return isObject(values) && !Object.hasOwn(values, '$ref')
  if (type === 'array') return true
  return type === 'integer' || type === 'number' || type === 'boolean'
}

/** Adds the expression as an alternative; the description stays outside, where editors read it. */
function widen({ description, title, default: fallback, ...rest }: JsonSchema): JsonSchema {
  const shown = Object.entries({ title, description, default: fallback }).filter(
    ([, word]) => word !== undefined,
  )
  return { ...Object.fromEntries(shown), anyOf: [rest, { $ref: '#/definitions/expression' }] }
}
