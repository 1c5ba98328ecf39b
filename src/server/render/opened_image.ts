import type { ImageFormat } from '../../contract/image_format.ts'
import type { DrawnImage } from '../../render/image/draw_job.ts'
import type { ImageFrame } from '../../render/image/image_features.ts'
import type { ServerContext } from '../context.ts'
import { composedTiles } from '../tile_store/composed_tiles.ts'
import { findKeptZoom, keptTilesKey } from '../tile_store/kept_tile.ts'
import type { TileName } from '../tile_store/tile_store.ts'
import { composeTiles } from './compose_tiles.ts'
import { type DrawChoice, isWhole } from './draw_choice.ts'
import { drawSources } from './draw_sources.ts'
import type { DrawnSource } from './drawn_source.ts'

/** Changes with every version of the renderer that draws differently. */
const rendererVersion = 2

/** Parameters of an image. */
export interface ImageOptions {
  readonly frame: ImageFrame
  readonly format: ImageFormat
  /** Whether a cached image may be returned. */
  readonly cache: boolean
  /** Symbols and features to draw; absent for all that the styles draw. An image with a choice is not cached. */
  readonly choice?: DrawChoice
  /** Whether tiles, or the image, are outlined. Such an image is not cached. */
  readonly isDebug?: boolean
}

/** Resources to draw from bottom to top. */
export interface OpenedSources {
  readonly ids: readonly number[]
  readonly sources: readonly DrawnSource[]
}

/** An image that can be found or drawn. */
export interface OpenedImage {
  /** Everything that the image depends on; undefined if changes of a source are not tracked. */
  readonly key: string | undefined
  /** Returns the image from the caches, or draws it. */
  readonly find: (signal: AbortSignal) => Promise<DrawnImage>
}

/** Plans an image. Its key has the versions of styles and data, so that cached images are not stale. */
export function openImage(context: ServerContext, opened: OpenedSources, options: ImageOptions): OpenedImage {
  const { sources } = opened
  const { frame, format, cache, choice, isDebug = false } = options
  const draw = (signal: AbortSignal) =>
    drawSources(context, { sources, frame, format, signal, isFresh: !cache, isDebug })
  const keys = sources.flatMap(({ key }) => (key === undefined ? [] : [key]))
  if (keys.length < sources.length) return { key: undefined, find: draw }
  const isCached = cache && !isDebug && (choice === undefined || isWhole(choice))
  const kept = sources.map(({ keptTiles }) => keptTiles)
  const now = Date.now()
  const periods = kept.flatMap((one) => (one === null ? [] : [keptTilesKey(one, now)]))
  const tiles = isCached ? composedTiles(frame, kept) : undefined
  const composed = tiles === undefined ? [] : ['composed']
  const key = JSON.stringify([rendererVersion, frame, format, isDebug, ...keys, ...periods, ...composed])
  if (!isCached) return { key, find: draw }
  const findTile = (tile: ImageFrame, signal: AbortSignal) =>
    openImage(context, opened, { frame: tile, format: 'png', cache }).find(signal)
  const make =
    tiles === undefined
      ? keepDrawn(context, nameTile(opened, options, key), draw)
      : (signal: AbortSignal) => composeTiles(context, { tiles, frame, format, findTile, signal })
  return { key, find: (signal) => context.layerCaches.images.get(key, signal, make) }
}

/** Returns the name of the image on disk; undefined if it is not a tile that all styles keep. */
function nameTile(
  { ids, sources }: OpenedSources,
  { frame, format }: ImageOptions,
  key: string,
): TileName | undefined {
  const zoom = findKeptZoom(
    frame,
    format,
    sources.map(({ keptTiles }) => keptTiles),
  )
  return zoom === undefined ? undefined : { key, style: ids.length === 1 ? ids[0] : undefined, zoom }
}

/** Takes a tile from the disk, or draws it and stores it there. */
function keepDrawn(
  { tileStore, version }: ServerContext,
  tile: TileName | undefined,
  draw: OpenedImage['find'],
): OpenedImage['find'] {
  if (tile === undefined) return draw
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
