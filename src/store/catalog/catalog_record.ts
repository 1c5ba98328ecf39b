import { geoserviceMembers, geoserviceTypeMembers } from '../../contract/catalog/catalog.ts'
import type { CatalogKind, GeoserviceRecord, IconRecord } from '../../contract/catalog/catalog_edit.ts'
import type { Queryable } from '../../database/database.ts'
import { createBindings, type JsonMember, objectSql } from '../feature/feature_sql.ts'
import { keepTypeMembers } from './geoservice.ts'
import { plainSql, textSql } from './geoservice_query.ts'

/** Table of each kind of record. */
export const recordTables: Readonly<Record<CatalogKind, string>> = {
  icon: 'catalog_icon',
  geoservice: 'geoservice',
}

const manifestColumns = ['keyname', 'manifest'] as const

/** Columns of a geoservice that its record has, except the icon and the boundary. */
export const geoserviceColumns: readonly string[] = [
  ...manifestColumns,
  ...Object.keys({
    ...geoserviceMembers,
    ...geoserviceTypeMembers.tms,
    ...geoserviceTypeMembers.wms,
    ...geoserviceTypeMembers.wfs,
  }).filter((name) => name !== 'boundary'),
]

const identity: readonly JsonMember[] = [
  ['id', plainSql('s.id')],
  ['version', plainSql('s.version')],
]

// JSON of any type of column.
const columnOf = (name: string): JsonMember => [name, textSql(`s."${name}"`)]

const geoserviceRecord: readonly JsonMember[] = [
  ...identity,
  ...geoserviceColumns.map(columnOf),
  ['boundary', textSql('s.boundary_text')],
  ['icon', plainSql('s.icon_id')],
  ['cumulative_status', textSql('s.cumulative_status')],
]

const iconRecord: readonly JsonMember[] = [
  ...identity,
  ...[...manifestColumns, 'name', 'guid', 'digest'].map(columnOf),
]

/** Lists icons, of all ids or of the given ones. */
export async function listIconRecords(tx: Queryable, ids?: readonly number[]): Promise<IconRecord[]> {
  return listRecords(tx, { kind: 'icon', members: iconRecord, ids })
}

/** Lists geoservices with the members of their type, of all ids or of the given ones. */
export async function listGeoserviceRecords(
  tx: Queryable,
  ids?: readonly number[],
): Promise<GeoserviceRecord[]> {
  const all = await listRecords<GeoserviceRecord>(tx, { kind: 'geoservice', members: geoserviceRecord, ids })
  return all.map(keepTypeMembers)
}

interface RecordList {
  readonly kind: CatalogKind
  readonly members: readonly JsonMember[]
  readonly ids: readonly number[] | undefined
}

async function listRecords<T>(tx: Queryable, { kind, members, ids }: RecordList): Promise<T[]> {
  const bindings = createBindings()
  const record = objectSql(bindings, members)
  const where = ids === undefined ? '' : `where s.id = any(${bindings.bind(ids, 'integer[]')})`
  const rows = await tx.query<{ record: string }>(
    `select ${record} as record from ${recordTables[kind]} s ${where} order by s.id`,
    bindings.values,
  )
  return rows.map((row) => JSON.parse(row.record))
}

/** Excludes other editors until the end of the transaction; readers go on. */
export async function lockCatalog(tx: Queryable): Promise<void> {
  await tx.query('lock table catalog_icon, geoservice in share row exclusive mode')
}

/** Reserves the ids of new records. */
export async function reserveRecordIds(tx: Queryable, kind: CatalogKind, count: number): Promise<number[]> {
  const rows = await tx.query<{ id: string }>(
    "select nextval(pg_get_serial_sequence($1, 'id')) as id from generate_series(1, $2::integer)",
    [recordTables[kind], count],
  )
  return rows.map(({ id }) => Number(id))
}

/** Deletes records. */
export async function deleteRecords(tx: Queryable, kind: CatalogKind, ids: readonly number[]): Promise<void> {
  await tx.query(`delete from ${recordTables[kind]} where id = any($1::integer[])`, [ids])
}

/** Counts the records of a kind. */
export async function countRecords(tx: Queryable, kind: CatalogKind): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::integer as count from ${recordTables[kind]}`,
  )
  return row?.count ?? 0
}

/** A value that several records have, and their ids. */
export interface DuplicateValue {
  readonly value: string
  readonly ids: readonly number[]
}

/** Finds the first value of a column that several records have. */
export async function findDuplicate(
  tx: Queryable,
  kind: CatalogKind,
  column: 'name' | 'keyname',
): Promise<DuplicateValue | undefined> {
  const [row] = await tx.query<DuplicateValue>(
    `select ${column} as value, array_agg(id order by id) as ids from ${recordTables[kind]}
      where ${column} is not null group by ${column} having count(*) > 1 order by ${column} limit 1`,
  )
  return row
}

/** Finds records by their global identifiers. Returns ids by identifier. */
export async function findByGuid(
  tx: Queryable,
  kind: CatalogKind,
  guids: readonly string[],
): Promise<Map<string, number>> {
  const rows = await tx.query<{ guid: string; id: number }>(
    `select guid, id from ${recordTables[kind]} where guid = any($1::uuid[])`,
    [guids],
  )
  return new Map(rows.map(({ guid, id }) => [guid, id]))
}
