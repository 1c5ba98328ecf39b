import type { Queryable } from '../../database/database.ts'

/** A key of a lookup table. */
export interface LookupKey {
  readonly table: number
  readonly key: string
}

/** A key of a lookup table, with its label. */
export interface LookupLabel extends LookupKey {
  readonly label: string
}

/** Reads the labels of keys, in one statement; omits keys that a table does not have. Tables may be much larger than what is read. */
export async function findLookupLabels(tx: Queryable, keys: readonly LookupKey[]): Promise<LookupLabel[]> {
  if (keys.length === 0) return []
  const tables = keys.map(({ table }) => table)
  return tx.query<LookupLabel>(
    `select t.resource_id as table, item.key, item.value as label
       from lookup_table t
      cross join lateral json_each_text(t.items) as item
      where t.resource_id = any($1::int[])
        and (t.resource_id, item.key) in (select * from unnest($1::int[], $2::text[]))`,
    [tables, keys.map(({ key }) => key)],
    { prepared: true },
  )
}
