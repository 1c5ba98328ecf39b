import type { Bbox } from './bbox.ts'
import { mercatorHalfWorld, mercatorOfLonLat } from './mercator.ts'

/** Address of a tile; x counts from the west, y from the north. */
export interface TileAddress {
  readonly z: number
  readonly x: number
  readonly y: number
}

/** Highest zoom level. */
export const maxZoom = 24

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

/** Returns the tile of a zoom level that contains a position in degrees; near the poles, the nearest one. */
export function tileAt([lon, lat]: readonly [lon: number, lat: number], z: number): TileAddress {
  const [x, y] = mercatorOfLonLat(lon, lat)
  const clamp = (index: number) => Math.max(0, Math.min(2 ** z - 1, Math.floor(index)))
  const width = tileWidth(z)
  return { z, x: clamp((x + mercatorHalfWorld) / width), y: clamp((mercatorHalfWorld - y) / width) }
}

/**
 * Returns the tile of the grid of EPSG:4326 that contains a position in degrees; the grid has two tiles at zoom level 0.
 *
 * @see OSGeo Tile Map Service, profile global-geodetic
 */
export function degreeTileAt([lon, lat]: readonly [lon: number, lat: number], z: number): TileAddress {
  const width = 180 / 2 ** z
  const clamp = (index: number, count: number) => Math.max(0, Math.min(count - 1, Math.floor(index)))
  return { z, x: clamp((lon + 180) / width, 2 ** (z + 1)), y: clamp((90 - lat) / width, 2 ** z) }
}

/** Returns the quadkey of a tile: a digit a zoom level, from the north-west. @see Bing Maps tile system */
export function quadkeyOf({ z, x, y }: TileAddress): string {
  return Array.from({ length: z }, (_, at) => {
    const bit = 2 ** (z - 1 - at)
    return (Math.floor(x / bit) % 2) + 2 * (Math.floor(y / bit) % 2)
  }).join('')
}

/** Returns whether a tile exists in the tile pyramid. */
export function tileExists({ z, x, y }: TileAddress): boolean {
  const count = 2 ** z
  return z >= 0 && z <= maxZoom && x >= 0 && y >= 0 && x < count && y < count
}
