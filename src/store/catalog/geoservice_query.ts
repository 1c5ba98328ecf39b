import type { CumulativeStatus } from '../../contract/catalog/catalog.ts'
import {
  allDigits,
  type Bindings,
  createBindings,
  type Statement,
  transformSql,
} from '../feature/feature_sql.ts'

/** Geometry of a client, for a filter. */
export interface FilterGeometry {
  /** Well-Known Text. */
  readonly wkt: string
  /** EPSG code. */
  readonly srs: number
}

/** Columns that lists can be ordered by. */
export const geoserviceOrders = ['id', 'name', 'created_at', 'updated_at'] as const

/** Column to order by. */
export interface Order<C extends string> {
  readonly by: C
  readonly isDescending: boolean
}

/** Conditions on geoservices, all of which have to hold, and their order. */
export interface GeoserviceFilter {
  readonly type?: string | undefined
  readonly epsg?: number | undefined
  /** Global identifier of the submitter. */
  readonly submitter?: string | undefined
  /** Null for services that have not been checked yet. */
  readonly status?: CumulativeStatus | null | undefined
  /** Words that occur in the name or the description. */
  readonly words?: readonly string[]
  readonly extent?: FilterGeometry | undefined
  readonly boundary?: FilterGeometry | undefined
  /** Sort order; if empty, by relevance if there are words, else by name. */
  readonly order?: readonly Order<(typeof geoserviceOrders)[number]>[]
}

/** Part of a list. */
export interface Page {
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

/** Returns the statement of a list of geoservices, a JSON object in each row. */
export function geoserviceListSql(filter: GeoserviceFilter, page: Page = {}): Statement {
  const bindings = createBindings()
  const where = whereSql(bindings, filter)
  const order = orderSql(bindings, filter)
  return {
    text: `select s.item from geoservice s ${where} order by ${order} ${pageSql(bindings, page)}`,
    values: bindings.values,
  }
}

/** Returns the statement that counts geoservices. */
export function geoserviceCountSql(filter: GeoserviceFilter): Statement {
  const bindings = createBindings()
  const where = whereSql(bindings, filter)
  return {
    text: `select count(*)::integer as count from geoservice s ${where}`,
    values: bindings.values,
  }
}

/** Returns the limit and offset of a statement. */
export function pageSql(bindings: Bindings, { limit, offset }: Page): string {
  const limited = limit === undefined ? '' : `limit ${bindings.bind(limit, 'bigint')}`
  return offset === undefined ? limited : `${limited} offset ${bindings.bind(offset, 'bigint')}`
}

/** Returns the SQL of a text as JSON. */
export const textSql = (column: string): string => `coalesce(to_json(${column})::text, 'null')`
/** Returns the SQL of a number or a boolean as JSON. */
export const plainSql = (column: string): string => `coalesce(${column}::text, 'null')`

/** Returns the SQL of a timestamp as JSON: ISO 8601 in UTC with microseconds. */
export const timestampSql = (column: string): string =>
  `coalesce('"' || to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"', 'null')`

/** Returns the SQL of a geometry in EPSG:4326 as JSON: EWKT. */
export const ewktSql = (column: string): string =>
  `coalesce('"SRID=4326;' || ST_AsText(${column}, ${allDigits}) || '"', 'null')`

function whereSql({ bind }: Bindings, filter: GeoserviceFilter): string {
  const { type, epsg, submitter, status, words = [], extent, boundary } = filter
  const conditions: string[] = []
  if (type !== undefined) conditions.push(`s.type = ${bind(type, 'text')}`)
  if (epsg !== undefined) conditions.push(`s.epsg = ${bind(epsg, 'double precision')}`)
  if (submitter !== undefined) conditions.push(`s.submitter = ${bind(submitter, 'uuid')}`)
  if (status === null) conditions.push('s.cumulative_status is null')
  else if (status !== undefined) conditions.push(`s.cumulative_status = ${bind(status, 'text')}`)
  for (const word of words) conditions.push(`s.searched like ${containsSql(bind, word)}`)
  for (const [column, wanted] of [
    ['s.extent', extent],
    ['s.boundary', boundary],
  ] as const)
    if (wanted !== undefined) conditions.push(`ST_Intersects(${column}, ${filterSql(bind, wanted)})`)
  return conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`
}

function filterSql(bind: Bindings['bind'], { wkt, srs }: FilterGeometry): string {
  return transformSql(`ST_GeomFromText(${bind(wkt, 'text')}, ${bind(srs, 'integer')})`, srs, 4326)
}

/** The database changes the case of both sides, because locales differ. */
function containsSql(bind: Bindings['bind'], word: string): string {
  return `lower(${bind(`%${escapeLike(word)}%`, 'text')})`
}

function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&')
}

const byName = 's.name_order'

const orderColumns = {
  id: 's.id',
  name: byName,
  created_at: 's.created_at',
  updated_at: 's.updated_at',
} as const

function orderSql(bindings: Bindings, { order = [], words = [] }: GeoserviceFilter): string {
  if (order.length > 0) {
    const parts = order.map(({ by, isDescending }) => `${orderColumns[by]} ${isDescending ? 'desc' : 'asc'}`)
    return [...parts, byName].join(', ')
  }
  return words.length === 0 ? byName : `${relevanceSql(bindings, words)} desc, ${byName}`
}

/** Returns SQL that ranks a match: the name is the text, starts with it, has all words, has some, has none. */
function relevanceSql({ bind }: Bindings, words: readonly string[]): string {
  const whole = words.join(' ')
  const inName = words.map((word) => `(lower(s.name) like ${containsSql(bind, word)})::integer`).join(' + ')
  return `case when lower(s.name) = lower(${bind(whole, 'text')}) then ${words.length + 2}
               when lower(s.name) like lower(${bind(`${escapeLike(whole)}%`, 'text')}) then ${words.length + 1}
               else ${inName} end`
}
