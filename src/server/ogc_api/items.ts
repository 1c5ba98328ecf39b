import { problem } from '../../contract/problems.ts'
import { queriesUntil } from '../../database/database.ts'
import {
  type Collection,
  collectionUrl,
  type FeatureApi,
  type Link,
  mediaTypes,
} from '../../ogc/features_api/feature_api.ts'
import { type ItemQuery, readItemQuery } from '../../ogc/features_api/item_query.ts'
import { geojsonStatement } from '../../store/feature/export_rows.ts'
import type { FeatureFilter } from '../../store/feature/feature_filter.ts'
import { geometryProblem } from '../../store/feature/feature_sql.ts'
import { checkFilterCost } from '../../store/feature/filter_cost.ts'
import { countMatching } from '../../store/feature/layer_extent.ts'
import { streamFeatures } from '../export/geojson_export.ts'
import { splitReading } from '../features/read_parts.ts'
import { findDatabase } from '../geodb/geodb_session.ts'
import type { Answer, ApiRequest } from '../http/handler.ts'
import { itemPage, itemsPage, type PageFeature } from '../pages/ogc_api_page.ts'
import { findNorthFirst } from '../wfs/north_first.ts'
import { htmlAnswer, readFormat } from './answer_document.ts'
import { findCollection, type OgcApiRequest, openApi } from './open_api.ts'

type ItemsRequest = ApiRequest<'ogcapi.items'>

/** A request for features, and what it selects. */
interface Selection {
  readonly request: OgcApiRequest
  readonly api: FeatureApi
  readonly collection: Collection
  readonly query: ItemQuery
  readonly filter: FeatureFilter
}

/**
 * Answers with a page of the features of a collection.
 *
 * @throws {Problem} request/invalid, request/not-found, feature/invalid
 */
export async function answerItems(request: ItemsRequest): Promise<Answer> {
  const { context, params, more, headers } = request
  const parameters = new Map(more)
  const format = readFormat(parameters.get('f'), headers)
  const api = await openApi(request)
  const collection = findCollection(api, params.collection)
  const northFirst = await findNorthFirst(context.database)
  const query = readItemQuery(parameters, { collection, northFirst })
  const filter = query.filter === undefined ? {} : { expression: query.filter }
  const selection = { request, api, collection, query, filter }
  const matched = await countItems(selection).catch(rethrow)
  const returned = Math.max(0, Math.min(query.limit, matched - query.offset))
  const links = pageLinks(selection, parameters, { matched, returned })
  const counts = { numberMatched: matched, numberReturned: returned }
  const head = { ...counts, timeStamp: new Date().toISOString(), links }
  if (format === 'html') {
    const text = await readText(await readItems(selection, returned, '[').catch(rethrow))
    const features = parseFeatures(text.slice(0, -1))
    return htmlAnswer(
      itemsPage({ request, api, collection, features, links, ...counts, offset: query.offset }),
    )
  }
  const stream = await readItems(selection, returned, collectionStart(head)).catch(rethrow)
  const headersOfCrs = { 'content-crs': `<${query.srs.name}>`, vary: 'Accept' }
  return { stream, mediaType: mediaTypes.geojson, headers: headersOfCrs }
}

/** Start of a collection, up to its first feature. */
function collectionStart(head: object): string {
  return `${JSON.stringify({ type: 'FeatureCollection', ...head }).slice(0, -1)},"features":[`
}

async function countItems({ request: { context, signal }, collection, filter }: Selection): Promise<number> {
  const { layer } = collection
  const database = await findDatabase(context, layer)
  const countAll = () => context.layerCaches.count(database, layer)
  if (filter.expression === undefined) return (await countAll()).total
  await checkFilterCost(filter.expression, countAll)
  return countMatching(queriesUntil(signal, database), layer, filter)
}

async function readItems(
  { request: { context, signal }, collection: { layer }, query, filter }: Selection,
  count: number,
  start: string,
) {
  const database = await findDatabase(context, layer)
  const { srs, isSwapped, hasGeometry, orderBy, offset } = query
  const columns = layer.fields
    .filter(({ keyname }) => query.properties.includes(keyname))
    .map((field) => ({ name: field.keyname, datatype: field.datatype, field }))
  const select = (part: {
    readonly filter: FeatureFilter
    readonly limit?: number | undefined
    readonly offset?: number
  }) => geojsonStatement(layer, { srs: srs.srs, isSwapped, columns, hasGeometry, orderBy, ...part })
  const isSplit = offset === 0 && orderBy.every((name) => name === 'id')
  const statements = isSplit
    ? splitReading({ layer, database }, { filter, limit: count }, select)
    : [select({ filter, limit: count, offset })]
  return streamFeatures({
    database,
    statements: count === 0 ? [] : statements,
    most: count,
    encodings: select({ filter }).encodings,
    names: columns.map(({ name }) => name),
    start,
    folder: context.temporaryFolder,
    signal,
  })
}

