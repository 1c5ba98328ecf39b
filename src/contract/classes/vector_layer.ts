import { annotate, type ClassDescriptor, nullable, oneOf } from '../descriptor.ts'
import { loadedSrs } from '../geometry.ts'
import { GeometryTypeSchema } from '../geometry_schema.ts'
import { SourceSchema } from '../resource.ts'
import { Type } from '../type.ts'
import {
  FeatureLayerMember,
  FieldSchema,
  featureInterfaces,
  featureLinks,
  maxFields,
} from './feature_layer.ts'

const structure = { 'x-read': 'datastruct.read', 'x-write': 'datastruct.write' } as const
const load = { writeOnly: true, 'x-write': 'data.write' } as const

/** Options that say how a source becomes a layer. */
export const loadOptions = {
  source_layer: Type.Optional(
    Type.String({ ...load, description: 'Layer of the source to take, where it has several.' }),
  ),
  cast_geometry_type: Type.Optional(
    nullable(oneOf(['POINT', 'LINESTRING', 'POLYGON']), {
      ...load,
      default: null,
      description: 'Geometry family to take; null detects it.',
    }),
  ),
  cast_is_multi: Type.Optional(
    nullable(Type.Boolean(), {
      ...load,
      default: null,
      description: 'Whether geometries are multi; null detects it.',
    }),
  ),
  cast_has_z: Type.Optional(
    nullable(Type.Boolean(), {
      ...load,
      default: null,
      description: 'Whether positions have Z; null detects it.',
    }),
  ),
  skip_other_geometry_types: Type.Optional(
    Type.Boolean({
      ...load,
      default: false,
      description: 'Leave out geometries of other families than cast_geometry_type.',
    }),
  ),
  fix_errors: Type.Optional(
    oneOf(['NONE', 'SAFE', 'LOSSY'], {
      ...load,
      default: 'NONE',
      description:
        'Mend bad geometries, and cut at the antimeridian what runs over it: not at all, without loss, or whatever it takes.',
    }),
  ),
  skip_errors: Type.Optional(
    Type.Boolean({ ...load, default: false, description: 'Leave bad features out and report them.' }),
  ),
  fid_source: Type.Optional(
    oneOf(['SEQUENCE', 'FIELD', 'AUTO'], {
      ...load,
      default: 'SEQUENCE',
      description:
        'Where ids come from: counted from 1, from fid_field, or from fid_field where there is one.',
    }),
  ),
  fid_field: Type.Optional(
    Type.Unsafe<string | readonly string[]>({
      ...load,
      type: ['string', 'array'],
      items: { type: 'string' },
      maxItems: maxFields,
      description: 'Field that holds the ids; of several, with commas between, the first that there is.',
    }),
  ),
  keep_fields: Type.Optional(
    Type.Boolean({
      ...load,
      default: false,
      description:
        'Load into the fields the layer has: values are converted to them, other fields of the source are left out.',
    }),
  ),
}

/** Class vector_layer. */
export const vectorLayer = {
  label: 'Vector layer',
  meaning: 'Features that the service stores itself.',
  scopes: ['resource', 'datastruct', 'data', 'metadata'],
  parents: ['resource_group'],
  interfaces: featureInterfaces,
  order: 60,
  data: { content: 'features', srs: loadedSrs, options: loadOptions, structure: ['geometry_type', 'srs'] },
  links: featureLinks,
  members: {
    vector_layer: Type.Object({
      srs: Type.Optional(
        Type.Object(
          { id: Type.Integer({ description: 'EPSG code.' }) },
          {
            ...structure,
            'x-replace': 'the reference system of a layer is fixed',
            description: 'Reference system the layer is stored in.',
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
          'x-extra': true,
          ...structure,
          description: 'Counts the changes of the features.',
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
        annotate(SourceSchema, { ...load, 'x-wire': true, description: 'Upload that holds the features.' }),
      ),
      delete_all_features: Type.Optional(
        Type.Boolean({ ...load, 'x-wire': true, description: 'Deletes all features.' }),
      ),
      ...loadOptions,
    }),
    feature_layer: FeatureLayerMember,
  },
} as const satisfies ClassDescriptor
