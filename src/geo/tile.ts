import type { Bbox } from './bbox.ts'
import { mercatorHalfWorld } from './mercator.ts'

/** Address of a tile; x counts from the west, y from the north. */
export interface TileAddress {
  readonly z: number
  readonly x: number
  readonly y: number
}

/** Highest zoom level. */
const maxZoom = 24

/** Returns the width of a tile in metres of EPSG:3857. */
export function tileWidth(z: number): number {
  return (2 * mercatorHalfWorld) / 2 ** z
}

/** Returns the box of a tile in EPSG:3857. */
export function tileBbox({ z, x, y }: TileAddress): Bbox {
  const width = tileWidth(z)
  const left = x * width - mercatorHalfWorld
  const top = mercatorHalfWorld - y * width
  return [left, top - width, left + width, top]
}

/** Returns whether a tile exists in the tile pyramid. */
export function tileExists({ z, x, y }: TileAddress): boolean {
  const count = 2 ** z
  return z >= 0 && z <= maxZoom && x >= 0 && y >= 0 && x < count && y < count
}
