import type { Queryable } from '../database/database.ts'

/** Finds the display names of resources by id. */
export async function findDisplayNames(tx: Queryable, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await tx.query<{ id: number; name: string }>(
    'select id, display_name as name from resource where id = any($1::int[])',
    [ids],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
