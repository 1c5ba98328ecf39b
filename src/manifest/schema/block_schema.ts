import { MetadataValueSchema, ResourceMember } from '../../contract/bodies/resource.ts'
import { maxExtended } from '../../contract/classes/feature_extensions.ts'
import type { ClassFiles, SourceData } from '../../contract/descriptor.ts'
import { FeatureKeySchema } from '../../contract/feature_key.ts'
import { encodedSourceTitles } from '../../contract/formats/source_formats.ts'
import { maxResourceId } from '../../contract/limits.ts'
import { type Cls, dataOf, descriptorOf } from '../../contract/registry.ts'
import { maxAttachments, maxDescription } from '../../contract/routes/attachment.ts'
import type { Schema } from '../../contract/schema/schema.ts'
import type { DataMode } from '../manifest.ts'
import { type JsonSchema, requiredOf, toManifestSchema, writtenProperties } from './field_schema.ts'
import { permissionsSchema, principalSchema, ruleSchema } from './permission_schema.ts'

const path = { type: 'string', minLength: 1 }

const attachmentSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['path'],
  properties: {
    path: { ...path, description: 'Path or pattern, relative to the folder of the manifest.' },
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description: 'Name on the server; defaults to the name of the file. Not for patterns.',
    },
    mime_type: { type: 'string', description: 'Media type; the server derives it from the name if absent.' },
    description: { type: 'string', maxLength: 100_000, description: 'Description.' },
  },
}

/** Schema of `features:`: descriptions and attachments by key of feature. */
const featuresSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['key'],
  properties: {
    key: { type: 'string', minLength: 1, description: 'Field that identifies a feature.' },
    descriptions: {
      type: 'object',
      maxProperties: maxExtended,
      additionalProperties: { type: 'string', minLength: 1, maxLength: maxDescription },
      description: 'Descriptions of all features, by the value of the key; other features have none.',
    },
    attachments: {
      type: 'object',
      maxProperties: maxExtended,
      additionalProperties: {
        type: 'array',
        maxItems: maxAttachments,
        items: { anyOf: [path, attachmentSchema] },
      },
      description:
        'Attachments of all features, by the value of the key: paths and patterns (photos/north/*.jpg), relative to the folder of the manifest; other features have none.',
    },
  },
  description: 'Descriptions and attachments of features. Absent parts are not managed.',
}

/** Pattern of resource keys, which are keynames on the server. */
export const keyPattern = '^[\\x20-\\x7e]{1,255}$'

/** Fields of every block, in the order in which they are written. */
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
  'unmanaged',
] as const

const shared = Object.fromEntries(
  [...blockFields, 'children'].map((name) => [name, { $ref: `#/definitions/${name}` }]),
)

/** Schemas of the fields of every block, by name. The caller defines `children`. */
export function sharedDefinitions(): Record<string, JsonSchema> {
  const { display_name, description } = ResourceMember.properties
  return {
    existing: {
      type: 'boolean',
      default: false,
      description:
        'Whether the manifest only refers to the resource: it updates the fields written here and never creates or deletes it.',
    },
    id: {
      type: 'integer',
      minimum: 0,
      maximum: maxResourceId,
      description: 'Id on the server, if the resource does not have the key as its keyname.',
    },
    was: { type: 'string', pattern: keyPattern, description: 'Previous key of a renamed resource.' },
    protect: {
      type: 'boolean',
      default: false,
      description: 'Whether the resource is protected from deletion, even after this block is removed.',
    },
    parent: {
      type: 'string',
      minLength: 1,
      description: 'Key of the parent resource, if the block is not nested under it.',
    },
    display_name: toManifestSchema(display_name as Schema),
    description: toManifestSchema(description as Schema),
    owner: principalSchema('Owner of the resource.'),
    permissions: permissionsSchema(),
    rule: ruleSchema(),
    resmeta: {
      type: 'object',
      propertyNames: { minLength: 1, maxLength: 255 },
      additionalProperties: toManifestSchema(MetadataValueSchema as Schema),
      description: 'Metadata by key; null removes a key.',
    },
    unmanaged: {
      type: 'array',
      uniqueItems: true,
      items: { type: 'string', minLength: 1 },
      description:
        'Fields that stay as they are on the server, although the manifest has set them before: description, webmap.extent_top, or webmap for all fields of it. With children, no resource below the block is deleted because the manifest does not describe it.',
    },
  }
}

