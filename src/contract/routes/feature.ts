import { maxFields } from '../classes/feature_layer.ts'
import { nullable, oneOf } from '../descriptor.ts'
import { encodedExportTitles, exportEncodings, exportFormatNames } from '../export_formats.ts'
import { filterSrs } from '../geometry.ts'
import { maxConditions, maxFilterWkt, maxLayers, maxSearchText } from '../limits.ts'
import { FeatureParams, IdParams, list, query, type RouteDescriptor } from '../route.ts'
import { Type } from '../type.ts'
import { AttachmentEntry } from './attachment.ts'

/** Most features that one request writes. */
export const maxFeatures = 20_000

/** Most attachments of a feature. */
const maxAttachments = 1000

/** Longest description of a feature, in characters. */
const maxDescription = 1_000_000

/** What a feature has beside geometry and fields, as requests carry it; what is left out stays as it is. */
const ExtensionsBody = Type.Object(
  {
    description: Type.Optional(
      nullable(Type.String({ maxLength: maxDescription }), { description: 'Description; null for none.' }),
    ),
    attachment: Type.Optional(
      nullable(Type.Array(AttachmentEntry, { maxItems: maxAttachments }), {
        description: 'All attachments there are to be: those with an id stay, the others are new.',
      }),
    ),
  },
  { additionalProperties: true },
)

/** A feature as requests carry it; what is left out stays as it is. */
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
    extensions: Type.Optional(nullable(ExtensionsBody, { description: 'What it has beside.' })),
    delete: Type.Optional(Type.Boolean({ description: 'In a PATCH: deletes the feature.' })),
  },
  { additionalProperties: true },
)

const geomFormat = oneOf(['wkt', 'geojson'], { description: 'How geometries are written.' })
const srs = Type.Integer({
  minimum: 1,
  description: 'EPSG code of the geometries; the layer’s where absent.',
})
const dtFormat = oneOf(['obj', 'iso'], { description: 'How dates and times are written.' })

const readOptions = {
  geom: Type.Boolean({ description: 'Whether geometries are in the answer.' }),
  geom_format: geomFormat,
  srs,
  dt_format: dtFormat,
  fields: list(Type.String(), {
    maxItems: maxFields,
    description: 'Fields in the answer; all where absent.',
  }),
  extensions: list(Type.String(), {
    maxItems: 10,
    description: 'Extensions in the answer: description, attachment; both where absent.',
  }),
}

const writeQuery = query({
  geom_format: geomFormat,
  srs,
  dt_format: dtFormat,
  geom_null: Type.Boolean({ description: 'Whether geom: null empties the geometry.' }),
  geom_fit_z: Type.Boolean({
    description: 'Whether Z is dropped where the layer has none, and is 0 where the geometry has none.',
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
  like: Type.String({ maxLength: maxSearchText, description: 'Text that a text field has to contain.' }),
  ilike: Type.String({ maxLength: maxSearchText, description: 'The same, whatever the case.' }),
}

const listOptions = {
  ...readOptions,
  ...filters,
  limit: Type.Integer({ minimum: 0, description: 'Most features of the answer.' }),
  offset: Type.Integer({ minimum: 0, description: 'Features to skip.' }),
  order_by: list(Type.String(), {
    maxItems: 20,
    description: 'Fields to order by; a leading minus means descending.',
  }),
}

/** Words that say how a field is compared; without one it has to be equal. */
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

/** Parameters that filter by a field, or by the id. */
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
/** Box in degrees; its edges are null where there is no geometry. */
const Extent = Type.Object({ minLat: edge, maxLat: edge, minLon: edge, maxLon: edge })

/** Operations on the features of a layer. */
export const featureRoutes = {
  'feature.get': {
    ...item,
    method: 'GET',
    summary: 'One feature.',
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
    summary: 'Features of a layer.',
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
    summary: 'Features of a layer, for clients that cannot send a body with GET.',
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
    summary: 'Creates, changes and deletes features, all or nothing.',
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
    summary: 'Deletes the listed features, or all.',
    permission: 'data.write',
    response: Type.Union([Type.Array(Type.Integer()), Type.Boolean()]),
  },
  'feature.count': {
    route: 'feature_layer.feature.count',
    method: 'GET',
    path: '/api/resource/{id}/feature_count',
    summary: 'Number of features, and of those that filters let through.',
    params: IdParams,
    permission: 'data.read',
    query: query(filters),
    moreQuery: fieldFilters,
    response: Type.Object({ total_count: Type.Integer(), filtered_count: Type.Optional(Type.Integer()) }),
  },
  'layer.extent': {
    route: 'layer.extent',
    method: 'GET',
    path: '/api/resource/{id}/extent',
    summary: 'Extent of a layer in degrees, or of the features that filters let through.',
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
    summary: 'Extent in degrees of the features that filters let through.',
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
    summary: 'Extent of a feature in degrees.',
    params: FeatureParams,
    permission: 'data.read',
    response: Type.Object({ extent: Type.Union([Extent, Type.Null()]) }),
  },
  'feature.identify': {
    route: 'feature_layer.identify',
    method: 'POST',
    path: '/api/feature_layer/identify',
    summary: 'Features of some layers that intersect a polygon.',
    body: Type.Object({
      srs: Type.Integer({ minimum: 1, description: 'EPSG code of geom.' }),
      geom: Type.String({ maxLength: maxFilterWkt, description: 'WKT polygon.' }),
      layers: Type.Array(Type.Integer(), { maxItems: maxLayers, description: 'Layers to look into.' }),
    }),
    response: Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
  },
  'feature.geojson': {
    route: 'feature_layer.geojson',
    method: 'GET',
    path: '/api/resource/{id}/geojson',
    databaseUse: 'export',
    summary: 'The layer as a GeoJSON file.',
    params: IdParams,
    permission: 'data.read',
    responseKind: 'file',
  },
  'feature.export': {
    route: 'resource.export',
    method: 'GET',
    path: '/api/resource/{id}/export',
    databaseUse: 'export',
    summary: 'The layer as a file. What the format cannot hold is said in the header landform-notes.',
    params: IdParams,
    permission: 'data.read',
    query: query({
      ...filters,
      format: oneOf(exportFormatNames, { description: 'Name of the format; has to be given.' }),
      srs: Type.Integer({
        minimum: 1,
        description:
          'EPSG code of the coordinates; where absent, what is usual for the format, or the layer’s.',
      }),
      zipped: Type.Boolean({
        description:
          'Whether the file is packed; yes where absent, and always where a format takes several files.',
      }),
      fid: Type.String({ maxLength: 255, description: 'Field that receives the feature id.' }),
      encoding: Type.String({
        description: `Character encoding of ${encodedExportTitles}: ${exportEncodings.join(', where absent, or ')}.`,
      }),
      fields: list(Type.String(), {
        maxItems: maxFields,
        description: 'Keynames or ids of the fields, in order; all where absent.',
      }),
      display_name: Type.Boolean({ description: 'Whether fields are called by their display names.' }),
      intersects: Type.String({
        maxLength: maxFilterWkt,
        description: 'WKT; only features that intersect it.',
      }),
      intersects_srs: Type.Integer({
        minimum: 1,
        description: `EPSG code of intersects; ${filterSrs} where absent.`,
      }),
    }),
    moreQuery: fieldFilters,
    responseKind: 'file',
  },
} as const satisfies Record<string, RouteDescriptor>
