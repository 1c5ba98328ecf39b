import { maxFields } from '../classes/feature_layer.ts'
import { nullable, oneOf } from '../descriptor.ts'
import { encodedExportTitles, exportEncodings, exportFormatNames } from '../formats/export_formats.ts'
import { datatypes, filterSrs } from '../geometry.ts'
import { maxConditions, maxFilterWkt, maxSearchText } from '../limits.ts'
import { FeatureParams, IdParams, list, query, type RouteDescriptor } from '../route.ts'
import { Type } from '../schema/type.ts'
import { AttachmentEntry, maxAttachments, maxDescription } from './attachment.ts'

/** Maximum number of features in a write request. */
export const maxFeatures = 20_000

/** Extensions of a feature in requests; absent members keep their value. */
const ExtensionsBody = Type.Object(
  {
    description: Type.Optional(
      nullable(Type.String({ maxLength: maxDescription }), { description: 'Description; null removes it.' }),
    ),
    attachment: Type.Optional(
      nullable(Type.Array(AttachmentEntry, { maxItems: maxAttachments }), {
        description: 'Complete list of attachments: those with an id are kept, the others are created.',
      }),
    ),
  },
  { additionalProperties: true },
)

/** Feature in requests; absent members keep their value. */
const FeatureBody = Type.Object(
  {
    id: Type.Optional(Type.Integer({ description: 'Identifier.' })),
    geom: Type.Optional(
      nullable(Type.Union([Type.String(), Type.Unsafe<object>({ type: 'object' })]), {
        description: 'WKT, or GeoJSON with geom_format=geojson.',
      }),
    ),
    fields: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        maxProperties: maxFields,
        description: 'Values by field keyname.',
      }),
    ),
    extensions: Type.Optional(
      nullable(ExtensionsBody, { description: 'Extensions: description and attachments.' }),
    ),
    delete: Type.Optional(Type.Boolean({ description: 'In a PATCH: deletes the feature.' })),
  },
  { additionalProperties: true },
)

const geomFormat = oneOf(['wkt', 'geojson'], { description: 'Format of geometries.' })
const srs = Type.Integer({
  minimum: 1,
  description: 'EPSG code of the geometries; defaults to that of the layer.',
})
const dtFormat = oneOf(['obj', 'iso'], { description: 'Format of dates and times.' })

const readOptions = {
  geom: Type.Boolean({ description: 'Whether to return geometries.' }),
  geom_format: geomFormat,
  srs,
  dt_format: dtFormat,
  fields: list(Type.String(), {
    maxItems: maxFields,
    description: 'Fields to return; defaults to all.',
  }),
  extensions: list(Type.String(), {
    maxItems: 10,
    description: 'Extensions to return: description, attachment; defaults to both.',
  }),
}

const writeQuery = query({
  geom_format: geomFormat,
  srs,
  dt_format: dtFormat,
  geom_null: Type.Boolean({ description: 'Whether geom: null sets the geometry to null.' }),
  geom_fit_z: Type.Boolean({
    description: 'Whether to add Z = 0 or drop Z to match the geometry type of the layer.',
  }),
})

const filters = {
  intersects: Type.String({
    maxLength: maxFilterWkt,
    description: `WKT in EPSG:${filterSrs}; only features that intersect it.`,
  }),
  bbox: list(Type.Number(), {
    maxItems: 4,
    description: `minx, miny, maxx, maxy in EPSG:${filterSrs}; only features that intersect the box.`,
  }),
  like: Type.String({
    maxLength: maxSearchText,
    description: 'Substring to find in string fields, case-sensitive.',
  }),
  ilike: Type.String({
    maxLength: maxSearchText,
    description: 'Substring to find in string fields, case-insensitive.',
  }),
}

const listOptions = {
  ...readOptions,
  ...filters,
  limit: Type.Integer({ minimum: 0, description: 'Maximum number of features to return.' }),
  offset: Type.Integer({ minimum: 0, description: 'Number of features to skip.' }),
  order_by: list(Type.String(), {
    maxItems: 20,
    description: 'Fields to sort by; a leading minus means descending.',
  }),
}

/** Comparison operators of field filters; equality needs no operator. */
export const filterOperators = [
  'eq',
  'ne',
  'gt',
  'ge',
  'lt',
  'le',
  'like',
  'ilike',
  'startswith',
  'isnull',
  'in',
  'notin',
] as const