/** Schema of a block of a class, without the fields that only managed resources require. */
export function blockSchema(cls: Cls): JsonSchema {
  const { label, meaning, data, files, extensions } = descriptorOf(cls)
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
      ...(files === undefined ? {} : filesSchema(files)),
      ...(extensions === undefined ? {} : { features: featuresSchema }),
    },
  }
}

/** Schema of an existing resource without a class. */
export function existingSchema(): JsonSchema {
  const { cls: _, was: __, ...common } = shared
  return {
    title: 'Existing resource',
    type: 'object',
    additionalProperties: false,
    required: ['existing'],
    properties: common,
  }
}

/** Schema of the fields that a managed resource requires. */
export function requirementsOf(cls: Cls): JsonSchema {
  const needs = Object.entries(memberSchemas(cls, 'complete')).flatMap(([name, schema]) =>
    requiredOf(schema).length > 0 ? [[name, { type: 'object', required: requiredOf(schema) }] as const] : [],
  )
  const required = ['display_name', ...needs.map(([name]) => name).filter((name) => name !== 'feature_layer')]
  return { type: 'object', required, properties: Object.fromEntries(needs) }
}

const pathSchema = { type: 'string', minLength: 1 }

const fileEntrySchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['path'],
  properties: {
    path: { ...pathSchema, description: 'Path or pattern, relative to the folder of the manifest.' },
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 1000,
      description: 'Path on the server; defaults to the name of the file. Not for patterns.',
    },
    folder: {
      type: 'string',
      minLength: 1,
      maxLength: 1000,
      description: 'Folder on the server of the files that match a pattern.',
    },
    mime_type: { type: 'string', description: 'Media type; the server derives it from the name if absent.' },
  },
}

/** Schema of the files of a block: `files`, or `file` if there is only one. */
function filesSchema({ form, max }: ClassFiles): Record<string, JsonSchema> {
  if (form === 'one')
    return { file: { ...pathSchema, description: 'File, relative to the folder of the manifest.' } }
  return {
    files: {
      type: 'array',
      maxItems: max,
      items: { anyOf: [pathSchema, fileEntrySchema] },
      description:
        'All files, by path or pattern (plans/*.pdf, photos/**/*.jpg), relative to the folder of the manifest. Files that match a pattern keep their path below the folder before its first wildcard.',
    },
  }
}

const modes: readonly DataMode[] = ['seed', 'replace']

const allowLossSchema = {
  type: 'boolean',
  default: false,
  description:
    'Allow a load that deletes more than 10 % of the features, all values of a field, or attachments.',
}

const encodingSchema = {
  type: 'string',
  minLength: 1,
  description: `Character encoding of ${encodedSourceTitles}, if the file does not declare it.`,
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
        description: 'Data file, relative to the folder of the manifest.',
      },
      mode: {
        type: 'string',
        enum: content === 'features' ? [...modes, 'sync'] : modes,
        description:
          'Policy for data that were edited on the server: seed loads the source once and keeps later edits, replace overwrites them, sync changes the features that differ from the source and keeps the ids of the others. If absent, edited data stop the plan.',
      },
      ...(content === 'features'
        ? {
            key: FeatureKeySchema as unknown as JsonSchema,
            allow_loss: allowLossSchema,
            encoding: encodingSchema,
          }
        : {}),
      ...writtenProperties(options as Schema['properties']),
    },
    description: 'Data to load if the server has other data.',
  }
}

/** Schemas of the members of a class that manifests write, without members that have no fields. */
function memberSchemas(cls: Cls, use: 'partial' | 'complete' = 'partial'): Record<string, JsonSchema> {
  const members = Object.entries(descriptorOf(cls).members).map(([name, schema]) => {
    const { required, ...rest } = toManifestSchema(withoutOptions(cls, schema as Schema))
    return [name, use === 'complete' ? { ...rest, required } : rest] as const
  })
  return Object.fromEntries(
    members.filter(([, { properties }]) => Object.keys(properties as object).length > 0),
  )
}

/** Removes the load options, which belong to `data:`. */
function withoutOptions(cls: Cls, schema: Schema): Schema {
  const options = dataOf(cls)?.options ?? {}
  const properties = Object.entries(schema.properties ?? {}).filter(([name]) => !Object.hasOwn(options, name))
  return { ...schema, properties: Object.fromEntries(properties) }
}
