import { problem } from '../../contract/problems.ts'
import { retryOnSchemaChange } from '../features/open_layer.ts'
import type { Handlers } from '../http/handler.ts'
import { answerTile, readTileRequest } from '../map/vector_tile.ts'
import { answerImage } from '../render/answer_image.ts'
import { readDrawChoice } from '../render/draw_choice.ts'
import { imageFrame, tileFrame } from '../render/frame.ts'
import { chooseFormat } from '../render/image_format.ts'
import { frameInSystem, outsideImage } from '../render/image_system.ts'
import { requirePermission } from '../resource/require_permission.ts'

/** Operations that render tiles. */
export const renderHandlers: Handlers<'render.mvt' | 'render.mvt_path' | 'render.tile' | 'render.image'> = {
  'render.mvt': retryOnSchemaChange(async (request) => {
    const { context, caller, query } = request
    const ids = needResources(query.resource)
    const tile = readTileRequest(query)
    const { style: styles = [] } = query
    await requirePermission(context, caller, { ids: [...ids, ...styles], permission: 'data.read' })
    return answerTile(request, { ids, styles }, tile)
  }),

  'render.mvt_path': retryOnSchemaChange(({ params: { id, z, x, y }, ...request }) =>
    answerTile(request, { ids: [id] }, readTileRequest({ z, x, y })),
  ),

  'render.tile': retryOnSchemaChange(async (request) => {
    const { context, caller, query, more } = request
    const ids = needResources(query.resource)
    const choice = readDrawChoice(more)
    const format = chooseFormat(query.format, request.headers.accept)
    const frame = tileFrame(query, query.scale)
    await requirePermission(context, caller, { ids, permission: 'data.read' })
    const { nd = 200, cache = true } = query
    return answerImage(request, ids, { frame, format, nd, cache, choice })
  }),

  'render.image': retryOnSchemaChange(async (request) => {
    const { context, caller, query, more } = request
    const ids = needResources(query.resource)
    const choice = readDrawChoice(more)
    const format = chooseFormat(query.format, request.headers.accept)
    const frame = await frameInSystem(context.database, imageFrame({ ...query, format }), query.srs)
    await requirePermission(context, caller, { ids, permission: 'data.read' })
    const { nd = 200, cache = true, tdi } = query
    const options = { frame, format, nd, cache, choice, isDebug: tdi === 'yes' }
    return answerImage(request, ids, options).catch((error: unknown) => {
      throw outsideImage(error, frame)
    })
  }),
}

function needResources(ids: readonly number[] = []): readonly number[] {
  if (ids.length === 0) throw problem('request/invalid', 'Missing parameter "resource".')
  return ids
}
