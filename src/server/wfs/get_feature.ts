import { type CopyRow, readCopyRows } from '../../core/copy_rows.ts'
import { queriesUntil } from '../../database/database.ts'
import { collectParameters } from '../../ogc/key_value_pairs.ts'
import { invalidParameter, OwsFault, shown } from '../../ogc/ows_fault.ts'
import { srsUrn } from '../../ogc/reference_system.ts'
import { jsonFormat } from '../../ogc/wfs/capabilities.ts'
import {
  type CollectionFrame,
  type CollectionHead,
  collectionFrame,
  createFeatureWriter,
  createValueWriter,
  innerFrame,
  rootAttributes,
  singleFrame,
} from '../../ogc/wfs/feature_collection.ts'
import type { GetFeature } from '../../ogc/wfs/wfs_request.ts'
import type { WfsService } from '../../ogc/wfs/wfs_service.ts'
import { geojsonStatement, textStatement } from '../../store/feature/export_rows.ts'
import { isEmptyFilter } from '../../store/feature/feature_filter.ts'
import { geometryProblem, type Statement } from '../../store/feature/feature_sql.ts'
import { countMatching } from '../../store/feature/layer_extent.ts'
import type { FeaturePage } from '../../store/feature/read_features.ts'
import { streamFeatures } from '../export/geojson_export.ts'
import { type PartSelection, readEach, splitReading } from '../features/read_parts.ts'
import type { Answer } from '../http/handler.ts'
import { streamSpooled } from '../stream/spool.ts'
import { type PlannedQuery, planQuery } from './plan_query.ts'
import type { WfsHttpRequest } from './published_service.ts'
import { TextSink } from './text_sink.ts'

/** A query, and the part of its features that the response has. */
interface Page extends PlannedQuery {
  readonly matched: number | undefined
  readonly offset: number
  readonly returned: number
}

/**
 * Answers a request for features, or for the values of a property, as a stream.
 *
 * @throws {OwsFault}, {Problem} before the first byte
 */
export async function getFeature(
  http: WfsHttpRequest,
  service: WfsService,
  request: GetFeature,
): Promise<Answer> {
  const { context } = http
  const isJson = readFormat(request)
  const planned = await Promise.all(
    request.queries.map((query) => planQuery(context, service, { query, request })),
  )
  const pages = await countPages(http, request, planned).catch(rethrow)
  const head = headOf(http, request, pages)
  const written = { http, service, request, pages, head }
  if (isJson) return answerJson(written)
  const { mediaType } = request.protocol
  const [page] = pages
  if (request.isSingle && page?.matched === 0)
    throw new OwsFault('NotFound', 'There is no feature with this identifier.', 'ID')
  const stream = await streamXml(written).catch(rethrow)
  return { stream, mediaType }
}

interface Writing {
  readonly http: WfsHttpRequest
  readonly service: WfsService
  readonly request: GetFeature
  readonly pages: readonly Page[]
  readonly head: CollectionHead
}

/** Reads the output format; returns whether it is GeoJSON. */
function readFormat({ protocol, outputFormat }: GetFeature): boolean {
  if (outputFormat === undefined) return false
  // A plus sign in a query string is decoded as a space.
  const wanted = outputFormat.toLowerCase().replaceAll(/[\s+]/g, '')
  const isSame = (format: string) => format.toLowerCase().replaceAll(/[\s+]/g, '') === wanted
  if ([protocol.outputFormat, ...protocol.otherFormats].some(isSame)) return false
  if ([jsonFormat, 'json', 'geojson', 'application/geo+json'].some(isSame)) return true
  throw invalidParameter(
    'outputFormat',
    `The format ${shown(outputFormat)} is not supported; use ${protocol.outputFormat} or ${jsonFormat}.`,
  )
}

/** Counts the features that match each query if the response states it, and divides the page among the queries. */
async function countPages(
  http: WfsHttpRequest,
  request: GetFeature,
  planned: readonly PlannedQuery[],
): Promise<Page[]> {
  const { protocol, resultType, isSingle = false } = request
  const isCounted = protocol.edition === '2.0' || resultType === 'hits' || planned.length > 1 || isSingle
  const counts = await Promise.all(
    planned.map((query) => (isCounted ? countQuery(http, query) : Promise.resolve(undefined))),
  )
  let { startIndex: skipped, count: left = Number.MAX_SAFE_INTEGER } = request
  return planned.map((query, at) => {
    const matched = counts[at]
    const offset = skipped
    const available = matched === undefined ? Number.MAX_SAFE_INTEGER : Math.max(0, matched - offset)
    const returned = resultType === 'hits' ? 0 : Math.min(available, query.limit, left)
    skipped = Math.max(0, skipped - (matched ?? 0))
    left -= returned
    return { ...query, matched, offset, returned }
  })
}

function countQuery(
  { context, signal }: WfsHttpRequest,
  { database, type, filter }: PlannedQuery,
): Promise<number> {
  if (!isEmptyFilter(filter)) return countMatching(queriesUntil(signal, database), type.layer, filter)
  return context.layerCaches.count(database, type.layer).then(({ total }) => total)
}

function headOf(http: WfsHttpRequest, request: GetFeature, pages: readonly Page[]): CollectionHead {
  const counts = pages.map(({ matched }) => matched)
  const isKnown = counts.every((count) => count !== undefined)
  const matched = isKnown ? counts.reduce((sum: number, count) => sum + (count ?? 0), 0) : undefined
  const returned = pages.reduce((sum, page) => sum + page.returned, 0)
  const links =
    request.resultType === 'hits' || matched === undefined
      ? {}
      : linksOf(http, request, { matched, returned })
  return { matched, returned, timeStamp: new Date().toISOString(), ...links }
}

