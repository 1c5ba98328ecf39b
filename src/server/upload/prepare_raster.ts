import { readPreparation } from '../batch/preparation.ts'
import { prepareRaster } from '../classes/raster_layer_source.ts'
import type { ApiRequest } from '../http/handler.ts'
import { invalidAt } from '../http/invalid_request.ts'

/**
 * Reads and checks a picture, for a layer to take over within a day.
 *
 * @throws {Problem} access/denied, resource/not-found, request/invalid, upload/not-found, source/*
 */
export async function preparePicture(request: ApiRequest<'source.prepare'>) {
  const { context, caller, body, signal, once } = request
  const members = await readPreparation(request, 'raster_layer')
  const made = await prepareRaster({ context, caller, id: body.id, members, signal })
  if (made?.facts === undefined) throw invalidAt('/raster_layer/source', 'missing field "source"')
  const { srs, xsize, ysize, colorInterpretation } = made.facts
  const picture = { srs: { id: srs }, xsize, ysize, band_count: colorInterpretation.length }
  const answer = { id: made.preparedId, picture }
  try {
    await context.database.transaction((tx) => once.keep(tx, answer))
    return answer
  } catch (error) {
    await made.discard()
    throw error
  }
}
