import type { Queryable } from '../../database/database.ts'
import { rowTable } from './row_table.ts'

/** Stored member `tile_cache` of a style. */
export interface TileCacheRow {
  readonly enabled: boolean
  readonly image_compose: boolean
  readonly max_z: number | null
  readonly ttl: number | null
}

/** Settings of the tile caches of styles; styles without a row have the defaults. */
export const tileCaches = rowTable<TileCacheRow>('tile_cache', {
  enabled: 'boolean',
  image_compose: 'boolean',
  max_z: 'integer',
  ttl: 'integer',
})

/** Forgets the kept tiles of styles, on all processes. */
export async function flushTiles(tx: Queryable, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await tx.query('update tile_cache set generation = gen_random_uuid() where resource_id = any($1::int[])', [
    ids,
  ])
}

/** Tiles that are kept of a style. */
export interface KeptTiles {
  /** Whether images are composed of them. */
  readonly isComposed: boolean
  /** Highest zoom level; null for all. */
  readonly maxZ: number | null
  /** Maximum age in seconds; null without limit. */
  readonly ttl: number | null
  /** Changes when the tiles are flushed. */
  readonly generation: string
}
