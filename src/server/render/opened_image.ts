import PQueue from 'p-queue'
import type { ImageFormat, LabelChoice } from '../../contract/formats/image_format.ts'
import { problem } from '../../contract/problems.ts'
import type { Bbox } from '../../geo/bbox.ts'
import { mergeBoxes } from '../../geo/merge_boxes.ts'
import type { TileAddress } from '../../geo/tile.ts'
import { currentDepth } from '../../http/service_depth.ts'
import { decodeImage } from '../../render/external_image.ts'
import type { DrawnImage, JobWindow } from '../../render/image/draw_job.ts'
import type { ImageFrame } from '../../render/image/image_features.ts'
import type { TrackedLayer } from '../../store/layer/stored_layer.ts'
import type { ServerContext } from '../context.ts'
import type { TileIdentity } from '../map/current_cache.ts'
import { describeData, renewData, type TileData, versionsOf } from '../map/tile_data.ts'
import { type ComposedTiles, composedTiles } from '../tile_store/composed_tiles.ts'
import { findKeptZoom, keptTilesKey, tileSide } from '../tile_store/kept_tile.ts'
import type { StoredTile } from '../tile_store/tile_file.ts'
import type { TileName } from '../tile_store/tile_store.ts'
import { type DrawChoice, isWhole } from './draw_choice.ts'
import { tileFrame } from './frame.ts'
import { imageTag, type MapImage } from './map_image_cache.ts'
import { drawSources } from './sources/draw_sources.ts'
import type { DrawnSource, ShownLayer } from './sources/drawn_source.ts'

/** Changes with every version of the renderer that draws differently. */
const rendererVersion = 6

/** Parameters of an image. */
export interface ImageOptions {
  readonly frame: ImageFrame
  readonly format: ImageFormat
  /** Whether a cached image may be returned. */
  readonly cache: boolean
  /** Symbols and features to draw; absent for all that the styles draw. An image with a choice is not cached. */
  readonly choice?: DrawChoice
  /** Whether labels are drawn, or nothing else. @default 'yes' */
  readonly labels?: LabelChoice
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
  /** What identifies the image in the cache; undefined if it is not cached. */
  readonly identity?: TileIdentity
  /** Returns the entity tag of an image of the current data; undefined if changes of a source are not tracked. */
  readonly findCurrentTag: () => string | undefined
  /** Returns the image from the caches, or draws it. */
  readonly find: (signal: AbortSignal) => Promise<MapImage>
}

/** An image to compose. */
interface Composition {
  readonly tiles: ComposedTiles
  readonly frame: ImageFrame
  readonly format: ImageFormat
  /** Returns a tile from the caches, or draws it. */
  readonly findTile: (frame: ImageFrame, signal: AbortSignal) => Promise<DrawnImage>
  readonly signal: AbortSignal
}

/** Number of tiles of an image that are drawn at the same time. */
const concurrency = 4

/** Plans an image. A cached one is drawn again when its styles, or data in its area, changed. */
export function openImage(context: ServerContext, opened: OpenedSources, options: ImageOptions): OpenedImage {
  const { sources } = opened
  const { frame, format, cache, choice, labels = 'yes', isDebug = false } = options
  const draw = (signal: AbortSignal) =>
    drawSources(context, { sources, frame, format, labels, signal, isFresh: !cache, isDebug })
  const keys = sources.flatMap(({ key }) => (key === undefined ? [] : [key]))
  if (keys.length < sources.length)
    return { findCurrentTag: () => undefined, find: async (signal) => tagged(await draw(signal), undefined) }
  const isCached = cache && !isDebug && (choice === undefined || isWhole(choice))
  const kept = sources.map(({ keptTiles }) => keptTiles)
  const now = Date.now()
  const periods = kept.flatMap((one) => (one === null ? [] : [keptTilesKey(one, now)]))
  const tiles = isCached ? composedTiles(frame, kept) : undefined
  // A service that shows itself would wait for its own image.
  const depth = sources.some(({ fetchedFrom }) => fetchedFrom !== undefined) ? currentDepth() : 0
  const kinds = [
    ...(tiles === undefined ? [] : ['composed']),
    ...(labels === 'yes' ? [] : [{ labels }]),
    ...(depth === 0 ? [] : [{ depth }]),
  ]
  const key = JSON.stringify([rendererVersion, frame, format, isDebug, ...keys, ...periods, ...kinds])
  const layers = sources.flatMap(({ shown }) => (shown === undefined ? [] : [shown.layer]))
  const findCurrentTag = () => imageTag(key, versionsOf(layers))
  if (!isCached)
    return { findCurrentTag, find: async (signal) => tagged(await draw(signal), findCurrentTag()) }
  const findTile = (tile: ImageFrame, signal: AbortSignal) =>
    openImage(context, opened, { frame: tile, format: 'png', cache, labels }).find(signal)
  const make =
    tiles === undefined
      ? keepDrawn(context, nameTile(opened, options, key), {
          layers,
          draw: drawTracked(sources, [frame], draw),
        })
      : drawTracked(sources, framesOf(tiles), (signal) =>
          composeTiles(context, { tiles, frame, format, findTile, signal }),
        )
  const makeTagged = async (signal: AbortSignal) => {
    const { tile, data, versions } = await make(signal)
    return { tile: tagged(tile, imageTag(key, versions)), data }
  }
  return {
    identity: { key, layers },
    findCurrentTag,
    find: (signal) => context.layerCaches.images.get({ key, layers, signal }, makeTagged),
  }
}

