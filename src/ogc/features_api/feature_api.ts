import { type Datatype, geometryParts } from '../../contract/geometry.ts'
import type { Bbox } from '../../geo/bbox.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import { announcedSystems } from '../reference_system.ts'

/** A layer as OGC API publishes it. */
export interface Collection {
  readonly id: string
  readonly title: string
  /** Plain text, in documents that state it. */
  readonly description?: string | undefined
  readonly layer: Layer
  /** EPSG codes of further reference systems in which it is offered. */
  readonly systems: readonly number[]
  /** Maximum number of features in a response. */
  readonly maxFeatures: number | null
  /** Extent in degrees; undefined if it is not known. */
  readonly extent?: Bbox | undefined
}

/** A service, as a caller sees it. */
export interface FeatureApi {
  readonly title: string
  /** Plain text, in documents that state it. */
  readonly description?: string | undefined
  /** Address of the landing page, without a query and a slash at its end. */
  readonly url: string
  /** EPSG codes of further reference systems in which all collections are offered. */
  readonly systems: readonly number[]
  readonly collections: readonly Collection[]
}

/** A link of a document. @see RFC 8288 */
export interface Link {
  readonly href: string
  readonly rel: string
  readonly type: string
  readonly title: string
}

/** Media types of the formats. */
export const mediaTypes = {
  json: 'application/json',
  geojson: 'application/geo+json',
  html: 'text/html',
  openapi: 'application/vnd.oai.openapi+json;version=3.0',
  schema: 'application/schema+json',
  mvt: 'application/vnd.mapbox-vector-tile',
} as const

/** Reference system of coordinates by default: longitude and latitude in degrees. */
export const crs84 = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84'

/** Returns the URI of an EPSG reference system, with coordinates in the order of the authority. */
export const epsgUri = (srs: number): string => `http://www.opengis.net/def/crs/EPSG/0/${srs}`

/** Lists the reference systems in which the features of a collection are offered. @see OGC 18-058r1 clause 6.2 */
export function crsListOf({ layer, systems }: Pick<Collection, 'layer' | 'systems'>): string[] {
  return [crs84, ...announcedSystems([layer.srs, ...systems]).map(epsgUri)]
}

/** Conformance classes. */
export const conformance: readonly string[] = [
  ...['core', 'geojson', 'html', 'oas30'].map(
    (name) => `http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/${name}`,
  ),
  'http://www.opengis.net/spec/ogcapi-features-2/1.0/conf/crs',
  ...['filter', 'features-filter', 'queryables', 'queryables-query-parameters'].map(
    (name) => `http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/${name}`,
  ),
  ...[
    'cql2-text',
    'basic-cql2',
    'advanced-comparison-operators',
    'case-insensitive-comparison',
    'basic-spatial-functions',
    'basic-spatial-functions-plus',
    'spatial-functions',
    'property-property',
  ].map((name) => `http://www.opengis.net/spec/cql2/1.0/conf/${name}`),
  ...['core', 'tileset', 'tilesets-list', 'geodata-tilesets', 'mvt'].map(
    (name) => `http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/${name}`,
  ),
]

/** Returns the address of a resource of a collection. */
export function collectionUrl({ url }: FeatureApi, { id }: Pick<Collection, 'id'>, path = ''): string {
  return `${url}/collections/${encodeURIComponent(id)}${path}`
}

/** Returns the links of a document to itself in each format. */
export function selfLinks(url: string, type: keyof typeof mediaTypes = 'json'): Link[] {
  return [
    { href: `${url}?f=json`, rel: 'self', type: mediaTypes[type], title: 'This document' },
    { href: `${url}?f=html`, rel: 'alternate', type: mediaTypes.html, title: 'This document as HTML' },
  ]
}

