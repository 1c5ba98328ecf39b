import { randomBytes } from 'node:crypto'
import type { Queryable } from '../../database/database.ts'

/** Staged features that wait to be taken over. */
export interface PreparedSource {
  /** 32 hexadecimal digits. */
  readonly id: string
  /** Who prepared it, and nobody else, may use it. */
  readonly userId: number
  /** The layer whose features they are to replace; null where they are for a new one. */
  readonly layerId: number | null
  readonly tableName: string
  /** What the import gave, as JSON. */
  readonly staged: object
}

/** Keeps a staged table until somebody takes it over, whatever becomes of this process. Gives its id. */
export async function keepPrepared(tx: Queryable, prepared: Omit<PreparedSource, 'id'>): Promise<string> {
  const id = randomBytes(16).toString('hex')
  const { userId, layerId, tableName, staged } = prepared
  await tx.query(
    `with kept as (update staging set instance = '' where table_name = $4)
     insert into prepared_source (id, user_id, layer_id, table_name, staged) values ($1, $2, $3, $4, $5::jsonb)`,
    [id, userId, layerId, tableName, JSON.stringify(staged)],
  )
  return id
}

/** Finds what somebody has prepared. */
export async function findPrepared(
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

/** Forgets what was prepared too many hours ago; the tables are dropped with those of dead processes. */
export async function deleteOldPrepared(database: Queryable, hours: number): Promise<void> {
  await database.query(
    `delete from prepared_source where created_at < now() at time zone 'utc' - make_interval(hours => $1::int)`,
    [hours],
  )
}
