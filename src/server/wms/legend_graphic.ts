import { WmsFault } from '../../ogc/wms/wms_fault.ts'
import type { GetLegendGraphic } from '../../ogc/wms/wms_request.ts'
import type { WmsLayer } from '../../ogc/wms/wms_service.ts'
import { encodeMap } from '../../render/image/encode_map.ts'
import type { Answer } from '../http/handler.ts'
import { drawLegend, openLegends } from '../render/legend/legend.ts'
import type { MapServiceRequest } from './published_wms.ts'

/**
 * Answers with the legend of a layer.
 *
 * @throws {WmsFault} OperationNotSupported for layers without one
 */
export async function answerLegend(
  { context, signal }: Pick<MapServiceRequest, 'context' | 'signal'>,
  { name, resourceId }: WmsLayer,
  { image, pixelRatio }: Pick<GetLegendGraphic, 'image' | 'pixelRatio'>,
): Promise<Answer> {
  const legend = (await openLegends(context, [resourceId])).get(resourceId)
  if (legend === undefined)
    throw new WmsFault('OperationNotSupported', `The layer ${JSON.stringify(name)} has no legend.`, 'LAYER')
  const { bytes } = await drawLegend(context, legend, { form: { kind: 'image', scale: pixelRatio }, signal })
  return encodeMap(bytes, image)
}