function tagged(image: DrawnImage, etag: string | undefined): MapImage {
  return { ...image, etag }
}

/** A drawn image, and the versions of the data that it was drawn of. */
interface TrackedTile extends StoredTile {
  readonly versions: readonly number[]
}

type DrawTracked = (signal: AbortSignal) => Promise<TrackedTile>

/** Draws an image, and describes what it shows: what lies in some frames. */
function drawTracked(
  sources: readonly DrawnSource[],
  frames: readonly ImageFrame[],
  draw: (signal: AbortSignal) => Promise<DrawnImage>,
): DrawTracked {
  const shown = sources.flatMap((source) => source.shown ?? [])
  return async (signal) => {
    // Described afterwards, so that an image that waits for its turn reads nothing.
    const tile = await draw(signal)
    const data = await Promise.all(shown.map((one) => describeShown(one, frames)))
    return { tile, data, versions: data.map(({ version }) => version) }
  }
}

async function describeShown(
  { layer, findAreas }: ShownLayer,
  frames: readonly ImageFrame[],
): Promise<TileData> {
  const areas: Bbox[] = []
  for (const frame of frames) {
    const found = await findAreas(frame)
    if (found === undefined) return describeData(layer, undefined)
    areas.push(...found)
  }
  // The areas of the tiles of a composed image cover each other.
  return describeData(layer, mergeBoxes(areas, maxAreas))
}

/** Maximum number of areas of a layer that an image depends on. */
const maxAreas = 4

const framesOf = (tiles: ComposedTiles) => listAddresses(tiles).map((address) => tileFrame(address))

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

interface KeptDrawing {
  readonly layers: readonly TrackedLayer[]
  readonly draw: DrawTracked
}

/** Takes a tile from the disk if it is current, or draws it and stores it there. */
function keepDrawn(
  { tileStore, version }: ServerContext,
  tile: TileName | undefined,
  { layers, draw }: KeptDrawing,
): DrawTracked {
  if (tile === undefined) return draw
  // Other versions of landform may draw differently.
  const name = { ...tile, key: `${version} ${tile.key}` }
  return async (signal) => {
    const known = await tileStore.find(name)
    const data = known && renewData(known.data, layers)
    if (known !== undefined && data !== undefined)
      return { tile: known.tile, data, versions: known.data.map((one) => one.version) }
    const drawn = await draw(signal)
    tileStore.keep(name, drawn)
    return drawn
  }
}

/**
 * Composes an image of tiles. Its pixels are exactly those of the tiles.
 *
 * @throws {Problem} render/*
 */
async function composeTiles(
  { draws }: Pick<ServerContext, 'draws'>,
  { tiles, frame: { width, height }, format, findTile, signal }: Composition,
): Promise<DrawnImage> {
  const pixels = new Uint8Array(4 * width * height)
  const queue = new PQueue({ concurrency })
  // The tiles that are left are not drawn after a failure.
  const stop = new AbortController()
  const until = AbortSignal.any([signal, stop.signal])
  const put = async (address: TileAddress) => {
    until.throwIfAborted()
    const tile = await findTile(tileFrame(address), until)
    if (tile.isEmpty) return
    const image = await decodeImage(tile.bytes)
    if (image === undefined) throw problem('server/internal', 'A tile of the image cannot be decoded.')
    const place = [address.x * tileSide - tiles.corner[0], address.y * tileSide - tiles.corner[1]] as const
    copyTile(image, { pixels, width, height }, place)
  }
  try {
    await Promise.all(listAddresses(tiles).map((address) => queue.add(() => put(address))))
  } catch (error) {
    stop.abort(error)
    throw error
  }
  const job = { width, height, origin: tiles.corner, scaleDenom: 0, pixelsPerMapUnit: 1, format }
  return draws.draw({ ...job, layers: [{ pixels }] }, signal)
}

/** Lists the tiles of an image. */
function listAddresses({ zoom, columns, rows }: ComposedTiles): TileAddress[] {
  const addresses: TileAddress[] = []
  for (let y = rows[0]; y <= rows[1]; y += 1)
    for (let x = columns[0]; x <= columns[1]; x += 1) addresses.push({ z: zoom, x, y })
  return addresses
}

/** Copies what lies in an image. The pixels of the image are premultiplied, those of the tile are not. */
function copyTile(tile: JobWindow, image: JobWindow, [left, top]: readonly [x: number, y: number]): void {
  const [from, to] = [Math.max(0, -left), Math.min(tile.width, image.width - left)]
  const last = Math.min(tile.height, image.height - top)
  for (let row = Math.max(0, -top); row < last; row += 1) {
    const source = tile.pixels.subarray(4 * (row * tile.width + from), 4 * (row * tile.width + to))
    const start = 4 * ((row + top) * image.width + from + left)
    for (let at = 0; at < source.length; at += 4) {
      const alpha = source[at + 3] ?? 0
      if (alpha === 0) continue
      image.pixels[start + at] = Math.round(((source[at] ?? 0) * alpha) / 255)
      image.pixels[start + at + 1] = Math.round(((source[at + 1] ?? 0) * alpha) / 255)
      image.pixels[start + at + 2] = Math.round(((source[at + 2] ?? 0) * alpha) / 255)
      image.pixels[start + at + 3] = alpha
    }
  }
}
