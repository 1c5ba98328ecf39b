import type { Cls } from '../../contract/registry.ts'
import type { Queryable } from '../../database/database.ts'

/** A resource to render. */
export interface RenderSource {
  readonly id: number
  readonly cls: Cls
  readonly parentId: number | null
  /** Changes with the style. */
  readonly version: number
}

/** Finds resources to render by id, in one statement; ids without a resource are left out. */
export async function findRenderSources(
  tx: Queryable,
  ids: readonly number[],
): Promise<Map<number, RenderSource>> {
  const rows = await tx.query<RenderSource>(
    'select id, cls, parent_id as "parentId", version from resource where id = any($1::int[])',
    [ids],
    { prepared: true },
  )
  return new Map(rows.map((row) => [row.id, row]))
}
