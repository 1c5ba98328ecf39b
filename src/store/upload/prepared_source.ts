import { randomBytes } from 'node:crypto'
import type { Queryable } from '../../database/database.ts'

/** Staged features prepared for a layer to adopt. */
export interface PreparedSource {
  /** 32 hexadecimal digits. */
  readonly id: string
  /** The user who prepared it, and the only one who may use it. */
  readonly userId: number
  /** The layer whose features they replace; null for a new layer. */
  readonly layerId: number | null
  readonly tableName: string
  /** Result of the import, as JSON. */
  readonly staged: object
}

/** Stores a prepared source, independent of this process, until a layer adopts it. Returns its id. */
export async function insertPreparedSource(
  tx: Queryable,
  prepared: Omit<PreparedSource, 'id'>,
): Promise<string> {
  const id = randomBytes(16).toString('hex')
  const { userId, layerId, tableName, staged } = prepared
  await tx.query(
    `with kept as (update staging set instance = '' where table_name = $4)
     insert into prepared_source (id, user_id, layer_id, table_name, staged) values ($1, $2, $3, $4, $5::jsonb)`,
    [id, userId, layerId, tableName, JSON.stringify(staged)],
  )
  return id
}

/** Finds a source that a user prepared. */
export async function findPreparedSource(
  database: Queryable,
  { id, userId }: Pick<PreparedSource, 'id' | 'userId'>,
): Promise<PreparedSource | undefined> {
  const [row] = await database.query<PreparedSource>(
    `select id, user_id as "userId", layer_id as "layerId", table_name as "tableName", staged
       from prepared_source where id = $1 and user_id = $2::int`,
    [id, userId],
  )
  return row
}

/** Deletes prepared sources older than a number of hours; `dropOrphans` drops their tables. */
export async function deleteOldPreparedSources(database: Queryable, hours: number): Promise<void> {
  await database.query(
    `delete from prepared_source where created_at < now() at time zone 'utc' - make_interval(hours => $1::int)`,
    [hours],
  )
}
