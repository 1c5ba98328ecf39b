import { problem } from '../../contract/problems.ts'
import { steadily } from '../features/open_layer.ts'
import type { Handlers } from '../http/handler.ts'
import { answerTile, readTileRequest } from '../map/vector_tile.ts'
import { requirePermission } from '../resource/require_permission.ts'

/** Operations that render tiles. */
export const renderHandlers: Handlers<'render.mvt' | 'render.mvt_path'> = {
  'render.mvt': steadily(async (request) => {
    const { context, caller, query } = request
    const ids = query.resource ?? []
    if (ids.length === 0) throw problem('request/invalid', 'Missing parameter "resource".')
    const tile = readTileRequest(query)
    await requirePermission(context, caller, { ids, permission: 'data.read' })
    return answerTile(request, ids, tile)
  }),

  'render.mvt_path': steadily(({ params: { id, z, x, y }, ...request }) =>
    answerTile(request, [id], readTileRequest({ z, x, y })),
  ),
}
