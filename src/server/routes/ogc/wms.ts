import type { wmsRoutes } from '../../../contract/routes/wms.ts'
import { collectParameters, type Parameters } from '../../../ogc/key_value_pairs.ts'
import { wmsCapabilities } from '../../../ogc/wms/capabilities.ts'
import { parseWms } from '../../../ogc/wms/parse_wms.ts'
import { WmsFault } from '../../../ogc/wms/wms_fault.ts'
import type { WmsRequest } from '../../../ogc/wms/wms_request.ts'
import { retryOnSchemaChange } from '../../features/open_layer.ts'
import type { Answer, ApiRequest, Handlers } from '../../http/handler.ts'
import { describeMaps } from '../../wms/described_maps.ts'
import { answerFeatureInfo } from '../../wms/feature_info_answer.ts'
import { answerLegend } from '../../wms/legend_graphic.ts'
import { answerMap, findMapLayer, frameOfView } from '../../wms/map_image.ts'
import { openMaps } from '../../wms/published_wms.ts'
import { findWmsError } from '../../wms/wms_error.ts'

type WmsHttpRequest = ApiRequest<keyof typeof wmsRoutes>

/** Operations of WMS services. */
export const wmsHandlers: Handlers<keyof typeof wmsRoutes> = {
  'wms.get': (request) => reportFaults(request, collectParameters(request.more), () => undefined),

  'wms.post': (request) => {
    const fields = Object.entries(request.body ?? {}).map(([name, value]) => [name, String(value)] as const)
    const checkForm = () => {
      if (fields.some(([name]) => name.trimStart().startsWith('<')))
        throw new WmsFault(
          'OperationNotSupported',
          'Requests in XML are not supported; send keyword-value pairs as a form.',
        )
    }
    return reportFaults(request, collectParameters([...request.more, ...fields]), checkForm)
  },
}

/** Answers a request; refused ones with an exception of their version. */
async function reportFaults(
  request: WmsHttpRequest,
  parameters: Parameters,
  check: () => void,
): Promise<Answer> {
  try {
    check()
    return await answerWms({ request, wanted: parseWms(parameters) })
  } catch (error) {
    const { id: requestId, caller, url } = request
    const answer = await findWmsError(error, parameters, { url, requestId, isGuest: caller.isGuest })
    if (answer === undefined) throw error
    return answer
  }
}

interface ParsedRequest {
  readonly request: WmsHttpRequest
  readonly wanted: WmsRequest
}

const answerWms = retryOnSchemaChange(async ({ request, wanted }: ParsedRequest): Promise<Answer> => {
  const { context } = request
  const maps = await openMaps(request)
  const { service } = maps
  switch (wanted.operation) {
    case 'GetCapabilities': {
      const described = await describeMaps(request, maps)
      const text = wmsCapabilities(described, wanted.protocol)
      const isOld = wanted.protocol.version === '1.1.1'
      const mediaType = isOld ? 'application/vnd.ogc.wms_xml' : 'text/xml; charset=utf-8'
      return { bytes: Buffer.from(text), mediaType }
    }
    case 'GetMap': {
      const layers = wanted.layers.map((name) => findMapLayer(service, name))
      const frame = await frameOfView(context, wanted.view)
      return answerMap(request, layers, { frame, image: wanted.image })
    }
    case 'GetFeatureInfo': {
      const layers = wanted.layers.map((name) => findMapLayer(service, name, 'QUERY_LAYERS'))
      const frame = await frameOfView(context, wanted.view)
      return answerFeatureInfo(request, maps, { ...wanted, layers, frame, signal: request.signal })
    }
    case 'GetLegendGraphic':
      return answerLegend(request, findMapLayer(service, wanted.layer, 'LAYER'), wanted)
  }
})
