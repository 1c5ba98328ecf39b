import { randomBytes } from 'node:crypto'
import type { Datatype, GeometryType } from '../../contract/geometry.ts'
import type { Database, Queryable } from '../../database/database.ts'
import { columnTypes } from '../feature/column_sql.ts'

/** A feature table that is to be filled. */
export interface StagingTable {
  /** Names the process that fills it. */
  readonly instance: string
  readonly geometryType: GeometryType
  /** EPSG code. */
  readonly srs: number
  /** Columns of the fields, in order. */
  readonly columns: readonly { readonly name: string; readonly datatype: Datatype }[]
}

/** Gives a name that no feature table has. */
export function newTableName(): string {
  return `features_${randomBytes(8).toString('hex')}`
}

/** Makes an empty feature table that is dropped again unless a layer adopts it. Gives its name. */
export async function createStaging(database: Database, table: StagingTable): Promise<string> {
  const name = newTableName()
  await database.transaction(async (tx) => {
    await tx.query('insert into staging (table_name, instance) values ($1, $2)', [name, table.instance])
    await createFeatureTable(tx, name, table)
  })
  return name
}

/** Makes a feature table without keys and indexes. */
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

/** What can be wrong with the ids of rows. */
export interface TakenId {
  readonly id: number
  readonly count: number
}

/** Finds ids that several rows of a table have. */
export async function findTakenIds(tx: Queryable, name: string): Promise<TakenId[]> {
  return tx.query<TakenId>(
    `select id, count(*)::int as count from ${name} group by id having count(*) > 1 order by id limit 10`,
  )
}

/**
 * Gives a filled feature table what it needs to be read and written: the key, the spatial index, and a sequence that
 * goes on behind the largest id. Each step commits by itself.
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
 * Lets the planner know where the features of a filled table are, roughly: PostgreSQL looks closer when it has time. And
 * lets it know that everybody sees its rows, so that they are counted and passed in an index alone.
 */
export async function settleFeatureTable(database: Database, name: string): Promise<void> {
  await database.transaction(async (tx) => {
    // Rows whose commit is not on the disk yet cannot be marked as seen by everybody.
    await tx.query('set local synchronous_commit = on')
    await tx.query('set local default_statistics_target = 10')
    await tx.query(`analyze ${name} (id, geom)`)
  })
  await database.query(`vacuum (index_cleanup off, truncate off) ${name}`)
}

/** Says that a table is still being filled. */
export async function keepStaging(database: Queryable, name: string): Promise<void> {
  await database.query(`update staging set created_at = now() at time zone 'utc' where table_name = $1`, [
    name,
  ])
}

/** Makes a table more than staging: it is its layer's from now on. Tells whether it was there. */
export async function adoptStaging(tx: Queryable, name: string): Promise<boolean> {
  const rows = await tx.query('delete from staging where table_name = $1 returning table_name', [name])
  return rows.length > 0
}

/** Drops a table that no layer adopted; one that a layer has is left alone. */
export async function dropStaging(database: Database, name: string): Promise<void> {
  await database.transaction(async (tx) => {
    if (await adoptStaging(tx, name)) await tx.query(`drop table if exists ${name}`)
  })
}

/**
 * Finds tables whose process is gone: not this one, and, where others may share the database, silent for so long. What
 * was prepared waits, whatever became of its process.
 *
 * @param silentMinutes 0 where no other process can be alive
 */
export async function findOrphans(
  database: Queryable,
  { instance, silentMinutes }: { readonly instance: string; readonly silentMinutes: number },
): Promise<string[]> {
  const rows = await database.query<{ tableName: string }>(
    `select table_name as "tableName" from staging
      where instance <> $1 and created_at <= now() at time zone 'utc' - make_interval(mins => $2::int)
        and not exists (select from prepared_source p where p.table_name = staging.table_name)
      order by table_name`,
    [instance, silentMinutes],
  )
  return rows.map(({ tableName }) => tableName)
}
