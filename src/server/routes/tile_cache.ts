import { descriptorOf } from '../../contract/registry.ts'
import { flushTiles } from '../../store/classes/tile_cache.ts'
import { findResourceClasses } from '../../store/resource/resource_class.ts'
import type { ServerContext } from '../context.ts'
import type { Handlers } from '../http/handler.ts'
import { lacksPart } from '../resource/require_permission.ts'

/** Operations on the tiles that the server keeps of a style. */
export const tileCacheHandlers: Handlers<'tile_cache.count' | 'tile_cache.purge'> = {
  'tile_cache.count': async ({ context, params: { id } }) => {
    await requireTileCache(context, id)
    const zooms = await context.tileStore.count(id)
    const sum = (part: 'tiles' | 'bytes') => zooms.reduce((total, zoom) => total + zoom[part], 0)
    return { json: { tiles: sum('tiles'), bytes: sum('bytes'), zooms: [...zooms] } }
  },

  'tile_cache.purge': async ({ context, params: { id } }) => {
    await requireTileCache(context, id)
    // Other processes, and tiles that are being drawn, have the former generation in their keys.
    await context.database.transaction((tx) => flushTiles(tx, [id]))
    context.tileStore.purge(id)
    return { json: {} }
  },
}

async function requireTileCache({ database }: ServerContext, id: number): Promise<void> {
  const cls = (await findResourceClasses(database, [id])).get(id)
  if (cls === undefined || !('tile_cache' in descriptorOf(cls).members))
    throw await lacksPart(database, id, 'tile cache')
}
