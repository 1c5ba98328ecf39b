import { annotationsOf } from '../../contract/descriptor.ts'
import { maxResourceId } from '../../contract/limits.ts'
import { patterns } from '../../contract/schema/pattern.ts'
import type { Schema } from '../../contract/schema/schema.ts'

/** A JSON Schema document. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** JSON Schema keywords that are copied; the contract's own annotations are dropped. */
const plainWords = [
  'title',
  'description',
  'default',
  'type',
  'const',
  'enum',
  'format',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'maxProperties',
  'propertyNames',
] as const

/** Returns the alternatives of a reference to a resource: its key, or its id outside the manifest. */
export function referenceForms(what: 'a resource' | 'an icon'): readonly [JsonSchema, JsonSchema] {
  return [
    { type: 'string', minLength: 1, description: `Key of ${what} of the manifest.` },
    {
      type: 'object',
      required: ['id'],
      additionalProperties: false,
      properties: { id: { type: 'integer', minimum: 0, maximum: maxResourceId } },
      description: `Id on the server of ${what} outside the manifest.`,
    },
  ]
}

/** Returns the alternatives of a reference to an icon: as of a resource, or its global identifier outside the manifest. */
export function iconForms(): readonly [JsonSchema, JsonSchema] {
  const [key, outside] = referenceForms('an icon')
  const {
    required: _,
    properties,
    ...rest
  } = outside as { readonly required: unknown; readonly properties: object }
  const guid: JsonSchema = { type: 'string', pattern: patterns.uuid }
  return [
    key,
    {
      ...rest,
      minProperties: 1,
      maxProperties: 1,
      properties: { ...properties, guid },
      description: 'Global identifier, or id on the server, of an icon outside the manifest.',
    },
  ]
}

/**
 * Converts an API schema to the manifest schema: references are keys, principals are keynames, unknown members are
 * rejected; read-only fields and fields that exist only in the API are removed.
 */
export function toManifestSchema(schema: Schema): JsonSchema {
  const words = annotationsOf(schema)
  const shown = pickWords(schema, ['description', 'default'])
  if (words['x-ref'] !== undefined) return { ...shown, anyOf: referenceForms('a resource') }
  if (words['x-principal']) return { ...shown, type: 'string', minLength: 1 }
  if (schema.$ref !== undefined) return { ...shown, $ref: `#/definitions/${schema.$ref}` }
  const tag = (schema as { discriminator?: { propertyName: string } }).discriminator?.propertyName
  if (tag !== undefined) return discriminated(schema, tag)
  return { ...pickWords(schema, plainWords), ...partsOf(schema) }
}

/** Reports whether manifests write a field. */
export function isWritten(schema: Schema): boolean {
  const words = annotationsOf(schema)
  return words.readOnly !== true && words['x-wire'] !== true
}

/** Returns the schemas of the fields that manifests write, by name. */
export function writtenProperties(properties: Schema['properties']): Record<string, JsonSchema> {
  const written = Object.entries(properties ?? {}).filter(([, schema]) => isWritten(schema))
  return Object.fromEntries(written.map(([name, schema]) => [name, toManifestSchema(schema)]))
}

/** Applies the schema `then` only if a member has a value. */
export function whenMember(name: string, value: unknown, then: JsonSchema): JsonSchema {
  return { if: { type: 'object', required: [name], properties: { [name]: { const: value } } }, then }
}

function pickWords(schema: object, names: readonly string[]): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => names.includes(name)))
}

function partsOf(schema: Schema): JsonSchema {
  const parts: Record<string, unknown> = {}
  if (schema.anyOf) parts.anyOf = schema.anyOf.map(toManifestSchema).flatMap(branchesOf)
  if (schema.oneOf) parts.oneOf = schema.oneOf.map(toManifestSchema)
  if (schema.items) parts.items = itemsOf(schema, schema.items)
  if (schema.properties) Object.assign(parts, closedObject(schema))
  if (schema.patternProperties) {
    const [value] = Object.values(schema.patternProperties)
    parts.additionalProperties = value === undefined ? true : toManifestSchema(value)
  }
  return parts
}

/** Items of a list with `x-was` also name their previous key. */
function itemsOf(list: Schema, items: Schema): JsonSchema {
  const schema = toManifestSchema(items)
  if (!annotationsOf(list)['x-was']) return schema
  const [key = ''] = annotationsOf(list)['x-key'] ?? []
  const was = {
    type: 'string',
    minLength: 1,
    description: `Previous ${key} of a renamed item, which keeps its values.`,
  }
  return { ...schema, properties: { ...(schema.properties as object), was } }
}

/** Flattens nested unions. */
function branchesOf(schema: JsonSchema): readonly unknown[] {
  return Array.isArray(schema.anyOf) ? schema.anyOf : [schema]
}

function closedObject(schema: Schema): JsonSchema {
  const properties = writtenProperties(schema.properties)
  const required = requiredOf(schema).filter((name) => Object.hasOwn(properties, name))
  return { additionalProperties: false, properties, ...(required.length > 0 ? { required } : {}) }
}

/** Returns the names of the required members of an object. */
export function requiredOf(schema: object): readonly string[] {
  return (schema as { required?: readonly string[] }).required ?? []
}

/** Writes a discriminated union with `if` and `then`, which every JSON Schema tool supports. */
function discriminated(schema: Schema, tag: string): JsonSchema {
  const branches = (schema.oneOf ?? []).map((branch) => ({
    word: branch.properties?.[tag]?.enum?.[0],
    schema: toManifestSchema(branch),
  }))
  return {
    ...pickWords(schema, ['description', 'default']),
    type: 'object',
    required: [tag],
    properties: { [tag]: { type: 'string', enum: branches.map(({ word }) => word) } },
    allOf: branches.map((branch) => whenMember(tag, branch.word, branch.schema)),
  }
}
