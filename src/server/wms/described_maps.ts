import type { WmsLayer, WmsService } from '../../ogc/wms/wms_service.ts'
import { readDescriptions } from '../resource/description.ts'
import { withLegendSizes } from './legend_sizes.ts'
import { type MapServiceRequest, type PublishedMaps, withMapExtents } from './published_wms.ts'

/** Adds what capabilities state of a service: extents, reference systems, sizes of legends and descriptions. */
export async function describeMaps(request: MapServiceRequest, maps: PublishedMaps): Promise<WmsService> {
  const { context, signal } = request
  const service = await withLegendSizes(context, await withMapExtents(context, maps), signal)
  return withAbstracts(request, { ...maps, service })
}

/** Adds the descriptions that the caller may read. A style without one has that of its layer. */
async function withAbstracts(
  request: MapServiceRequest,
  { id, service, featureLayers, imageLayerIds }: PublishedMaps,
): Promise<WmsService> {
  const idsOf = ({ resourceId }: WmsLayer) => [
    resourceId,
    featureLayers.get(resourceId)?.resourceId ?? imageLayerIds.get(resourceId) ?? resourceId,
  ]
  const texts = await readDescriptions(request, [...new Set([id, ...service.layers.flatMap(idsOf)])])
  const layers = service.layers.map((layer) => {
    const [own, drawn] = idsOf(layer).map((one) => texts.get(one))
    return { ...layer, abstract: own ?? drawn }
  })
  return { ...service, abstract: texts.get(id), layers }
}
