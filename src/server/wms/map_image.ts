import { shown } from '../../ogc/ows_fault.ts'
import { boxOfView } from '../../ogc/wms/map_frame.ts'
import { WmsFault } from '../../ogc/wms/wms_fault.ts'
import type { ImageForm, MapView } from '../../ogc/wms/wms_request.ts'
import { isDrawnAt, type WmsLayer, type WmsService, wmsScaleDenom } from '../../ogc/wms/wms_service.ts'
import { encodeMap } from '../../render/image/encode_map.ts'
import type { ImageFrame } from '../../render/image/image_features.ts'
import type { ServerContext } from '../context.ts'
import type { Answer } from '../http/handler.ts'
import { answerImage } from '../render/answer_image.ts'
import { describePixelFault } from '../render/frame.ts'
import { findImageSystem, isOutside } from '../render/image_system.ts'
import { findNorthFirst } from '../wfs/north_first.ts'
import type { MapServiceRequest } from './published_wms.ts'

/**
 * Finds a layer by its name.
 *
 * @throws {WmsFault} LayerNotDefined
 */
export function findMapLayer({ layers }: WmsService, name: string, parameter = 'LAYERS'): WmsLayer {
  const found = layers.find((layer) => layer.name === name)
  if (found !== undefined) return found
  throw new WmsFault('LayerNotDefined', `The service has no layer ${shown(name)}.`, parameter)
}

/**
 * Returns the frame of a map.
 *
 * @throws {WmsFault} InvalidCRS, InvalidParameterValue for pixels that cannot be drawn
 */
export async function frameOfView({ database }: ServerContext, view: MapView): Promise<ImageFrame> {
  const { srs, crs, width, height, pixelRatio } = view
  const box = boxOfView(view, await findNorthFirst(database))
  if (srs === 3857) return checkPixels({ box, width, height, pixelRatio })
  const system = await findImageSystem(database, srs)
  if (system !== undefined) return checkPixels({ box, width, height, pixelRatio, system })
  throw new WmsFault('InvalidCRS', `Maps in ${shown(crs)} are not supported.`, 'CRS')
}

function checkPixels(frame: ImageFrame): ImageFrame {
  const fault = describePixelFault(frame)
  if (fault === undefined) return frame
  throw new WmsFault(
    'InvalidParameterValue',
    `BBOX, WIDTH and HEIGHT: ${fault.message} ${fault.hint}`,
    'BBOX',
  )
}

/** Returns the scale denominator of a frame, for the limits of layers. */
export function scaleOfFrame({ box, width, pixelRatio = 1, system }: ImageFrame): number {
  return wmsScaleDenom(((box[2] - box[0]) / width) * pixelRatio * (system?.metresPerUnit ?? 1))
}

/**
 * Draws layers, from bottom to top, and encodes the map. Layers outside their scale limits are left out.
 *
 * @throws {WmsFault}, {Problem} render/*
 */
export async function answerMap(
  http: Pick<MapServiceRequest, 'context' | 'caller' | 'headers' | 'signal'>,
  layers: readonly WmsLayer[],
  { frame, image }: { readonly frame: ImageFrame; readonly image: ImageForm },
): Promise<Answer> {
  const scale = scaleOfFrame(frame)
  const ids = layers.filter((layer) => isDrawnAt(layer, scale)).map(({ resourceId }) => resourceId)
  const answer = await answerImage(http, ids, { frame, nd: 200, cache: true, format: 'png' }).catch(
    (error: unknown) => {
      throw outsideProblem(error, frame)
    },
  )
  if (!('bytes' in answer)) return answer
  return { ...answer, ...(await encodeMap(answer.bytes, image)) }
}

/** Returns the fault of a map that extends beyond its reference system, for the error of the database. */
export function outsideProblem(error: unknown, frame: ImageFrame): unknown {
  if (!isOutside(error, frame)) return error
  return new WmsFault(
    'InvalidParameterValue',
    `The map, or a layer on it, extends beyond the area of EPSG:${frame.system?.srs}; request a smaller box.`,
    'BBOX',
  )
}
