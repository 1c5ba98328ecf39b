import type { Queryable } from '../../database/database.ts'

/** Columns that reference a resource and restrict its deletion, with the column of the referring resource. */
const restricting = [
  { table: 'resource_connection', column: 'connection_id', referrer: 'resource_id' },
  { table: 'layer_field', column: 'lookup_table_id', referrer: 'layer_id' },
] as const

/** The restricting columns, as `table.column`. */
export const restrictingColumns: readonly string[] = restricting.map(
  ({ table, column }) => `${table}.${column}`,
)

/** A resource that references another one. */
export interface Referrer {
  readonly id: number
  readonly displayName: string
  /** The referenced resource. */
  readonly targetId: number
}

/** Lists the resources whose references restrict the deletion of resources. The result may include these themselves. */
export async function listReferrers(tx: Queryable, ids: readonly number[]): Promise<Referrer[]> {
  const parts = restricting.map(
    ({ table, column, referrer }) =>
      `select ${referrer} as id, ${column} as target from ${table} where ${column} = any($1::int[])`,
  )
  return tx.query<Referrer>(
    `select distinct r.id, r.display_name as "displayName", f.target as "targetId"
       from (${parts.join(' union ')}) f join resource r on r.id = f.id order by r.id, f.target`,
    [ids],
  )
}

/**
 * Deletes the restricting references of resources about to be deleted. Otherwise PostgreSQL may check the target first
 * and refuse, although the referrer is deleted in the same statement.
 */
export async function deleteReferences(tx: Queryable, ids: readonly number[]): Promise<void> {
  const deletes = restricting.map(
    ({ table, referrer }, at) => `deleted${at} as (delete from ${table} where ${referrer} = any($1::int[]))`,
  )
  await tx.query(`with ${deletes.join(', ')} select`, [ids])
}
