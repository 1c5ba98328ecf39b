import type { Dialect } from '../../contract/dialect/dialect.ts'
import type { TileRequest } from '../../render/vector_tile/tile_grid.ts'
import type { TrackedLayer } from '../../store/layer/stored_layer.ts'
import type { ServerContext } from '../context.ts'
import { remembered } from '../hot/hot_reads.ts'
import type { AnswerAgain } from '../http/handler.ts'
import { isRemembered } from '../resource/require_permission.ts'
import type { TileIdentity } from './current_cache.ts'
import { answerCached, identifyTile } from './vector_tile.ts'

/**
 * Answers further requests for a vector tile without styles. The permission of the caller and the versions of the layers are
 * looked up for each of them.
 */
export function answerTileAgain(
  context: ServerContext,
  ids: readonly number[],
  request: TileRequest,
): AnswerAgain {
  let last: { found: ReadonlyMap<number, TrackedLayer>; dialect: Dialect; tile: TileIdentity | undefined }
  const identify = (found: ReadonlyMap<number, TrackedLayer>, dialect: Dialect) => {
    // Layers that did not change are the same objects.
    if (last?.found === found && last.dialect === dialect) return last.tile
    const layers = [...new Set(ids)].flatMap((id) => found.get(id) ?? [])
    last = { found, dialect, tile: identifyTile({ layers, dialect }, request) }
    return last.tile
  }
  return ({ caller, headers, dialect }) => {
    if (!isRemembered(context, caller, { ids, permission: 'data.read' })) return undefined
    const found = remembered.layers(context, ids)
    if (found === undefined || ids.some((id) => !found.has(id))) return undefined
    const identity = identify(found, dialect)
    const tile = identity && context.layerCaches.tiles.find(identity)
    const answer = tile && answerCached(tile, headers)
    return answer instanceof Promise ? undefined : answer
  }
}