/** Returns the addresses of the next and the previous page. Requests in a body have none. */
function linksOf(
  { url, raw, more }: WfsHttpRequest,
  { startIndex, count }: GetFeature,
  { matched, returned }: { readonly matched: number; readonly returned: number },
): Pick<CollectionHead, 'next' | 'previous'> {
  if (raw.method !== 'GET') return {}
  const size = count ?? returned
  const pageUrl = (start: number, length: number) => {
    const parameters = new Map(collectParameters(more))
    for (const name of ['MAXFEATURES', 'COUNT']) parameters.delete(name)
    const query = new URLSearchParams([...parameters])
    query.set('STARTINDEX', String(start))
    query.set('COUNT', String(length))
    return `${url.replace(/\?.*$/s, '')}?${query}`
  }
  const end = startIndex + returned
  return {
    ...(returned > 0 && end < matched ? { next: pageUrl(end, size) } : {}),
    ...(startIndex > 0 && size > 0
      ? { previous: pageUrl(Math.max(0, startIndex - size), Math.min(size, startIndex)) }
      : {}),
  }
}

async function streamXml({ http, service, request, pages, head }: Writing) {
  const { protocol, isSingle = false, valueReference } = request
  const { signal, context } = http
  const types = [...new Set(pages.map(({ type }) => type))]
  const isValues = valueReference !== undefined
  const frame = isSingle ? singleFrame() : collectionFrame(service, protocol, { types, head, isValues })
  const isNested = protocol.edition === '2.0' && pages.length > 1
  const attributes = isSingle ? rootAttributes(service, protocol, types) : {}
  return streamSpooled({ folder: context.temporaryFolder, signal }, async (spool, abandoned) => {
    const sink = new TextSink(spool)
    sink.add(frame.start)
    for (const page of pages) {
      const inner = isNested ? innerFrame(protocol, { ...head, ...pageHead(page) }) : frame
      const content = { ...page, attributes }
      const write = isValues ? createValueWriter(content) : createFeatureWriter(content)
      if (isNested) sink.add(inner.start)
      await readPage(page, abandoned, { sink, write: (row) => memberText(inner, write(row)) })
      if (isNested) sink.add(inner.end)
    }
    sink.add(frame.end)
    await sink.flush()
  })
}

const memberText = ({ memberStart, memberEnd }: CollectionFrame, text: string) =>
  `${memberStart}${text}${memberEnd}`

const pageHead = ({ matched, returned }: Page) => ({
  matched,
  returned,
  next: undefined,
  previous: undefined,
})

interface RowTarget {
  readonly sink: TextSink
  readonly write: (row: CopyRow) => string
}

async function readPage(page: Page, signal: AbortSignal, { sink, write }: RowTarget): Promise<void> {
  const { database, type, properties, srs, hasGeometry } = page
  const fields = properties.map(({ field }) => field)
  const statements = statementsOf(page, (part) =>
    textStatement(type.layer, { srs: srs.srs, hasGeometry, fields, ...part }),
  )
  await readEach({ database, statements, most: page.returned, signal }, (tx, { text, values }) =>
    readCopyRows(sink.during(tx.copyOut(text, values, { format: 'binary' })), (row) => sink.add(write(row))),
  )
}

type PageSelection = PartSelection & FeaturePage

/** Returns the statements that read a page: several for a long list on the embedded database. */
function statementsOf(
  { database, type, filter, orderBy, offset, returned }: Page,
  write: (part: PageSelection) => Statement,
): Iterable<Statement> | AsyncIterable<Statement> {
  if (returned === 0) return []
  const { layer } = type
  const whole = { filter, limit: returned }
  // A list in another order or with an offset cannot be split into several statements.
  const isSplit = offset === 0 && orderBy.every((name) => name === 'id')
  return isSplit
    ? splitReading({ layer, database }, whole, (part) => write({ ...part, orderBy }))
    : [write({ ...whole, orderBy, offset })]
}

/** Answers with GeoJSON: in degrees, unless the request names a reference system. */
async function answerJson({ http, request, pages, head }: Writing): Promise<Answer> {
  const [page, ...others] = pages
  if (page === undefined || others.length > 0 || request.valueReference !== undefined)
    throw invalidParameter('outputFormat', 'GeoJSON is supported for features of one type only.')
  const { type, properties, hasGeometry, database } = page
  const srs = request.queries[0]?.srsName === undefined ? 4326 : page.srs.srs
  const columns = properties.map(({ name, field }) => ({ name, datatype: field.datatype, field }))
  const select = (part: PageSelection) => geojsonStatement(type.layer, { srs, columns, hasGeometry, ...part })
  const { encodings } = select({ filter: page.filter })
  const { matched, returned } = head
  const counts = matched === undefined ? '' : `"numberMatched":${matched},"numberReturned":${returned},`
  const crs = { type: 'name', properties: { name: srsUrn(srs).name } }
  const crsText = srs === 4326 ? '' : `"crs":${JSON.stringify(crs)},`
  const stream = await streamFeatures({
    database,
    statements: statementsOf(page, select),
    most: page.returned,
    encodings,
    names: columns.map(({ name }) => name),
    start: `{"type":"FeatureCollection",${counts}"timeStamp":"${head.timeStamp}",${crsText}"features":[`,
    idPrefix: `${type.name}.`,
    folder: http.context.temporaryFolder,
    signal: http.signal,
  }).catch(rethrow)
  return { stream, mediaType: jsonFormat }
}

// Geometries may lie outside the area of the requested reference system.
function rethrow(error: unknown): never {
  throw geometryProblem(error)
}
