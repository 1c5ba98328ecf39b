import type { Cls } from '../../contract/registry.ts'
import type { Queryable } from '../../database/database.ts'

/** A resource with its display name, for messages. */
export interface NamedResource {
  readonly id: number
  readonly cls: Cls
  readonly keyname: string | null
  readonly displayName: string
}

/** Finds the descriptions of resources, in HTML, by id; ids of resources without one are left out. */
export async function findDescriptions(tx: Queryable, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await tx.query<{ readonly id: number; readonly description: string }>(
    "select id, description from resource where id = any($1::int[]) and description <> ''",
    [ids],
  )
  return new Map(rows.map(({ id, description }) => [id, description]))
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
