import type { wmtsRoutes } from '../../../contract/routes/wmts.ts'
import { tileBbox } from '../../../geo/tile.ts'
import { collectParameters } from '../../../ogc/key_value_pairs.ts'
import { wmtsCapabilities } from '../../../ogc/wmts/capabilities.ts'
import { parseWmts, parseWmtsPath, type TilePlace, type WmtsRequest } from '../../../ogc/wmts/parse_wmts.ts'
import type { ImageFrame } from '../../../render/image/image_features.ts'
import { retryOnSchemaChange } from '../../features/open_layer.ts'
import type { Answer, ApiRequest, Handlers } from '../../http/handler.ts'
import { describeMaps } from '../../wms/described_maps.ts'
import { answerFeatureInfo } from '../../wms/feature_info_answer.ts'
import { answerMap, findMapLayer } from '../../wms/map_image.ts'
import { openMaps, serviceAddress } from '../../wms/published_wms.ts'
import { findWmtsError } from '../../wmts/wmts_error.ts'

type WmtsHttpRequest = Omit<ApiRequest<'wmts.get'>, 'query' | 'body'>

/** Operations of WMTS services. */
export const wmtsHandlers: Handlers<keyof typeof wmtsRoutes> = {
  'wmts.get': (request) => {
    return reportFaults(request, () => parseWmts(collectParameters(request.more)))
  },

  'wmts.rest': (request) => {
    const path = request.url.replace(/[?#].*$/s, '').slice(serviceAddress(request.url).length)
    return reportFaults(request, () => parseWmtsPath(path))
  },
}

async function reportFaults(request: WmtsHttpRequest, parse: () => WmtsRequest): Promise<Answer> {
  try {
    return await answerWmts({ request, wanted: parse() })
  } catch (error) {
    const { id: requestId, caller, url } = request
    const answer = findWmtsError(error, { url, requestId, isGuest: caller.isGuest })
    if (answer === undefined) throw error
    return answer
  }
}

interface ParsedRequest {
  readonly request: WmtsHttpRequest
  readonly wanted: WmtsRequest
}

const answerWmts = retryOnSchemaChange(async ({ request, wanted }: ParsedRequest): Promise<Answer> => {
  const maps = await openMaps(request)
  if (wanted.operation === 'GetCapabilities') {
    const described = await describeMaps(request, maps)
    return { bytes: Buffer.from(wmtsCapabilities(described)), mediaType: 'application/xml' }
  }
  const layers = [findMapLayer(maps.service, wanted.layer, 'Layer')]
  const frame = frameOfTile(wanted)
  if (wanted.operation === 'GetTile') {
    const image = { format: wanted.format, isTransparent: true, background: '#ffffff' }
    return answerMap(request, layers, { frame, image })
  }
  const { pixel, format } = wanted
  const query = { layers, frame, pixel, tolerance, featureCount, format, signal: request.signal }
  return answerFeatureInfo(request, maps, query)
})

/** Distance from the pixel in which points and lines are found, in pixels. */
const tolerance = 5

/** Maximum number of features. */
const featureCount = 50

function frameOfTile({ address, tileSize }: TilePlace): ImageFrame {
  return { box: tileBbox(address), width: tileSize, height: tileSize }
}