/** Query parameters that filter by a field or by id. */
const fieldFilters = {
  pattern: '^(fld_.*|id(__[a-z]+)?)$',
  examples: ['fld_{keyname}', 'id'].flatMap((name) => [
    name,
    ...filterOperators.map((word) => `${name}__${word}`),
  ]),
  maxCount: maxConditions,
} as const

const item = {
  route: 'feature_layer.feature.item',
  path: '/api/resource/{id}/feature/{fid}',
  params: FeatureParams,
} as const
const collection = {
  route: 'feature_layer.feature.collection',
  path: '/api/resource/{id}/feature/',
  params: IdParams,
} as const
const IdAnswer = Type.Object({ id: Type.Integer() })
const edge = Type.Union([Type.Number(), Type.Null()])
/** Extent in degrees, null if no feature has a geometry. */
const Extent = Type.Object({ minLat: edge, maxLat: edge, minLon: edge, maxLon: edge })

/** Operations on the features of a layer. */
export const featureRoutes = {
  'feature.get': {
    ...item,
    method: 'GET',
    summary: 'Returns a feature.',
    permission: 'data.read',
    query: query(readOptions),
  },
  'feature.update': {
    ...item,
    method: 'PUT',
    summary: 'Changes a feature.',
    permission: 'data.write',
    query: writeQuery,
    body: FeatureBody,
    bodySize: 'large',
    hasLongNumbers: true,
    response: IdAnswer,
  },
  'feature.delete': {
    ...item,
    method: 'DELETE',
    summary: 'Deletes a feature.',
    permission: 'data.write',
    response: IdAnswer,
  },
  'feature.list': {
    ...collection,
    method: 'GET',
    databaseUse: 'export',
    summary: 'Lists the features of a layer.',
    permission: 'data.read',
    query: query(listOptions),
    moreQuery: fieldFilters,
    responseKind: 'stream',
  },
  'feature.search': {
    route: 'landform.feature.search',
    method: 'POST',
    path: '/api/resource/{id}/feature/search',
    databaseUse: 'export',
    summary: 'Lists the features of a layer, for clients that cannot send a body with GET.',
    params: IdParams,
    permission: 'data.read',
    query: query(listOptions),
    moreQuery: fieldFilters,
    body: Type.Object({ intersects: Type.Optional(filters.intersects) }),
    responseKind: 'stream',
  },
  'feature.create': {
    ...collection,
    method: 'POST',
    takesKey: true,
    summary: 'Creates a feature.',
    permission: 'data.write',
    query: writeQuery,
    body: FeatureBody,
    bodySize: 'large',
    hasLongNumbers: true,
    response: IdAnswer,
  },
  'feature.patch': {
    ...collection,
    method: 'PATCH',
    takesKey: true,
    databaseUse: 'load',
    summary: 'Creates, changes and deletes features in one transaction.',
    permission: 'data.write',
    query: writeQuery,
    body: Type.Array(FeatureBody, { maxItems: maxFeatures }),
    hasLongNumbers: true,
    bodyKind: 'stream',
    bodySize: 'streamed',
    response: Type.Array(IdAnswer),
  },
  'feature.delete_many': {
    ...collection,
    method: 'DELETE',
    databaseUse: 'load',
    summary: 'Deletes the listed features, or all features.',
    permission: 'data.write',
    response: Type.Union([Type.Array(Type.Integer()), Type.Boolean()]),
  },
  'feature.count': {
    route: 'feature_layer.feature.count',
    method: 'GET',
    path: '/api/resource/{id}/feature_count',
    summary: 'Returns the number of features, in total and matching the filters.',
    params: IdParams,
    permission: 'data.read',
    query: query(filters),
    moreQuery: fieldFilters,
    response: Type.Object({ total_count: Type.Integer(), filtered_count: Type.Optional(Type.Integer()) }),
  },
  'feature.conversion': {
    route: 'landform.feature.conversion',
    method: 'GET',
    path: '/api/resource/{id}/feature_conversion',
    summary: 'Counts the values of a field that cannot be converted to another datatype.',
    params: IdParams,
    permission: 'data.read',
    query: query({
      field: Type.String({ description: 'Keyname of the field; required.' }),
      datatype: oneOf([...datatypes], { description: 'Datatype to convert to; required.' }),
    }),
    response: Type.Object({
      count: Type.Integer({ description: 'Number of features whose value cannot be converted.' }),
    }),
  },
  'feature.digest': {
    route: 'landform.feature.digest',
    method: 'GET',
    path: '/api/resource/{id}/feature_digest',
    databaseUse: 'export',
    summary:
      'Returns digests of the features of a layer, to compare them with other data without reading the features.',
    params: IdParams,
    permission: 'data.read',
    query: query({
      key: list(Type.String(), {
        maxItems: maxFields,
        description: 'Fields that identify a feature; required.',
      }),
      fields: list(Type.String(), {
        maxItems: maxFields,
        description: 'Fields that the digests cover, in order, after the geometry; defaults to all.',
      }),
    }),
    responseKind: 'stream',
  },
  'feature.extensions': {
    route: 'landform.feature.extensions',
    method: 'GET',
    path: '/api/resource/{id}/feature_extensions',
    databaseUse: 'export',
    summary:
      'Lists the features of a layer with a description or attachments, by key, in the order of their ids.',
    params: IdParams,
    permission: 'data.read',
    query: query({
      key: Type.String({ description: 'Field whose values to list with the features, as `key`.' }),
    }),
    responseKind: 'stream',
  },
  'layer.extent': {
    route: 'layer.extent',
    method: 'GET',
    path: '/api/resource/{id}/extent',
    summary: 'Returns the extent of a layer, or of the features that match the filters, in degrees.',
    params: IdParams,
    permission: 'data.read',
    query: query(filters),
    moreQuery: fieldFilters,
    response: Type.Object({ extent: Extent }),
  },
  'feature.extent': {
    route: 'feature_layer.feature.extent',
    method: 'GET',
    path: '/api/resource/{id}/feature_extent',
    summary: 'Returns the extent of the features that match the filters, in degrees.',
    params: IdParams,
    permission: 'data.read',
    query: query(filters),
    moreQuery: fieldFilters,
    response: Extent,
  },
  'feature.item_extent': {
    route: 'feature_layer.feature.item_extent',
    method: 'GET',
    path: '/api/resource/{id}/feature/{fid}/extent',
    summary: 'Returns the extent of a feature, in degrees.',
    params: FeatureParams,
    permission: 'data.read',
    response: Type.Object({ extent: Type.Union([Extent, Type.Null()]) }),
  },
  'feature.geojson': {
    route: 'feature_layer.geojson',
    method: 'GET',
    path: '/api/resource/{id}/geojson',
    databaseUse: 'export',
    summary: 'Exports the layer as a GeoJSON file.',
    params: IdParams,
    permission: 'data.read',
    responseKind: 'file',
  },
  'feature.export': {
    route: 'resource.export',
    method: 'GET',
    path: '/api/resource/{id}/export',
    databaseUse: 'export',
    summary:
      'Exports the layer as a file. The header landform-notes lists data that the format cannot represent.',
    params: IdParams,
    permission: 'data.read',
    query: query({
      ...filters,
      format: oneOf(exportFormatNames, { description: 'Name of the format; required.' }),
      srs: Type.Integer({
        minimum: 1,
        description: 'EPSG code of the coordinates; defaults to that of the format, else of the layer.',
      }),
      zipped: Type.Boolean({
        description:
          'Whether to return a ZIP archive; defaults to true, and is always true for formats with several files.',
      }),
      fid: Type.String({ maxLength: 255, description: 'Name of the field for the feature id.' }),
      encoding: Type.String({
        description: `Character encoding of ${encodedExportTitles}: ${exportEncodings.join(', where absent, or ')}.`,
      }),
      fields: list(Type.String(), {
        maxItems: maxFields,
        description: 'Keynames or ids of the fields, in order; defaults to all.',
      }),
      display_name: Type.Boolean({ description: 'Whether to name fields by their display names.' }),
      intersects: Type.String({
        maxLength: maxFilterWkt,
        description: 'WKT; only features that intersect it.',
      }),
      intersects_srs: Type.Integer({
        minimum: 1,
        description: `EPSG code of intersects; defaults to ${filterSrs}.`,
      }),
    }),
    moreQuery: fieldFilters,
    responseKind: 'file',
  },
} as const satisfies Record<string, RouteDescriptor>
