import { SourceSchema } from '../bodies/resource.ts'
import { annotate, type ClassDescriptor, nullable, oneOf } from '../descriptor.ts'
import { loadedSrs } from '../geometry.ts'
import { GeometryTypeSchema } from '../schema/geometry_schema.ts'
import { Type } from '../schema/type.ts'
import { FeatureExtensionsSchema } from './feature_extensions.ts'
import {
  FeatureLayerMember,
  FieldSchema,
  featureInterfaces,
  featureLinks,
  maxFields,
} from './feature_layer.ts'

const structure = { 'x-read': 'datastruct.read', 'x-write': 'datastruct.write' } as const
const load = { writeOnly: true, 'x-write': 'data.write' } as const

/** Options for loading a source into a layer. */
export const loadOptions = {
  source_layer: Type.Optional(
    Type.String({ ...load, description: 'Layer of the source to load; required if the source has several.' }),
  ),
  cast_geometry_type: Type.Optional(
    nullable(oneOf(['POINT', 'LINESTRING', 'POLYGON']), {
      ...load,
      default: null,
      description: 'Geometry family of the layer; null detects it.',
    }),
  ),
  cast_is_multi: Type.Optional(
    nullable(Type.Boolean(), {
      ...load,
      default: null,
      description: 'Whether geometries are multi-part; null detects it.',
    }),
  ),
  cast_has_z: Type.Optional(
    nullable(Type.Boolean(), {
      ...load,
      default: null,
      description: 'Whether geometries have Z; null detects it.',
    }),
  ),
  skip_other_geometry_types: Type.Optional(
    Type.Boolean({
      ...load,
      default: false,
      description: 'Skip features with geometry families other than cast_geometry_type.',
    }),
  ),
  fix_errors: Type.Optional(
    oneOf(['NONE', 'SAFE', 'LOSSY'], {
      ...load,
      default: 'NONE',
      description:
        'Repair of invalid geometries and split at the antimeridian: NONE, SAFE (without loss) or LOSSY.',
    }),
  ),
  skip_errors: Type.Optional(
    Type.Boolean({ ...load, default: false, description: 'Skip invalid features and report them.' }),
  ),
  fid_source: Type.Optional(
    oneOf(['SEQUENCE', 'FIELD', 'AUTO'], {
      ...load,
      default: 'SEQUENCE',
      description:
        'Source of feature ids: SEQUENCE counts from 1, FIELD reads fid_field, AUTO reads fid_field if the source has it.',
    }),
  ),
  fid_field: Type.Optional(
    Type.Unsafe<string | readonly string[]>({
      ...load,
      type: ['string', 'array'],
      items: { type: 'string' },
      maxItems: maxFields,
      description: 'Field with the feature ids; the first existing one of a comma-separated list.',
    }),
  ),
  keep_fields: Type.Optional(
    Type.Boolean({
      ...load,
      default: false,
      description:
        'Keep the fields of the layer: values are converted to their datatypes, and other fields of the source are ignored.',
    }),
  ),
}

/** Class vector_layer. */
export const vectorLayer = {
  label: 'Vector layer',
  meaning: 'A layer with features stored on the server.',
  scopes: ['resource', 'datastruct', 'data', 'metadata'],
  parents: ['resource_group'],
  interfaces: featureInterfaces,
  order: 60,
  data: { content: 'features', srs: loadedSrs, options: loadOptions, structure: ['geometry_type', 'srs'] },
  extensions: 'feature_extensions',
  links: featureLinks,
  members: {
    vector_layer: Type.Object({
      srs: Type.Optional(
        Type.Object(
          { id: Type.Integer({ description: 'EPSG code.' }) },
          {
            ...structure,
            'x-replace': 'the coordinate reference system of a layer is fixed',
            description: 'Coordinate reference system of the layer.',
          },
        ),
      ),
      geometry_type: Type.Optional(
        annotate(GeometryTypeSchema, {
          ...structure,
          'x-replace': 'the geometry family of a layer is fixed',
        }),
      ),
      data_version: Type.Optional(
        Type.Integer({
          readOnly: true,
          'x-extension': true,
          ...structure,
          description: 'Version of the data, incremented with each change.',
        }),
      ),
      extensions_version: Type.Optional(
        Type.Integer({
          readOnly: true,
          'x-extension': true,
          ...structure,
          description: 'Version of descriptions and attachments of features, incremented with each change.',
        }),
      ),
      fields: Type.Optional(
        Type.Array(FieldSchema, {
          maxItems: maxFields,
          writeOnly: true,
          'x-wire': true,
          'x-write': 'datastruct.write',
          description: 'Fields of a new, empty layer.',
        }),
      ),
      source: Type.Optional(
        annotate(SourceSchema, { ...load, 'x-wire': true, description: 'Upload of the features.' }),
      ),
      delete_all_features: Type.Optional(
        Type.Boolean({ ...load, 'x-wire': true, description: 'Whether to delete all features.' }),
      ),
      feature_changes: Type.Optional(
        Type.Object(
          {
            source: annotate(SourceSchema, {
              description: 'Upload with a JSON list of changes, as in a PATCH of features.',
            }),
            data_version: Type.Integer({ description: 'Version of the data that the changes are based on.' }),
          },
          {
            ...load,
            'x-wire': true,
            description:
              'Changes of features, in the transaction of the request. Dates are ISO 8601 strings.',
          },
        ),
      ),
      if_data_version: Type.Optional(
        Type.Integer({
          ...load,
          'x-wire': true,
          description:
            'Version of the data that the change is based on; the request fails if they have another.',
        }),
      ),
      if_extensions_version: Type.Optional(
        Type.Integer({
          ...load,
          'x-wire': true,
          description:
            'Version of descriptions and attachments of features that the change is based on; the request fails if they have another.',
        }),
      ),
      feature_extensions: Type.Optional(
        annotate(FeatureExtensionsSchema, {
          ...load,
          'x-wire': true,
          description: 'Changes of descriptions and attachments of features, after those of the data.',
        }),
      ),
      ...loadOptions,
    }),
    feature_layer: FeatureLayerMember,
  },
} as const satisfies ClassDescriptor
