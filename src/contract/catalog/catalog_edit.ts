import type { Static } from 'typebox'
import { nullable, oneOf } from '../descriptor.ts'
import { patterns } from '../schema/pattern.ts'
import { Type } from '../schema/type.ts'
import { catalogLimits, GeoserviceItemSchema, GeoserviceSchema, geoserviceMembers } from './catalog.ts'

/** Key of a record: its name in manifests. */
export const catalogKeyPattern = '^[A-Za-z_][A-Za-z0-9_-]{0,99}$'

/** Keyname of the group whose members may change the catalog, as administrators may. */
export const catalogEditors = 'catalog_editors'

const manifestMembers = {
  keyname: Type.Optional(
    nullable(Type.String({ pattern: catalogKeyPattern }), {
      default: null,
      description: 'Unique key: the name of the record in manifests.',
    }),
  ),
  manifest: Type.Optional(
    nullable(Type.String({ minLength: 1, maxLength: 100 }), {
      default: null,
      description: 'Id of the manifest that manages the record.',
    }),
  ),
} as const

const iconReference = Type.Optional(
  nullable(Type.Union([Type.Integer({ minimum: 0 }), Type.String({ minLength: 1, maxLength: 255 })]), {
    default: null,
    'x-ref': { classes: ['icon'], form: 'id', onDelete: 'clear' },
    description: 'Icon: its id, or the local name of an icon that the same batch creates.',
  }),
)

/** Body of a geoservice in a batch. */
export const GeoserviceBodySchema = Type.Object(
  { ...GeoserviceSchema.properties, ...manifestMembers, icon: iconReference },
  { additionalProperties: false },
)

/** Body of an icon in a batch. */
export const IconBodySchema = Type.Object(
  {
    ...manifestMembers,
    name: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: patterns.trimmed,
      description: 'Unique name.',
    }),
    guid: geoserviceMembers.guid,
    image: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: Math.ceil((catalogLimits.iconBytes * 4) / 3) + 4,
        description: 'PNG, JPEG, GIF, WebP or SVG in base64; required for a new icon.',
      }),
    ),
  },
  { additionalProperties: false },
)

const identity = {
  id: Type.Integer({ description: 'Identifier.' }),
  version: Type.Integer({ description: 'Number that grows with every edit.' }),
} as const

/** Geoservice with its manifest members, as its editors read it. */
export const GeoserviceRecordSchema = Type.Object({
  ...identity,
  ...GeoserviceBodySchema.properties,
  icon: nullable(Type.Integer(), { description: 'Icon.' }),
  cumulative_status: GeoserviceItemSchema.properties.cumulative_status,
  base_maps: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.Integer({ description: 'Resource.' }),
        by: oneOf(['key', 'guid'], { description: 'Whether it names the key or the guid.' }),
      }),
      { description: 'Base maps that name the geoservice.' },
    ),
  ),
})

/** Geoservice with its manifest members, as its editors read it. */
export type GeoserviceRecord = Static<typeof GeoserviceRecordSchema>

const { image: _, ...iconMembers } = IconBodySchema.properties

/** Icon with its manifest members, as its editors read it. */
export const IconRecordSchema = Type.Object({
  ...identity,
  ...iconMembers,
  digest: Type.String({ description: 'SHA-256 of the image, in hexadecimal.' }),
})

/** Icon with its manifest members, as its editors read it. */
export type IconRecord = Static<typeof IconRecordSchema>

/** Kinds of records in the catalog. */
export const catalogKinds = ['icon', 'geoservice'] as const

/** Kind of a record in the catalog. */
export type CatalogKind = (typeof catalogKinds)[number]

/** One operation of a batch on the catalog. */
export const CatalogOperationSchema = Type.Object({
  op: oneOf(['create', 'update', 'delete'], { description: 'Kind of operation.' }),
  kind: oneOf(catalogKinds, { description: 'Kind of record.' }),
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Local name of the created icon, for later operations of the batch.',
    }),
  ),
  id: Type.Optional(Type.Integer({ minimum: 0, description: 'Record to change or delete.' })),
  if_version: Type.Optional(
    Type.Integer({ description: 'Required version before the batch; any version if absent.' }),
  ),
  body: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      description:
        'All members of a new record, as GeoserviceBody or IconBody; of an update, those that change.',
    }),
  ),
})

/** One operation of a batch on the catalog. */
export type CatalogOperation = Static<typeof CatalogOperationSchema>