/** Returns the landing page. @see OGC 17-069r4 clause 7.2 */
export function landingDocument({ title, description, url }: FeatureApi) {
  const link = (path: string, rel: string, more: Pick<Link, 'type' | 'title'>): Link => ({
    href: `${url}${path}`,
    rel,
    ...more,
  })
  const { json, openapi } = mediaTypes
  return {
    title,
    ...(description === undefined ? {} : { description }),
    links: [
      ...selfLinks(url),
      link('/api', 'service-desc', { type: openapi, title: 'Definition of the API' }),
      link('/api?f=html', 'service-doc', { type: mediaTypes.html, title: 'Documentation of the API' }),
      link('/conformance', 'conformance', { type: json, title: 'Conformance classes' }),
      link('/collections', 'data', { type: json, title: 'Collections' }),
      link('/tileMatrixSets', 'http://www.opengis.net/def/rel/ogc/1.0/tiling-schemes', {
        type: json,
        title: 'Tile matrix sets',
      }),
    ],
  }
}

/** Returns the list of collections. @see OGC 17-069r4 clause 7.13 */
export function collectionsDocument(api: FeatureApi) {
  const url = `${api.url}/collections`
  return {
    links: selfLinks(url),
    crs: [crs84, ...announcedSystems(api.systems).map(epsgUri)],
    collections: api.collections.map((collection) => collectionDocument(api, collection)),
  }
}

/** Returns the description of a collection. @see OGC 17-069r4 clause 7.14, OGC 18-058r1 clause 6.2 */
export function collectionDocument(api: FeatureApi, collection: Collection) {
  const { id, title, description, extent, layer } = collection
  const url = collectionUrl(api, collection)
  const { geojson, html, schema } = mediaTypes
  return {
    id,
    title,
    ...(description === undefined ? {} : { description }),
    ...(extent === undefined ? {} : { extent: { spatial: { bbox: [extent], crs: crs84 } } }),
    itemType: 'feature',
    crs: crsListOf(collection),
    storageCrs: epsgUri(layer.srs),
    links: [
      ...selfLinks(url),
      { href: `${url}/items?f=json`, rel: 'items', type: geojson, title: `${title} as GeoJSON` },
      { href: `${url}/items?f=html`, rel: 'items', type: html, title: `${title} as HTML` },
      {
        href: `${url}/queryables`,
        rel: 'http://www.opengis.net/def/rel/ogc/1.0/queryables',
        type: schema,
        title: 'Queryable properties',
      },
      {
        href: `${url}/tiles`,
        rel: 'http://www.opengis.net/def/rel/ogc/1.0/tilesets-vector',
        type: mediaTypes.json,
        title: 'Vector tiles',
      },
    ],
  }
}

/** JSON Schemas of datatypes. */
const datatypeSchemas: Readonly<Record<Datatype, object>> = {
  INTEGER: { type: 'integer' },
  BIGINT: { type: 'integer' },
  REAL: { type: 'number' },
  STRING: { type: 'string' },
  DATE: { type: 'string', format: 'date' },
  TIME: { type: 'string', format: 'time' },
  DATETIME: { type: 'string', format: 'date-time' },
}

/** Name of the geometry in filters. */
export const geometryQueryable = 'geometry'

/** Returns the properties that filters may use. @see OGC 19-079r2 clause 6 */
export function queryablesDocument(api: FeatureApi, collection: Collection) {
  const { layer, title } = collection
  const { family, isMulti } = geometryParts(layer.geometryType)
  const format = `geometry-${isMulti ? 'multi' : ''}${family.toLowerCase()}`
  const fields = layer.fields.map(({ keyname, displayName, datatype }) => [
    keyname,
    { title: displayName, ...datatypeSchemas[datatype] },
  ])
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: collectionUrl(api, collection, '/queryables'),
    type: 'object',
    title,
    properties: {
      id: { title: 'Id', type: 'integer', 'x-ogc-role': 'id' },
      [geometryQueryable]: { 'x-ogc-role': 'primary-geometry', format },
      ...Object.fromEntries(fields),
    },
    additionalProperties: false,
  }
}
