import type { Cls } from '../../contract/registry.ts'
import type { Queryable } from '../../database/database.ts'

/** A resource with its display name, for messages. */
export interface NamedResource {
  readonly id: number
  readonly cls: Cls
  readonly keyname: string | null
  readonly displayName: string
}

/** Finds the names of resources by id; ids without a resource are left out. */
export async function findResourceNames(
  tx: Queryable,
  ids: readonly number[],
): Promise<Map<number, NamedResource>> {
  const rows = await tx.query<NamedResource>(
    'select id, cls, keyname, display_name as "displayName" from resource where id = any($1::int[])',
    [ids],
  )
  return new Map(rows.map((row) => [row.id, row]))
}
