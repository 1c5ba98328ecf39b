import { annotate, type ClassDescriptor, nullable, oneOf, referenceObject } from '../descriptor.ts'
import { GeometryTypeSchema } from '../schema/geometry_schema.ts'
import { Type } from '../schema/type.ts'
import { FeatureLayerMember, featureInterfaces, featureLinks } from './feature_layer.ts'
import { dataOfConnection } from './style.ts'

const structure = { 'x-read': 'datastruct.read', 'x-write': 'datastruct.write' } as const

/** Class geodb_layer. */
export const geodbLayer = {
  label: 'Spatial database layer',
  meaning: 'A layer of a table in an external PostGIS database.',
  scopes: ['resource', 'datastruct', 'data', 'metadata'],
  parents: ['resource_group'],
  interfaces: featureInterfaces,
  order: 60,
  links: featureLinks,
  requires: dataOfConnection,
  members: {
    geodb_layer: Type.Object({
      connection: referenceObject(['geodb_connection'], {
        ...structure,
        description: 'Connection to the database.',
      }),
      schema: Type.String({ minLength: 1, ...structure, description: 'Schema of the table.' }),
      table: Type.String({ minLength: 1, ...structure, description: 'Table.' }),
      column_id: Type.String({ minLength: 1, ...structure, description: 'Primary key column.' }),
      column_geom: Type.String({ minLength: 1, ...structure, description: 'Geometry column.' }),
      geometry_type: Type.Optional(
        nullable(annotate(GeometryTypeSchema, {}), {
          ...structure,
          default: null,
          'x-null-found': true,
          description: 'Geometry type; null detects it from the table.',
        }),
      ),
      srs: Type.Optional(
        Type.Object(
          { id: Type.Integer({ description: 'EPSG code.' }) },
          {
            ...structure,
            description: 'Coordinate reference system of the table; detected from the table if absent.',
          },
        ),
      ),
      fields: Type.Optional(
        oneOf(['update', 'keep'], {
          writeOnly: true,
          'x-wire': true,
          'x-write': 'datastruct.write',
          description: 'Whether to read the fields from the table again.',
        }),
      ),
    }),
    feature_layer: FeatureLayerMember,
  },
} as const satisfies ClassDescriptor