interface Counts {
  readonly matched: number
  readonly returned: number
}

/** Returns the links of a page to itself, in both formats, and to its neighbours. */
function pageLinks(
  { api, collection, query: { offset, limit } }: Selection,
  parameters: ReadonlyMap<string, string>,
  { matched, returned }: Counts,
): Link[] {
  const url = collectionUrl(api, collection, '/items')
  const link = (rel: string, title: string, changes: Readonly<Record<string, string>>): Link => {
    const query = new URLSearchParams([...parameters])
    for (const [name, value] of Object.entries(changes)) query.set(name, value)
    const type = query.get('f') === 'html' ? mediaTypes.html : mediaTypes.geojson
    return { href: `${url}?${query}`, rel, type, title }
  }
  const pages: Link[] = []
  if (returned > 0 && offset + returned < matched)
    pages.push(link('next', 'Next page', { offset: String(offset + returned), limit: String(limit) }))
  if (offset > 0) {
    const start = Math.max(0, offset - limit)
    pages.push(link('prev', 'Previous page', { offset: String(start), limit: String(limit) }))
  }
  const own = {
    href: collectionUrl(api, collection),
    rel: 'collection',
    type: mediaTypes.json,
    title: collection.title,
  }
  return [
    link('self', 'This document', { f: 'json' }),
    link('alternate', 'This document as HTML', { f: 'html' }),
    ...pages,
    own,
  ]
}

/**
 * Answers with a feature.
 *
 * @throws {Problem} request/not-found, request/invalid
 */
export async function answerItem(request: ApiRequest<'ogcapi.item'>): Promise<Answer> {
  const { context, params, query: wanted, headers } = request
  const format = readFormat(wanted.f, headers)
  const api = await openApi(request)
  const collection = findCollection(api, params.collection)
  const northFirst = await findNorthFirst(context.database)
  const parameters = new Map(wanted.crs === undefined ? [] : [['crs', wanted.crs]])
  const query = readItemQuery(parameters, { collection, northFirst })
  const filter: FeatureFilter = { expression: { kind: 'ids', ids: [String(params.fid)] } }
  const selection = { request, api, collection, query, filter }
  const text = await readText(await readItems(selection, 1, '[').catch(rethrow))
  const feature = text.slice(1, -2)
  if (feature === '')
    throw problem('request/not-found', `The collection has no feature with id ${params.fid}.`)
  const links = itemLinks(api, collection, params.fid)
  if (format === 'html') {
    const [parsed] = parseFeatures(`[${feature}]`)
    return htmlAnswer(itemPage({ request, api, collection, feature: parsed, links }))
  }
  return {
    // Not parsed, so that numbers keep all their digits.
    bytes: Buffer.from(`${feature.slice(0, -1)},"links":${JSON.stringify(links)}}`),
    mediaType: mediaTypes.geojson,
    headers: { 'content-crs': `<${query.srs.name}>`, vary: 'Accept' },
  }
}

function itemLinks(api: FeatureApi, collection: Collection, fid: number): Link[] {
  const url = collectionUrl(api, collection, `/items/${fid}`)
  const { geojson, html, json } = mediaTypes
  return [
    { href: `${url}?f=json`, rel: 'self', type: geojson, title: 'This document' },
    { href: `${url}?f=html`, rel: 'alternate', type: html, title: 'This document as HTML' },
    { href: collectionUrl(api, collection), rel: 'collection', type: json, title: collection.title },
  ]
}

async function readText(stream: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(stream)).toString()
}

/** Parses a list of features for a page; numbers are strings, which keep all their digits. */
function parseFeatures(text: string): PageFeature[] {
  const keepDigits = (_: string, value: unknown, { source }: { source?: string }) =>
    typeof value === 'number' ? source : value
  return JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown) as PageFeature[]
}

// Geometries may lie outside the area of the requested reference system.
function rethrow(error: unknown): never {
  throw geometryProblem(error)
}
