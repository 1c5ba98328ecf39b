import { createHash } from 'node:crypto'
import { type ImageFormat, imageMediaTypes } from '../../contract/image_format.ts'
import type { DrawnImage } from '../../render/image/draw_job.ts'
import type { ImageFrame } from '../../render/image/image_features.ts'
import type { ServerContext } from '../context.ts'
import { matchesTag } from '../http/byte_range.ts'
import type { Answer, ApiRequest } from '../http/handler.ts'
import { findKeptZoom, keptTilesKey } from '../tile_store/kept_tile.ts'
import type { TileName } from '../tile_store/tile_store.ts'
import { type DrawChoice, isWhole } from './draw_choice.ts'
import { drawSources } from './draw_sources.ts'
import { openSources } from './open_sources.ts'

/** Changes with every version of the renderer that draws differently. */
const rendererVersion = 3

/** Parameters of a rendering. */
export interface RenderOptions {
  readonly frame: ImageFrame
  readonly format: ImageFormat
  /** Status of an empty image. */
  readonly nd: number
  /** Whether a cached image may be returned. */
  readonly cache: boolean
  /** Symbols and features to draw; absent for all that the styles draw. An image with a choice is not cached. */
  readonly choice?: DrawChoice
  /** Whether tiles, or the image, are outlined. Such an image is not cached. */
  readonly isDebug?: boolean
}

/**
 * Renders resources from bottom to top as an image, or returns 304 if the client has the current version. The key of an image
 * has the versions of styles and data, so that images are not stale.
 *
 * @throws {Problem} render/*, resource/not-found
 */
export async function answerImage(
  request: Pick<ApiRequest, 'context' | 'headers' | 'signal'>,
  ids: readonly number[],
  options: RenderOptions,
): Promise<Answer> {
  const { context, headers, signal } = request
  const { frame, format, isDebug = false } = options
  const sources = await openSources(context, ids, options.choice)
  const draw = (stop: AbortSignal) =>
    drawSources(context, { sources, frame, format, signal: stop, isFresh: !options.cache, isDebug })
  const keys = sources.flatMap(({ key }) => (key === undefined ? [] : [key]))
  if (keys.length < sources.length) return answerDrawn(await draw(signal), options, {})
  const kept = sources.map(({ keptTiles }) => keptTiles)
  const now = Date.now()
  const periods = kept.flatMap((one) => (one === null ? [] : [keptTilesKey(one, now)]))
  const key = JSON.stringify([rendererVersion, frame, format, isDebug, ...keys, ...periods])
  const etag = `"${createHash('sha256').update(key).digest('base64url').slice(0, 22)}"`
  if (matchesTag(headers['if-none-match'], etag)) return { empty: true, status: 304, headers: { etag } }
  const isCached = options.cache && !isDebug && (options.choice === undefined || isWhole(options.choice))
  const zoom = findKeptZoom(frame, format, kept)
  const style = ids.length === 1 ? ids[0] : undefined
  const find = zoom === undefined ? draw : keepDrawn(context, { key, style, zoom }, draw)
  const image = isCached ? await context.layerCaches.images.get(key, signal, find) : await draw(signal)
  return answerDrawn(image, options, { etag })
}

type Draw = (signal: AbortSignal) => Promise<DrawnImage>

/** Takes a tile from the disk, or draws it and stores it there. */
function keepDrawn({ tileStore, version }: ServerContext, tile: TileName, draw: Draw): Draw {
  // Other versions of landform may draw differently.
  const name = { ...tile, key: `${version} ${tile.key}` }
  return async (signal) => {
    const known = await tileStore.find(name)
    if (known !== undefined) return known
    const image = await draw(signal)
    tileStore.keep(name, image)
    return image
  }
}

function answerDrawn(
  { bytes, isEmpty }: DrawnImage,
  { nd, format }: RenderOptions,
  tags: Readonly<Record<string, string>>,
): Answer {
  // Permissions may change at any time, so clients must revalidate.
  const headers = { ...tags, 'cache-control': 'private, no-cache', vary: 'Accept' }
  if (isEmpty && nd !== 200) return { empty: true, status: nd, headers }
  return { bytes, mediaType: imageMediaTypes[format], headers }
}
