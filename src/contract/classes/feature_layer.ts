import type { Static } from 'typebox'
import { nullable, type PageLink, referenceObject } from '../descriptor.ts'
import { DatatypeSchema } from '../geometry_schema.ts'
import { Type } from '../type.ts'

/** One field of a layer. */
export const FieldSchema = Type.Object({
  id: Type.Optional(
    Type.Integer({ description: 'Identifier of the field; none for a new one.', 'x-wire': true }),
  ),
  keyname: Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'Name in the API, unique in the layer; not id and not geom.',
  }),
  datatype: DatatypeSchema,
  display_name: Type.Optional(
    Type.String({
      minLength: 1,
      'x-default-from': 'keyname',
      description: 'Name people see; the keyname where absent.',
    }),
  ),
  label_field: Type.Optional(
    Type.Boolean({ default: false, description: 'Whether its value labels a feature.' }),
  ),
  grid_visibility: Type.Optional(Type.Boolean({ default: true, description: 'Whether tables show it.' })),
  text_search: Type.Optional(
    Type.Boolean({ default: true, description: 'Whether text search looks into it.' }),
  ),
  lookup_table: Type.Optional(
    nullable(referenceObject(['lookup_table']), {
      default: null,
      description: 'Lookup table that explains its values.',
    }),
  ),
  typemod: Type.Optional(nullable(Type.Integer(), { readOnly: true, description: 'Always null.' })),
  delete: Type.Optional(
    Type.Boolean({ writeOnly: true, 'x-wire': true, description: 'Drops the field, with its values.' }),
  ),
})

/** One field of a layer, as on the wire. */
export type Field = Static<typeof FieldSchema>

/** Most fields of a layer: tables have at most 1600 columns, those that were dropped included. */
export const maxFields = 1500

/** Member `feature_layer`, which every class with features has. */
export const FeatureLayerMember = Type.Object({
  fields: Type.Array(FieldSchema, {
    maxItems: maxFields,
    description: 'Fields, in order.',
    'x-key': ['keyname'],
    'x-data': 'dropping a field drops its values',
    'x-read': 'datastruct.read',
    'x-write': 'datastruct.write',
  }),
})

/** Links on the page of a layer of features. */
export const featureLinks = [
  { route: 'feature.list', query: 'limit=100&geom=no', text: 'First features' },
  { route: 'feature.geojson', text: 'All as GeoJSON' },
] as const satisfies readonly PageLink[]

/** What clients may do with a layer of features. */
export const featureInterfaces = [
  'IBboxLayer',
  'IFeatureLayer',
  'IFilterableFeatureLayer',
  'IWritableFeatureLayer',
] as const
