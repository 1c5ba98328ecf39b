import { isResourceId } from '../../contract/limits.ts'
import type { Cls } from '../../contract/registry.ts'
import type { Queryable } from '../../database/database.ts'

/** Finds the classes of resources; ids without a resource are left out. */
export async function findResourceClasses(tx: Queryable, ids: readonly number[]): Promise<Map<number, Cls>> {
  const known = ids.filter(isResourceId)
  if (known.length === 0) return new Map()
  const rows = await tx.query<{ id: number; cls: Cls }>(
    'select id, cls from resource where id = any($1::int[])',
    [known],
  )
  return new Map(rows.map(({ id, cls }) => [id, cls]))
}

/** Class and parent of a resource. */
export interface ResourcePlace {
  readonly cls: Cls
  readonly parentId: number | null
}

/** Finds the class and parent of a resource. */
export async function findResourcePlace(tx: Queryable, id: number): Promise<ResourcePlace | undefined> {
  if (!isResourceId(id)) return undefined
  const [row] = await tx.query<ResourcePlace>(
    'select cls, parent_id as "parentId" from resource where id = $1',
    [id],
  )
  return row
}
