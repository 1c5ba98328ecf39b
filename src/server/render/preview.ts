import type { WebmapConfig } from '../../contract/bodies/webmap_config.ts'
import { maxLayers } from '../../contract/limits.ts'
import { isProblem } from '../../core/problem.ts'
import type { Bbox } from '../../geo/bbox.ts'
import { mercatorHalfWorld, mercatorOfLonLat } from '../../geo/mercator.ts'
import type { ImageFrame } from '../../render/image/image_features.ts'
import { overlayImages } from '../../render/image/overlay_images.ts'
import { findRasters } from '../../store/classes/raster_layer.ts'
import type { RenderSource } from '../../store/classes/render_source.ts'
import { isForeign } from '../../store/feature/feature_table.ts'
import { findLayers } from '../../store/layer/stored_layer.ts'
import { drawOrder, isShownAt } from '../../style/map_layers.ts'
import type { ServerContext } from '../context.ts'
import type { Answer, ApiRequest } from '../http/handler.ts'
import { renderedLayerId } from '../map/layer_style.ts'
import { findExtent, rasterExtent } from '../wms/published_wms.ts'
import { answerImage } from './answer_image.ts'
import { openImage } from './opened_image.ts'
import { openSources } from './sources/open_sources.ts'

type PreviewRequest = Pick<ApiRequest, 'context' | 'headers' | 'signal'>

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
  { context, signal }: PreviewRequest,
  config: WebmapConfig,
  size: PreviewSize,
): Promise<Answer> {
  const frame = frameAround(config.initialExtent, size, 1)
  const drawn = planesOf(config, (frame.box[2] - frame.box[0]) / frame.width).map(
    async ({ ids, opacity }) => {
      const image = await drawPlane(context, { ids, frame, signal })
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
}

/** Maximum number of images that a preview consists of. */
const maxPlanes = 16

/** Lists what a map shows at a resolution, from bottom to top. Opaque layers that follow each other are drawn together. */
function planesOf(config: WebmapConfig, resolution: number): Plane[] {
  const { basemaps, initialBasemap } = config.landform
  const shown = drawOrder(config).filter((layer) => layer.visibility && isShownAt(layer, resolution))
  const bases = basemaps.filter(({ id }) => id === initialBasemap)
  const planes = bases.map(({ id, opacity }): { ids: number[]; opacity: number } => ({ ids: [id], opacity }))
  for (const { styleId, opacity, landform } of shown.toReversed()) {
    const plane = planes.at(-1)
    // Layers of other services fail on their own.
    const isApart = opacity !== null || !landform.hasFeatures || planes.length === bases.length
    if (plane === undefined || isApart || plane.opacity !== 1 || plane.ids.length === maxLayers)
      planes.push({ ids: [styleId], opacity: opacity ?? 1 })
    else plane.ids.push(styleId)
  }
  return planes.slice(-maxPlanes)
}

async function drawPlane(
  context: ServerContext,
  {
    ids,
    frame,
    signal,
  }: { readonly ids: readonly number[]; readonly frame: ImageFrame; readonly signal: AbortSignal },
): Promise<Uint8Array | undefined> {
  try {
    const sources = await openSources(context, ids)
    const image = await openImage(context, { ids, sources }, { frame, format: 'png', cache: true }).find(
      signal,
    )
    return image.isEmpty ? undefined : image.bytes
  } catch (error) {
    if (isProblem(error) && error.code.startsWith('external/')) return undefined
    throw error
  }
}

/** Returns the extent of what is drawn, in degrees; undefined if it is not known. */
async function findShownExtent(context: ServerContext, resource: RenderSource): Promise<Bbox | undefined> {
  const layerId = renderedLayerId(resource)
  const layer = (await findLayers(context.database, [layerId])).get(layerId)
  if (layer !== undefined) return isForeign(layer) ? undefined : findExtent(context, layer)
  return rasterExtent((await findRasters(context.database, [layerId])).get(layerId))
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
