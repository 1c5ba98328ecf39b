import type { ImageFormat } from '../../contract/formats/image_format.ts'
import type { ImageFrame } from '../../render/image/image_features.ts'
import type { KeptTiles } from '../../store/classes/tile_cache.ts'
import { findMetatiles } from '../render/metatile.ts'

/** Side of kept tiles in pixels. */
export const tileSide = 256

/** Returns the zoom level of an image that is a tile that all of its styles keep; undefined for other images. */
export function findKeptZoom(
  frame: ImageFrame,
  format: ImageFormat,
  styles: readonly (KeptTiles | null)[],
): number | undefined {
  const { width, height, pixelRatio = 1 } = frame
  if (format !== 'png' || width !== tileSide || height !== tileSide || pixelRatio !== 1) return undefined
  const [metatile] = findMetatiles(frame)
  if (metatile === undefined || styles.length === 0) return undefined
  const { zoom } = metatile
  return styles.every((kept) => kept !== null && zoom <= (kept.maxZ ?? Infinity)) ? zoom : undefined
}

/**
 * Returns what the tiles of a style depend on besides style and data: flushes, and periods as long as the time to live, so that
 * no tile is older.
 */
export function keptTilesKey({ generation, ttl }: KeptTiles, nowMs: number): readonly unknown[] {
  return ttl === null ? [generation] : [generation, Math.floor(nowMs / 1000 / ttl)]
}
