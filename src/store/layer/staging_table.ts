import { randomBytes } from 'node:crypto'
import type { Datatype, GeometryType } from '../../contract/geometry.ts'
import type { Database, Queryable } from '../../database/database.ts'
import { columnTypes } from '../feature/feature_sql.ts'

/** A feature table to fill. */
export interface StagingTable {
  /** Identifies the process that fills it. */
  readonly instance: string
  readonly geometryType: GeometryType
  /** EPSG code. */
  readonly srs: number
  /** Columns of the fields, in order. */
  readonly columns: readonly { readonly name: string; readonly datatype: Datatype }[]
}

/** Returns a unique table name. */
export function newTableName(): string {
  return `features_${randomBytes(8).toString('hex')}`
}

/** Creates an empty feature table that is dropped unless a layer adopts it. Returns its name. */
export async function createStaging(database: Database, table: StagingTable): Promise<string> {
  const name = newTableName()
  await database.transaction(async (tx) => {
    await tx.query('insert into staging (table_name, instance) values ($1, $2)', [name, table.instance])
    await createFeatureTable(tx, name, table)
  })
  return name
}

/** Creates a feature table without keys and indexes. */
export async function createFeatureTable(
  tx: Queryable,
  name: string,
  { geometryType, srs, columns }: Omit<StagingTable, 'instance'>,
): Promise<void> {
  const fields = columns.map((column) => `, ${column.name} ${columnTypes[column.datatype]}`)
  await tx.query(
    `create table ${name} (id integer not null, geom geometry(${geometryType}, ${srs})${fields.join('')})`,
  )
}

/** An id of several rows. */
export interface DuplicateId {
  readonly id: number
  readonly count: number
}

/** Finds the first ten duplicate ids of a table. */
export async function findDuplicateIds(tx: Queryable, name: string): Promise<DuplicateId[]> {
  return tx.query<DuplicateId>(
    `select id, count(*)::int as count from ${name} group by id having count(*) > 1 order by id limit 10`,
  )
}

/**
 * Prepares a filled feature table for use: adds the primary key, the spatial index, and a sequence that continues after
 * the largest id. Each step commits by itself.
 */
export async function finishFeatureTable(database: Queryable, name: string): Promise<void> {
  await database.query(`alter table ${name} add primary key (id)`)
  await database.query(`create index on ${name} using gist (geom)`)
  await database.query(`create sequence ${name}_id_seq as integer owned by ${name}.id`)
  await database.query(`alter table ${name} alter id set default nextval('${name}_id_seq')`)
  await database.query(
    `select setval('${name}_id_seq', greatest(max(id), 1), coalesce(max(id), 0) > 0) from ${name}`,
  )
}

/**
 * Gathers coarse statistics of a filled table for the planner, until autovacuum refines them, and marks its rows as
 * visible to every transaction, so that index-only scans can count and skip them.
 */
export async function analyzeFeatureTable(database: Database, name: string): Promise<void> {
  await database.transaction(async (tx) => {
    // Rows whose commit is not on disk yet cannot be marked as visible to all.
    await tx.query('set local synchronous_commit = on')
    await tx.query('set local default_statistics_target = 10')
    await tx.query(`analyze ${name} (id, geom)`)
  })
  await database.query(`vacuum (index_cleanup off, truncate off) ${name}`)
}

/** Records that a table is still being filled. */
export async function touchStaging(database: Queryable, name: string): Promise<void> {
  await database.query(`update staging set created_at = now() at time zone 'utc' where table_name = $1`, [
    name,
  ])
}

/** Marks a staging table as adopted by a layer. Returns whether it existed. */
export async function adoptStaging(tx: Queryable, name: string): Promise<boolean> {
  const rows = await tx.query('delete from staging where table_name = $1 returning table_name', [name])
  return rows.length > 0
}

/** Drops a staging table unless a layer has adopted it. */
export async function dropStaging(database: Database, name: string): Promise<void> {
  await database.transaction(async (tx) => {
    if (await adoptStaging(tx, name)) await tx.query(`drop table if exists ${name}`)
  })
}

/**
 * Finds staging tables of other processes that have not been touched for a time. Tables of prepared sources are kept,
 * because they outlive their process.
 *
 * @param idleMinutes 0 if no other process can be running
 */
export async function findOrphans(
  database: Queryable,
  { instance, idleMinutes }: { readonly instance: string; readonly idleMinutes: number },
): Promise<string[]> {
  const rows = await database.query<{ tableName: string }>(
    `select table_name as "tableName" from staging
      where instance <> $1 and created_at <= now() at time zone 'utc' - make_interval(mins => $2::int)
        and not exists (select from prepared_source p where p.table_name = staging.table_name)
      order by table_name`,
    [instance, idleMinutes],
  )
  return rows.map(({ tableName }) => tableName)
}
