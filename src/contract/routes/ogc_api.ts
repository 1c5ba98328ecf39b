import { IdParams, query, type RouteDescriptor } from '../route.ts'
import { Type } from '../schema/type.ts'

const CollectionParams = Type.Object({
  ...IdParams.properties,
  collection: Type.String({ description: 'Key of the published layer.' }),
})

const f = Type.String({ description: 'Format: json or html; by the header Accept if absent.' })

const base = '/api/resource/{id}/ogcapi'
const collection = `${base}/collections/{collection}`

/** Properties that documents of a service share. */
const document = {
  method: 'GET',
  errors: 'ogcapi',
  params: IdParams,
  query: query({ f }),
  responseKind: 'stream',
} as const

const ofCollection = { ...document, params: CollectionParams } as const

const TileParams = Type.Object({
  ...CollectionParams.properties,
  set: Type.String({ description: 'Tile matrix set: WebMercatorQuad.' }),
  z: Type.Integer({ minimum: 0, description: 'Zoom level.' }),
  y: Type.Integer({ minimum: 0, description: 'Row of the tile, from the north.' }),
  x: Type.Integer({ minimum: 0, description: 'Column of the tile.' }),
})

/** Operations of OGC API Features and OGC API Tiles for WFS services. @see OGC 17-069r4, OGC 20-057 */
export const ogcApiRoutes = {
  'ogcapi.landing': {
    ...document,
    route: 'wfsserver.ogcapi',
    path: base,
    summary: 'Returns the landing page of the OGC API of a WFS service.',
  },
  'ogcapi.definition': {
    ...document,
    route: 'wfsserver.ogcapi.definition',
    path: `${base}/api`,
    summary: 'Returns the definition of the OGC API of a service as OpenAPI 3.0.',
  },
  'ogcapi.conformance': {
    ...document,
    route: 'wfsserver.ogcapi.conformance',
    path: `${base}/conformance`,
    summary: 'Returns the conformance classes of the OGC API.',
  },
  'ogcapi.collections': {
    ...document,
    route: 'wfsserver.ogcapi.collections',
    path: `${base}/collections`,
    summary: 'Returns the published layers that the caller may read.',
  },
  'ogcapi.collection': {
    ...ofCollection,
    route: 'wfsserver.ogcapi.collection',
    path: collection,
    summary: 'Returns the description of a published layer.',
  },
  'ogcapi.queryables': {
    ...ofCollection,
    route: 'wfsserver.ogcapi.queryables',
    path: `${collection}/queryables`,
    summary: 'Returns the properties of a published layer that filters may use, as JSON Schema.',
  },
  'ogcapi.items': {
    ...ofCollection,
    route: 'wfsserver.ogcapi.items',
    path: `${collection}/items`,
    databaseUse: 'export',
    query: query({}),
    moreQuery: { pattern: '', examples: ['limit', 'bbox', 'filter', '{keyname}'], maxCount: 100 },
    summary: 'Returns features by page as GeoJSON or HTML, filtered by parameters or CQL2 text.',
  },
  'ogcapi.item': {
    ...ofCollection,
    route: 'wfsserver.ogcapi.item',
    path: `${collection}/items/{fid}`,
    params: Type.Object({
      ...CollectionParams.properties,
      fid: Type.Integer({ description: 'Feature.' }),
    }),
    query: query({
      f,
      crs: Type.String({ description: 'URI of the reference system of the coordinates.' }),
    }),
    summary: 'Returns a feature as GeoJSON or HTML.',
  },
  'ogcapi.tile_matrix_sets': {
    ...document,
    route: 'wfsserver.ogcapi.tile_matrix_sets',
    path: `${base}/tileMatrixSets`,
    summary: 'Returns the tile matrix sets of the OGC API.',
  },
  'ogcapi.tile_matrix_set': {
    ...document,
    route: 'wfsserver.ogcapi.tile_matrix_set',
    path: `${base}/tileMatrixSets/{set}`,
    params: Type.Object({ ...IdParams.properties, set: TileParams.properties.set }),
    summary: 'Returns the definition of a tile matrix set.',
  },
  'ogcapi.tilesets': {
    ...ofCollection,
    route: 'wfsserver.ogcapi.tilesets',
    path: `${collection}/tiles`,
    summary: 'Returns the tilesets of a published layer.',
  },
  'ogcapi.tileset': {
    ...ofCollection,
    route: 'wfsserver.ogcapi.tileset',
    path: `${collection}/tiles/{set}`,
    params: Type.Object({ ...CollectionParams.properties, set: TileParams.properties.set }),
    summary: 'Returns the description of the vector tiles of a published layer.',
  },
  'ogcapi.tile': {
    ...document,
    route: 'wfsserver.ogcapi.tile',
    path: `${collection}/tiles/{set}/{z}/{y}/{x}`,
    params: TileParams,
    query: query({}),
    responseKind: 'tile',
    summary: 'Returns a vector tile of a published layer.',
  },
} as const satisfies Record<string, RouteDescriptor>
