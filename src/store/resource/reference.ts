import type { Queryable } from '../../database/database.ts'

/** Columns that point at a resource and refuse its deletion, with the column of the resource that holds them. */
const refusing = [
  { table: 'resource_connection', column: 'connection_id', holder: 'resource_id' },
  { table: 'layer_field', column: 'lookup_table_id', holder: 'layer_id' },
] as const

/** Tables and columns whose rows refuse the deletion of what they point at. */
export const refusingColumns: readonly string[] = refusing.map(({ table, column }) => `${table}.${column}`)

/** A resource that points at another one. */
export interface Referrer {
  readonly id: number
  readonly displayName: string
  /** The resource it points at. */
  readonly targetId: number
}

/** Lists the resources that point at some and refuse the deletion of what they point at, these themselves included. */
export async function listReferrers(tx: Queryable, ids: readonly number[]): Promise<Referrer[]> {
  const parts = refusing.map(
    ({ table, column, holder }) =>
      `select ${holder} as id, ${column} as target from ${table} where ${column} = any($1::int[])`,
  )
  return tx.query<Referrer>(
    `select distinct r.id, r.display_name as "displayName", f.target as "targetId"
       from (${parts.join(' union ')}) f join resource r on r.id = f.id order by r.id, f.target`,
    [ids],
  )
}

/**
 * Takes away the rows with which some resources point at others and refuse their deletion. The rows would go with
 * their resources, but PostgreSQL may look at the target first, and refuse though both are deleted at once.
 */
export async function dropReferences(tx: Queryable, ids: readonly number[]): Promise<void> {
  const deletes = refusing.map(
    ({ table, holder }, at) => `gone${at} as (delete from ${table} where ${holder} = any($1::int[]))`,
  )
  await tx.query(`with ${deletes.join(', ')} select`, [ids])
}
