import type { Static } from 'typebox'
import { nullable, oneOf, referenceObject } from '../descriptor.ts'
import { encodedSourceTitles } from '../formats/source_formats.ts'
import { maxResourceId } from '../limits.ts'
import { scopes } from '../permissions.ts'
import { patterns } from '../schema/pattern.ts'
import { Type } from '../schema/type.ts'

const scopeNames = Object.keys(scopes)
const permissionWords = [
  ...new Set(Object.values(scopes).flatMap(({ permissions }) => Object.keys(permissions))),
]

/** Principal of a rule: a user or a group, by id. */
export const PrincipalSchema = Type.Object({ id: Type.Integer() }, { 'x-principal': true })

/** Permission rule. Deny overrides allow at every level of the tree. */
export const RuleSchema = Type.Object({
  action: oneOf(['allow', 'deny'], { description: 'Whether the rule allows or denies.' }),
  principal: PrincipalSchema,
  identity: Type.String({
    description: 'Exact class of the resources that the rule applies to; empty for all.',
    'x-class-name': true,
  }),
  scope: oneOf(['', ...scopeNames], {
    description: 'Scope of the permission; empty for all scopes, together with an empty permission.',
  }),
  permission: oneOf(['', ...permissionWords], {
    description: 'Permission of the scope; empty for all.',
  }),
  propagate: Type.Boolean({ description: 'Whether the rule applies to descendants too.' }),
})

/** Permission rule on the wire. */
export type Rule = Static<typeof RuleSchema>

/** Maximum depth of the resource tree; the root has depth 0. */
export const maxDepth = 100

/** Maximum number of permission rules of a resource. */
export const maxRules = 1000

/** Maximum number of metadata keys of a resource. */
export const maxMetadata = 1000

/** Member `resource` of every representation. */
export const ResourceMember = Type.Object(
  {
    id: Type.Integer({ readOnly: true, description: 'Identifier.' }),
    cls: Type.String({
      description: 'Class.',
      'x-class-name': true,
      'x-replace': 'the class of a resource is fixed',
    }),
    creation_date: Type.String({
      readOnly: true,
      description: 'Creation time, UTC, ISO 8601 without time zone.',
    }),
    parent: nullable(referenceObject(['resource_group', '*']), {
      description: `Parent resource; the tree has at most ${maxDepth} levels below the root.`,
    }),
    owner_user: Type.Object(
      { id: Type.Integer() },
      { 'x-principal': true, description: 'Owner; only administrators can change it.' },
    ),
    permissions: Type.Array(RuleSchema, {
      maxItems: maxRules,
      description:
        'Permission rules of this resource; rules that would lock out all administrators are rejected.',
      'x-key': [],
      'x-write': 'resource.change_permissions',
    }),
    keyname: nullable(Type.String({ minLength: 1, maxLength: 255, pattern: patterns.printable }), {
      description: 'Key, unique in the instance; printable ASCII.',
    }),
    display_name: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Display name; unique among siblings.',
    }),
    description: nullable(Type.String({ maxLength: 1_000_000 }), {
      description: 'Description, HTML.',
      'x-read': 'metadata.read',
      'x-write': 'metadata.write',
    }),
    children: Type.Boolean({ readOnly: true, description: 'Whether the resource has children.' }),
    interfaces: Type.Array(Type.String(), {
      readOnly: true,
      description: 'Interfaces that clients can use.',
    }),
    scopes: Type.Array(Type.String(), { readOnly: true, description: 'Permission scopes of the class.' }),
    version: Type.Integer({
      readOnly: true,
      'x-extension': true,
      description: 'Version, incremented with each change; determines the ETag.',
    }),
  },
  { additionalProperties: true },
)

/** Metadata value. */
export const MetadataValueSchema = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])

/** Member `resmeta` of every representation. */
export const ResmetaMember = Type.Object(
  {
    items: Type.Record(Type.String(), MetadataValueSchema, {
      maxProperties: maxMetadata,
      propertyNames: { minLength: 1, maxLength: 255 },
      description: 'Metadata by key; null removes a key.',
      'x-read': 'metadata.read',
      'x-write': 'metadata.write',
    }),
  },
  { additionalProperties: true },
)

/** Metadata value on the wire. */
export type MetadataValue = Static<typeof MetadataValueSchema>

/** Upload, in the response to an upload and in references to it. */
export const UploadSchema = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the upload.' }),
    name: Type.Optional(Type.String({ description: 'File name.' })),
    mime_type: Type.Optional(Type.String({ description: 'Media type.' })),
    size: Type.Optional(Type.Integer({ minimum: 0, description: 'Size in bytes.' })),
    encoding: Type.Optional(
      Type.String({
        description: `Character encoding of ${encodedSourceTitles}, if the file does not declare it.`,
      }),
    ),
  },
  { additionalProperties: true },
)

/** Source of data: an upload, a prepared source, or kept data. */
export const SourceSchema = Type.Object(
  {
    ...UploadSchema.properties,
    id: Type.Optional(UploadSchema.properties.id),
    prepared: Type.Optional(
      Type.String({ description: 'Identifier of a prepared source, instead of an upload.' }),
    ),
    kept: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxResourceId,
        description: 'Replaced or deleted data that the server keeps, instead of an upload.',
      }),
    ),
  },
  { additionalProperties: true },
)

/** Upload on the wire. */
export type Upload = Static<typeof UploadSchema>
