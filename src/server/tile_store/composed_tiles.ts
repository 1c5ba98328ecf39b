import { mercatorHalfWorld, mercatorWorld } from '../../geo/mercator.ts'
import type { ImageFrame } from '../../render/image/image_features.ts'
import type { KeptTiles } from '../../store/classes/tile_cache.ts'
import { tileSide } from './kept_tile.ts'

/** Tiles that an image is composed of. */
export interface ComposedTiles {
  readonly zoom: number
  /** Column and row of the top left pixel in the image of the world at the zoom level. */
  readonly corner: readonly [x: number, y: number]
  readonly columns: readonly [first: number, last: number]
  readonly rows: readonly [first: number, last: number]
}

/** Maximum number of tiles of an image; larger images are drawn as a whole. */
const maxTiles = 100

/** Maximum deviation of the scale from that of the zoom level, in pixels along the image. */
const maxDeviation = 0.25

/** Highest zoom level of tiles. */
const maxZoom = 24

/**
 * Returns the tiles that an image is composed of: if all of its styles compose images of kept tiles, its scale is that of a
 * zoom level, and it lies in the world. Undefined for other images, and for those that are tiles themselves. The image is moved
 * to whole pixels of the tiles, by at most half a pixel.
 */
export function composedTiles(
  { box, width, height, pixelRatio = 1, system }: ImageFrame,
  styles: readonly (KeptTiles | null)[],
): ComposedTiles | undefined {
  if (system !== undefined || pixelRatio !== 1 || styles.length === 0) return undefined
  const zoom = Math.round(Math.log2((mercatorWorld * width) / (tileSide * (box[2] - box[0]))))
  const isKept = styles.every((kept) => kept?.isComposed === true && zoom <= (kept.maxZ ?? Infinity))
  if (!isKept || zoom < 0 || zoom > maxZoom) return undefined
  const resolution = mercatorWorld / tileSide / 2 ** zoom
  const deviations = [(box[2] - box[0]) / resolution - width, (box[3] - box[1]) / resolution - height]
  if (deviations.some((pixels) => Math.abs(pixels) > maxDeviation)) return undefined
  const left = (box[0] + mercatorHalfWorld) / resolution
  const top = (mercatorHalfWorld - box[3]) / resolution
  const corner = [Math.round(left), Math.round(top)] as const
  const columns = tilesAlong(corner[0], width)
  const rows = tilesAlong(corner[1], height)
  if ([...columns, ...rows].some((tile) => tile < 0 || tile >= 2 ** zoom)) return undefined
  const count = (columns[1] - columns[0] + 1) * (rows[1] - rows[0] + 1)
  const isTile = count === 1 && width === tileSide && height === tileSide
  return count > maxTiles || isTile ? undefined : { zoom, corner, columns, rows }
}

function tilesAlong(start: number, length: number): readonly [first: number, last: number] {
  return [Math.floor(start / tileSide), Math.floor((start + length - 1) / tileSide)]
}
