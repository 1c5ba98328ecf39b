import type { Static } from 'typebox'
import { nullable, oneOf, referenceObject } from './descriptor.ts'
import { patterns } from './pattern.ts'
import { scopes } from './permissions.ts'
import { encodedSourceTitles } from './source_formats.ts'
import { Type } from './type.ts'

const scopeNames = Object.keys(scopes)
const permissionWords = [
  ...new Set(Object.values(scopes).flatMap(({ permissions }) => Object.keys(permissions))),
]

/** Who a rule speaks of: a user or a group, both in one id space. */
export const PrincipalSchema = Type.Object({ id: Type.Integer() }, { 'x-principal': true })

/** One permission rule. Deny beats allow, wherever in the tree it stands. */
export const RuleSchema = Type.Object({
  action: oneOf(['allow', 'deny'], { description: 'Whether the rule grants or takes away.' }),
  principal: PrincipalSchema,
  identity: Type.String({
    description: 'Class of the resources it speaks of, exactly; empty for all.',
    'x-class-name': true,
  }),
  scope: oneOf(['', ...scopeNames], {
    description: 'Scope of the permission; empty, with an empty permission, for all.',
  }),
  permission: oneOf(['', ...permissionWords], {
    description: 'Permission of the scope; empty for all of them.',
  }),
  propagate: Type.Boolean({ description: 'Whether it speaks of the resources below too.' }),
})

/** One permission rule, as on the wire. */
export type Rule = Static<typeof RuleSchema>

/** Deepest level of the tree that a resource may stand on; the root stands on level 0. */
export const maxDepth = 100

/** Most permission rules of a resource. */
export const maxRules = 1000

/** Most metadata keys of a resource. */
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
      description: 'Moment of creation, UTC, ISO 8601 without zone.',
    }),
    parent: nullable(referenceObject(['resource_group', '*']), {
      description: `The resource it stands under, at most ${maxDepth} levels below the root.`,
    }),
    owner_user: Type.Object(
      { id: Type.Integer() },
      { 'x-principal': true, description: 'The user who owns it; only administrators change it.' },
    ),
    permissions: Type.Array(RuleSchema, {
      maxItems: maxRules,
      description:
        'Permission rules set on this resource; rules that would lock out all administrators are refused.',
      'x-key': [],
      'x-write': 'resource.change_permissions',
    }),
    keyname: nullable(Type.String({ minLength: 1, maxLength: 255, pattern: patterns.printable }), {
      description: 'Key, unique in the whole instance; printable ASCII.',
    }),
    display_name: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Name people see; unique among siblings.',
    }),
    description: nullable(Type.String({ maxLength: 1_000_000 }), {
      description: 'Description, HTML.',
      'x-read': 'metadata.read',
      'x-write': 'metadata.write',
    }),
    children: Type.Boolean({ readOnly: true, description: 'Whether resources stand under it.' }),
    interfaces: Type.Array(Type.String(), { readOnly: true, description: 'What clients may do with it.' }),
    scopes: Type.Array(Type.String(), { readOnly: true, description: 'Scopes of its permissions.' }),
    version: Type.Integer({
      readOnly: true,
      'x-extra': true,
      description: 'Counts the changes of the resource; the ETag is made of it.',
    }),
  },
  { additionalProperties: true },
)

/** A metadata value. */
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

/** A metadata value, as on the wire. */
export type MetadataValue = Static<typeof MetadataValueSchema>

/** What a file upload is answered with, and what refers to it later. */
export const UploadSchema = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the upload.' }),
    name: Type.Optional(Type.String({ description: 'File name.' })),
    mime_type: Type.Optional(Type.String({ description: 'Media type.' })),
    size: Type.Optional(Type.Integer({ minimum: 0, description: 'Size in bytes.' })),
    encoding: Type.Optional(
      Type.String({
        description: `Character encoding of texts in ${encodedSourceTitles}, where the file does not name it.`,
      }),
    ),
  },
  { additionalProperties: true },
)

/** What data come from: an upload, or what was prepared of one. */
export const SourceSchema = Type.Object(
  {
    ...UploadSchema.properties,
    id: Type.Optional(UploadSchema.properties.id),
    prepared: Type.Optional(
      Type.String({ description: 'Identifier of a prepared source, in place of an upload.' }),
    ),
  },
  { additionalProperties: true },
)

/** An upload, as on the wire. */
export type Upload = Static<typeof UploadSchema>
