import type { IncomingHttpHeaders } from 'node:http'
import { problem } from '../../contract/problems.ts'
import { retryOnSchemaChange } from '../features/open_layer.ts'
import type { Handlers } from '../http/handler.ts'
import { answerTileAgain } from '../map/remembered_tile.ts'
import { answerTile, readTileRequest } from '../map/vector_tile.ts'
import { answerImage } from '../render/answer_image.ts'
import { isWhole, readDrawChoice } from '../render/draw_choice.ts'
import { imageFrame, tileFrame } from '../render/frame.ts'
import { chooseFormat } from '../render/image_format.ts'
import { frameInSystem, outsideImage } from '../render/image_system.ts'
import { answerImageAgain } from '../render/remembered_image.ts'
import { requirePermission } from '../resource/require_permission.ts'

/** Operations that render tiles. */
export const renderHandlers: Handlers<'render.mvt' | 'render.mvt_path' | 'render.tile' | 'render.image'> = {
  'render.mvt': retryOnSchemaChange(async (request) => {
    const { context, caller, query } = request
    const ids = needResources(query.resource)
    const tile = readTileRequest(query)
    const { style: styles = [] } = query
    await requirePermission(context, caller, { ids: [...ids, ...styles], permission: 'data.read' })
    const answer = await answerTile(request, { ids, styles }, tile)
    return styles.length > 0 ? answer : { ...answer, again: answerTileAgain(context, ids, tile) }
  }),

  'render.mvt_path': retryOnSchemaChange(async ({ params: { id, z, x, y }, ...request }) => {
    const tile = readTileRequest({ z, x, y })
    const answer = await answerTile(request, { ids: [id] }, tile)
    return { ...answer, again: answerTileAgain(request.context, [id], tile) }
  }),

  'render.tile': retryOnSchemaChange(async (request) => {
    const { context, caller, query, more } = request
    const ids = needResources(query.resource)
    const choice = readDrawChoice(more)
    const format = chooseFormat(query.format, request.headers.accept)
    const frame = tileFrame(query, query.scale)
    await requirePermission(context, caller, { ids, permission: 'data.read' })
    const { nd = 200, cache = true, labels = 'yes' } = query
    const options = { frame, format, nd, cache, choice, labels }
    const answer = await answerImage(request, ids, options)
    if (!cache || !isWhole(choice)) return answer
    const again = answerImageAgain(context, ids, options)
    const isSame = ({ accept }: IncomingHttpHeaders) => chooseFormat(query.format, accept) === format
    return { ...answer, again: (one) => (isSame(one.headers) ? again(one) : undefined) }
  }),

  'render.image': retryOnSchemaChange(async (request) => {
    const { context, caller, query, more } = request
    const ids = needResources(query.resource)
    const choice = readDrawChoice(more)
    const format = chooseFormat(query.format, request.headers.accept)
    const frame = await frameInSystem(context.database, imageFrame({ ...query, format }), query.srs)
    await requirePermission(context, caller, { ids, permission: 'data.read' })
    const { nd = 200, cache = true, labels = 'yes', tdi } = query
    const options = { frame, format, nd, cache, choice, labels, isDebug: tdi === 'yes' }
    return answerImage(request, ids, options).catch((error: unknown) => {
      throw outsideImage(error, frame)
    })
  }),
}

function needResources(ids: readonly number[] = []): readonly number[] {
  if (ids.length === 0) throw problem('request/invalid', 'Missing parameter "resource".')
  return ids
}
