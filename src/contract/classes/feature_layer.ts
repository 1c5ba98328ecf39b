import type { Static } from 'typebox'
import { nullable, type PageLink, referenceObject } from '../descriptor.ts'
import { DatatypeSchema } from '../schema/geometry_schema.ts'
import { Type } from '../schema/type.ts'

/** One field of a layer. */
export const FieldSchema = Type.Object({
  id: Type.Optional(
    Type.Integer({ description: 'Identifier of the field; absent for a new field.', 'x-wire': true }),
  ),
  keyname: Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'Name in the API, unique in the layer; id and geom are reserved.',
  }),
  datatype: DatatypeSchema,
  display_name: Type.Optional(
    Type.String({
      minLength: 1,
      'x-default-from': 'keyname',
      description: 'Display name; defaults to the keyname.',
    }),
  ),
  label_field: Type.Optional(
    Type.Boolean({ default: false, description: 'Whether its values label the features.' }),
  ),
  grid_visibility: Type.Optional(
    Type.Boolean({ default: true, description: 'Whether feature tables show it.' }),
  ),
  text_search: Type.Optional(
    Type.Boolean({ default: true, description: 'Whether text search includes it.' }),
  ),
  lookup_table: Type.Optional(
    nullable(referenceObject(['lookup_table']), {
      default: null,
      description: 'Lookup table with the labels of its values.',
    }),
  ),
  typemod: Type.Optional(nullable(Type.Integer(), { readOnly: true, description: 'Always null.' })),
  delete: Type.Optional(
    Type.Boolean({
      writeOnly: true,
      'x-wire': true,
      description: 'Whether to delete the field and its values.',
    }),
  ),
})

/** One field of a layer, as on the wire. */
export type Field = Static<typeof FieldSchema>

/** Maximum number of fields of a layer: a PostgreSQL table has at most 1600 columns, including dropped ones. */
export const maxFields = 1500

/** Member `feature_layer` of every class with features. */
export const FeatureLayerMember = Type.Object({
  fields: Type.Array(FieldSchema, {
    maxItems: maxFields,
    description: 'Fields, in order.',
    'x-key': ['keyname'],
    'x-was': true,
    'x-data': 'deleting a field deletes its values',
    'x-read': 'datastruct.read',
    'x-write': 'datastruct.write',
  }),
})

/** Links on the page of a layer with features. */
export const featureLinks = [
  { route: 'feature.list', query: 'limit=100&geom=no', text: 'First features' },
  { route: 'feature.geojson', text: 'Export as GeoJSON' },
] as const satisfies readonly PageLink[]

/** Interfaces of layers with features. */
export const featureInterfaces = [
  'IBboxLayer',
  'IFeatureLayer',
  'IFilterableFeatureLayer',
  'IWritableFeatureLayer',
] as const
