import type { rasterRoutes } from '../../contract/routes/raster.ts'
import { findRasters, type Raster } from '../../store/classes/raster_layer.ts'
import { answerFile } from '../http/file_answer.ts'
import type { ApiRequest, Handlers } from '../http/handler.ts'
import { mediaTypeOf } from '../http/media_type.ts'
import { lacksPart } from '../resource/require_permission.ts'

/** Operations on raster layers. */
export const rasterHandlers: Handlers<keyof typeof rasterRoutes> = {
  'raster.cog': async (request) => {
    const { digest, sizeBytes } = await getRaster(request)
    const mediaType = 'image/tiff; application=geotiff; profile=cloud-optimized'
    return answerFile(request, { digest, sizeBytes, name: `${request.params.id}.tif`, mediaType })
  },

  'raster.download': async (request) => {
    const { sourceDigest: digest, sourceSizeBytes: sizeBytes, sourceName } = await getRaster(request)
    const name = sourceName ?? `${request.params.id}.tif`
    return answerFile(request, { digest, sizeBytes, name, mediaType: mediaTypeOf(name) })
  },
}

async function getRaster({
  context,
  params: { id },
}: Pick<ApiRequest<keyof typeof rasterRoutes>, 'context' | 'params'>): Promise<Raster> {
  const raster = (await findRasters(context.database, [id])).get(id)
  if (raster === undefined) throw await lacksPart(context.database, id, 'raster')
  return raster
}
