import type { CumulativeStatus, GeoserviceStatus } from '../../contract/catalog/catalog.ts'
import type { Queryable } from '../../database/database.ts'
import { type Bindings, createBindings, type JsonMember, objectSql } from '../feature/feature_sql.ts'
import { type Order, type Page, pageSql, plainSql, textSql, timestampSql } from './geoservice_query.ts'

/** Columns that lists of status records can be ordered by. */
export const statusOrders = ['check_at', 'cumulative_status'] as const

/** Conditions on status records, and their order. */
export interface StatusFilter {
  readonly geoservice?: number | undefined
  readonly status?: CumulativeStatus | undefined
  /** Sort order; by time if empty. */
  readonly order?: readonly Order<(typeof statusOrders)[number]>[]
}

/** Result of a check, to be stored. */
export interface CheckResult extends Omit<GeoserviceStatus, 'id' | 'check_at'> {
  readonly checkedAt: Date
}

/** Lists status records, each as JSON text. */
export async function listStatuses(tx: Queryable, filter: StatusFilter, page: Page): Promise<string[]> {
  const bindings = createBindings()
  const record = objectSql(bindings, statusMembers)
  const where = whereSql(bindings, filter)
  const { order = [] } = filter
  const parts = order.map(({ by, isDescending }) => `c.${by} ${isDescending ? 'desc' : 'asc'}`)
  // Ids have the direction of the time, so that the newest of two records of one moment is the later one.
  const isDescending = order.length > 0 && order.at(-1)?.isDescending
  const by = [...parts, ...(order.some(({ by }) => by === 'check_at') ? [] : ['c.check_at'])].join(', ')
  const rows = await tx.query<{ record: string }>(
    `select ${record} as record from geoservice_status c ${where}
      order by ${by}, c.id ${isDescending ? 'desc' : 'asc'} ${pageSql(bindings, page)}`,
    bindings.values,
  )
  return rows.map((row) => row.record)
}

/** Counts status records. */
export async function countStatuses(tx: Queryable, filter: StatusFilter): Promise<number> {
  const bindings = createBindings()
  const where = whereSql(bindings, filter)
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::integer as count from geoservice_status c ${where}`,
    bindings.values,
  )
  return row?.count ?? 0
}

/** Finds a status record, as JSON text. */
export async function findStatus(tx: Queryable, id: number): Promise<string | undefined> {
  const bindings = createBindings()
  const record = objectSql(bindings, statusMembers)
  const [row] = await tx.query<{ record: string }>(
    `select ${record} as record from geoservice_status c where c.id = ${bindings.bind(id, 'bigint')}`,
    bindings.values,
  )
  return row?.record
}

/** Members of a record, in the order of the original API. */
const statusMembers: readonly JsonMember[] = [
  ['id', plainSql('c.id')],
  ['check_at', timestampSql('c.check_at')],
  ['check_duration', plainSql('c.check_duration')],
  ['cumulative_status', textSql('c.cumulative_status')],
  ['http_code', plainSql('c.http_code')],
  ['http_response', textSql('c.http_response')],
  ['error_type', textSql('c.error_type')],
  ['error_text', textSql('c.error_text')],
  ['geoservice', plainSql('c.geoservice_id')],
]

function whereSql({ bind }: Bindings, { geoservice, status }: StatusFilter): string {
  const conditions = [
    ...(geoservice === undefined ? [] : [`c.geoservice_id = ${bind(geoservice, 'bigint')}`]),
    ...(status === undefined ? [] : [`c.cumulative_status = ${bind(status, 'text')}`]),
  ]
  return conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`
}

/**
 * Adds the results of checks, and makes each the last one of its service unless that is newer. Results of services that
 * were deleted meanwhile are dropped.
 */
export async function addStatuses(tx: Queryable, results: readonly CheckResult[]): Promise<void> {
  const column = <K extends keyof CheckResult>(name: K) => results.map((result) => result[name])
  await tx.query(
    `with checked as (
       select * from unnest($1::integer[], $2::timestamp[], $3::double precision[], $4::text[],
                            $5::integer[], $6::text[], $7::text[], $8::text[])
         as c (geoservice_id, check_at, check_duration, cumulative_status, http_code, http_response, error_type,
               error_text)
        where exists (select from geoservice s where s.id = c.geoservice_id)),
     added as (
       insert into geoservice_status (geoservice_id, check_at, check_duration, cumulative_status, http_code,
                                      http_response, error_type, error_text)
       select * from checked order by check_at returning id, geoservice_id, check_at, cumulative_status),
     newest as (
       select distinct on (geoservice_id) * from added order by geoservice_id, check_at desc, id desc)
     update geoservice s set last_status_id = n.id, cumulative_status = n.cumulative_status
       from newest n left join lateral (
              select c.check_at from geoservice_status c
               where c.geoservice_id = n.geoservice_id order by c.check_at desc, c.id desc limit 1) as last on true
      where s.id = n.geoservice_id and (last.check_at is null or last.check_at <= n.check_at)`,
    [
      column('geoservice'),
      results.map(({ checkedAt }) => checkedAt.toISOString().replace('Z', '')),
      column('check_duration'),
      column('cumulative_status'),
      column('http_code'),
      column('http_response'),
      column('error_type'),
      column('error_text'),
    ],
  )
}
