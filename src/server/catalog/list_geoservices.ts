import { isProblem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import { isSubmitter } from '../../store/catalog/geoservice.ts'
import {
  type FilterGeometry,
  type GeoserviceFilter,
  geoserviceCountSql,
  geoserviceListSql,
  geoserviceOrders,
} from '../../store/catalog/geoservice_query.ts'
import { findKnownSrs } from '../../store/classes/known_srs.ts'
import { geometryProblem } from '../../store/feature/feature_sql.ts'
import { jsonMediaType } from '../http/answer.ts'
import type { Answer, ApiRequest } from '../http/handler.ts'
import { streamRows } from '../stream/spool.ts'
import { jsonText } from './json_text.ts'
import { type AskedPage, type PageContent, pageOf, writePage } from './page.ts'
import {
  geometryOf,
  guidOf,
  invalidParameter,
  numberOf,
  orderOf,
  type Parameters,
  statusOf,
  textOf,
  unknownChoice,
  wordsOf,
} from './parameter.ts'

type Request = ApiRequest<'catalog.geoservices'>

/** Answers with the geoservices of a request: all of them, or a page. */
export async function listGeoservices(request: Request): Promise<Answer<never>> {
  const { context, query } = request
  const filter = readFilter(query)
  await checkFilter(context.database, filter)
  const page = pageOf(query)
  try {
    return page === undefined ? await listAll(request, filter) : await listPage(request, filter, page)
  } catch (error) {
    const fault = geometryProblem(error)
    throw isProblem(fault, 'feature/invalid') ? unusableGeometry(filter, fault.message) : error
  }
}

/**
 * Parses the conditions of a list.
 *
 * @throws {Problem} request/invalid with the name of the parameter
 */
export function readFilter(query: Parameters): GeoserviceFilter {
  return {
    type: textOf(query, 'type'),
    epsg: numberOf(query, 'epsg'),
    submitter: guidOf(query, 'submitter'),
    status: statusOf(query),
    words: wordsOf(query),
    extent: geometryOf(query, 'intersects_extent'),
    boundary: geometryOf(query, 'intersects_boundary'),
    order: orderOf(query, geoserviceOrders),
  }
}

/** Checks what only the database knows. */
async function checkFilter(
  database: Queryable,
  { submitter, extent, boundary }: GeoserviceFilter,
): Promise<void> {
  if (submitter !== undefined && !(await isSubmitter(database, submitter))) throw unknownChoice('submitter')
  const geometries: readonly [string, FilterGeometry | undefined][] = [
    ['intersects_extent', extent],
    ['intersects_boundary', boundary],
  ]
  for (const [name, geometry] of geometries) {
    if (geometry === undefined || geometry.srs === 4326) continue
    const known = await findKnownSrs(database, [geometry.srs])
    if (known.size === 0) throw invalidParameter(name, `Unknown reference system EPSG:${geometry.srs}.`)
  }
}

/** Coordinates that PostGIS cannot transform: the filter that has a reference system of its own is meant. */
function unusableGeometry({ extent }: GeoserviceFilter, message: string) {
  const name = extent === undefined ? 'intersects_boundary' : 'intersects_extent'
  return invalidParameter(name, `Enter a WKT or EWKT geometry: ${message}.`)
}

async function listAll({ context, signal }: Request, filter: GeoserviceFilter): Promise<Answer<never>> {
  const { database, temporaryFolder: folder, catalogLists } = context
  const statement = geoserviceListSql(filter)
  const known = isCached(filter) ? await catalogLists.read(statement) : undefined
  if (known !== undefined) return jsonText(known)
  const stream = await streamRows({ database, folder, signal, statements: [statement] })
  return { stream, mediaType: jsonMediaType }
}

/** Lists of many clients are cached. Searches and areas are as many as their clients. */
function isCached({ words = [], extent, boundary }: GeoserviceFilter): boolean {
  return words.length === 0 && extent === undefined && boundary === undefined
}

async function listPage(
  { context, url }: Request,
  filter: GeoserviceFilter,
  page: AskedPage,
): Promise<Answer<never>> {
  return jsonText(writePage({ url, page, ...(await readPage(context.database, filter, page)) }))
}

/** Reads a part of a list, each geoservice as JSON text, and counts the whole. */
export async function readPage(
  database: Queryable,
  filter: GeoserviceFilter,
  page: AskedPage,
): Promise<Pick<PageContent, 'count' | 'records'>> {
  const counting = geoserviceCountSql(filter)
  const [row] = await database.query<{ count: number }>(counting.text, counting.values)
  const { text, values } = geoserviceListSql(filter, page)
  const rows = await database.query<{ item: string }>(text, values)
  return { count: row?.count ?? 0, records: rows.map(({ item }) => item) }
}
