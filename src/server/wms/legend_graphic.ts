import { WmsFault } from '../../ogc/wms/wms_fault.ts'
import type { ImageForm } from '../../ogc/wms/wms_request.ts'
import type { WmsLayer } from '../../ogc/wms/wms_service.ts'
import type { Answer } from '../http/handler.ts'
import type { MapServiceRequest } from './published_wms.ts'

/** Answers with the legend of a layer. */
export function answerLegend(_: MapServiceRequest, layer: WmsLayer, __: ImageForm): Promise<Answer> {
  throw new WmsFault('OperationNotSupported', layer.name)
}
