import type { WebmapConfig } from '../../contract/bodies/webmap_config.ts'
import type { LabelChoice } from '../../contract/formats/image_format.ts'
import { maxLayers } from '../../contract/limits.ts'
import { isProblem } from '../../core/problem.ts'
import type { Bbox } from '../../geo/bbox.ts'
import { mercatorHalfWorld, mercatorOfLonLat } from '../../geo/mercator.ts'
import type { ImageFrame } from '../../render/image/image_features.ts'
import { overlayImages } from '../../render/image/overlay_images.ts'
import type { RenderSource } from '../../store/classes/render_source.ts'
import {
  drawOrder,
  imagesLabelledAbove,
  isShownAt,
  type LayersImage,
  labelledLayers,
  type MapLayer,
} from '../../style/map_layers.ts'
import type { ServerContext } from '../context.ts'
import type { Answer, ApiRequest } from '../http/handler.ts'
import { findExtents } from '../map/layer_extents.ts'
import { renderedLayerId } from '../map/layer_style.ts'
import { findServiceExtents } from '../map/service_extents.ts'
import { answerImage } from './answer_image.ts'
import { openImage } from './opened_image.ts'
import { openSources } from './sources/open_sources.ts'

type PreviewRequest = Pick<ApiRequest, 'context' | 'caller' | 'headers' | 'signal'>

/** Width and height of a preview in pixels. */
export type PreviewSize = readonly [width: number, height: number]

/** Draws a layer or a style in its extent; all of the world if it has none, or if it is not known. */
export async function answerLayerPreview(
  request: PreviewRequest,
  resource: RenderSource,
  size: PreviewSize,
): Promise<Answer> {
  const frame = frameAround(await findShownExtent(request.context, resource), size, margin)
  return answerImage(request, [resource.id], { frame, format: 'png', nd: 200, cache: true })
}

/** Draws a web map as its page opens, on white. Layers whose service does not answer are left out. */
export async function answerMapPreview(
  { context, caller, signal }: PreviewRequest,
  config: WebmapConfig,
  size: PreviewSize,
): Promise<Answer> {
  const frame = frameAround(config.initialExtent, size, 1)
  const drawn = planesOf(config, (frame.box[2] - frame.box[0]) / frame.width).map(
    async ({ opacity, ...plane }) => {
      const image = await drawPlane(context, { ...plane, frame, caller, signal })
      return image === undefined ? [] : [{ image, opacity }]
    },
  )
  const [width, height] = size
  const bytes = await overlayImages((await Promise.all(drawn)).flat(), { width, height })
  return { bytes, mediaType: 'image/png', headers: { 'cache-control': 'private, no-cache' } }
}

/** Resources that are drawn together. */
interface Plane {
  /** From bottom to top. */
  readonly ids: readonly number[]
  readonly opacity: number
  readonly labels: LabelChoice
}

/** Maximum number of images that a preview consists of, labels apart. */
const maxPlanes = 16

/** Lists what a map shows at a resolution, from bottom to top. */
function planesOf(config: WebmapConfig, resolution: number): Plane[] {
  const { basemaps, initialBasemap } = config.landform
  const bases = basemaps.filter(({ id }) => id === initialBasemap)
  const images = imagesOf(config, resolution).slice(0, maxPlanes)
  const above = imagesLabelledAbove(images)
  const idsOf = (layers: readonly MapLayer[]) => layers.map(({ styleId }) => styleId).toReversed()
  const planes = [
    ...bases.map(({ id, opacity }): Plane => ({ ids: [id], opacity, labels: 'yes' })),
    ...images
      .map((image): Plane => {
        const labels = above.includes(image) ? 'no' : 'yes'
        return { ids: idsOf(image.layers), opacity: image.opacity, labels }
      })
      .toReversed(),
  ].slice(-maxPlanes)
  const labelled = idsOf(above.flatMap(labelledLayers))
  return labelled.length === 0 ? planes : [...planes, { ids: labelled, opacity: 1, labels: 'only' }]
}

/** Lists the images of the layers, from top to bottom. Opaque layers that follow each other are drawn together. */
function imagesOf(config: WebmapConfig, resolution: number): LayersImage[] {
  const shown = drawOrder(config).filter((layer) => layer.visibility && isShownAt(layer, resolution))
  const images: { layers: MapLayer[]; opacity: number }[] = []
  for (const layer of shown) {
    const image = images.at(-1)
    // Layers of other services fail on their own.
    const mayJoin = layer.opacity === null && layer.landform.hasFeatures
    const isOpen = image?.layers.at(-1)?.landform.hasFeatures && image.layers.length < maxLayers
    if (image !== undefined && mayJoin && isOpen && image.opacity === 1) image.layers.push(layer)
    else images.push({ layers: [layer], opacity: layer.opacity ?? 1 })
  }
  return images
}

interface PlaneDrawing extends Omit<Plane, 'opacity'> {
  readonly frame: ImageFrame
  readonly caller: ApiRequest['caller']
  readonly signal: AbortSignal
}

async function drawPlane(
  context: ServerContext,
  { ids, labels, frame, caller, signal }: PlaneDrawing,
): Promise<Uint8Array | undefined> {
  try {
    const sources = await openSources(context, { ids, caller })
    const options = { frame, format: 'png', cache: true, labels } as const
    const image = await openImage(context, { ids, sources }, options).find(signal)
    return image.isEmpty ? undefined : image.bytes
  } catch (error) {
    if (isProblem(error) && error.code.startsWith('external/')) return undefined
    throw error
  }
}

/** Returns the extent of what is drawn, in degrees; undefined if it is not known. */
async function findShownExtent(context: ServerContext, resource: RenderSource): Promise<Bbox | undefined> {
  const layerId = renderedLayerId(resource)
  const known = (await findExtents(context, [layerId])).get(layerId)
  if (known !== undefined) return known
  const [box, ...others] = (await findServiceExtents(context.database, [layerId])).get(layerId) ?? []
  return others.length === 0 ? box : undefined
}

/** Times by which the frame of a layer is larger than its extent. */
const margin = 1.1

/** Minimum width and height of a frame in metres, for single points. */
const minSide = 2000

/** Returns the frame of a size that shows an extent, enlarged by a factor. */
function frameAround(
  extent: readonly [number, number, number, number] = [-180, -90, 180, 90],
  [width, height]: PreviewSize,
  factor: number,
): ImageFrame {
  const [west, south, east, north] = extent
  // An extent across the antimeridian is not drawn in one piece.
  const [from, to] = west < east ? [west, east] : west === east ? [west, west] : [-180, 180]
  const [[minX, minY], [maxX, maxY]] = [mercatorOfLonLat(from, south), mercatorOfLonLat(to, north)]
  const [wanted, across] = [Math.max(minSide, maxX - minX), Math.max(minSide, maxY - minY)]
  const pixel = factor * Math.min(2 * mercatorHalfWorld, Math.max(wanted / width, across / height))
  const [x, y] = [(minX + maxX) / 2, (minY + maxY) / 2]
  const [halfWidth, halfHeight] = [(pixel * width) / 2, (pixel * height) / 2]
  return {
    box: [x - halfWidth, y - halfHeight, x + halfWidth, y + halfHeight],
    ...{ width, height, pixelRatio: 1 },
  }
}
