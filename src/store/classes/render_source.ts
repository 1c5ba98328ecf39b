import type { Cls } from '../../contract/registry.ts'
import type { Queryable } from '../../database/database.ts'
import type { KeptTiles } from './tile_cache.ts'

/** A resource to render. */
export interface RenderSource {
  readonly id: number
  readonly cls: Cls
  readonly parentId: number | null
  /** Changes with the style. */
  readonly version: number
  /** Tiles that are kept on disk; null if none are. */
  readonly keptTiles: KeptTiles | null
}

const find = `
  select r.id, r.cls, r.parent_id as "parentId", r.version,
         case when c.enabled
           then json_build_object('isComposed', c.image_compose, 'maxZ', c.max_z, 'ttl', c.ttl, 'generation', c.generation)
         end as "keptTiles"
    from resource r left join tile_cache c on c.resource_id = r.id
   where r.id = any($1::int[])`

/** Finds resources to render by id, in one statement; ids without a resource are left out. */
export async function findRenderSources(
  tx: Queryable,
  ids: readonly number[],
): Promise<Map<number, RenderSource>> {
  const rows = await tx.query<RenderSource>(find, [ids], { prepared: true })
  return new Map(rows.map((row) => [row.id, row]))
}
