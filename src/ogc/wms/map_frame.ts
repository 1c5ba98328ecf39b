import type { Bbox } from '../../geo/bbox.ts'
import type { MapView } from './wms_request.ts'

/** Returns the box of a map with x first. `northFirst` are the EPSG codes whose first axis points north. */
export function boxOfView(
  { bbox: [a, b, c, d], srs, followsAuthority }: MapView,
  northFirst: ReadonlySet<number>,
): Bbox {
  return followsAuthority && northFirst.has(srs) ? [b, a, d, c] : [a, b, c, d]
}

/** A pixel of a map, and a distance around it. */
export interface PixelArea {
  readonly box: Bbox
  readonly width: number
  readonly height: number
  readonly pixel: readonly [column: number, row: number]
  /** Distance from the centre of the pixel, in pixels. */
  readonly tolerance: number
}

/** Returns the box around a pixel. */
export function boxAroundPixel({ box, width, height, pixel, tolerance }: PixelArea): Bbox {
  const [minX, minY, maxX, maxY] = box
  const [sizeX, sizeY] = [(maxX - minX) / width, (maxY - minY) / height]
  const [x, y] = [minX + (pixel[0] + 0.5) * sizeX, maxY - (pixel[1] + 0.5) * sizeY]
  const [reachX, reachY] = [tolerance * sizeX, tolerance * sizeY]
  return [x - reachX, y - reachY, x + reachX, y + reachY]
}
