import { doubleArea } from '../../geo/tile_geometry.ts'
import type { Rings } from '../../style/symbol_layer.ts'
import { offsetLine } from '../raster/line_offset.ts'
import type { StrokeLine } from '../raster/stroke.ts'
import { linesOf, type PixelGeometry } from './pixel_geometry.ts'

/** Which lines of a geometry are moved, and how far, in pixels. */
export interface LineMove {
  readonly offset: number
  readonly rings: Rings
}

/**
 * Lists the lines of a geometry, or the rings of a polygon, moved by an offset. Lines move to the right of their direction, all
 * rings into the polygon. As in QGIS, moved rings start at their first position and run counter-clockwise as they are seen;
 * others keep the direction that they have.
 *
 * @throws what `addWork` throws
 */
export function movedLinesOf(
  geometry: PixelGeometry,
  { offset, rings }: LineMove,
  addWork?: (work: number) => void,
): StrokeLine[] {
  if (offset === 0) return linesOf(geometry, rings)
  if (geometry.family !== 'POLYGON')
    return linesOf(geometry).flatMap((line) => offsetLine(line, offset, addWork))
  const move = (filter: Rings, toRight: number) =>
    linesOf(geometry, filter).flatMap((ring) => offsetLine(counterClockwise(ring), toRight, addWork))
  return [
    ...(rings === 'interior' ? [] : move('exterior', -offset)),
    ...(rings === 'exterior' ? [] : move('interior', offset)),
  ]
}

/** Reverses a ring that runs clockwise; its first position remains. */
function counterClockwise(ring: StrokeLine): StrokeLine {
  const { coordinates } = ring
  if (doubleArea(coordinates) <= 0) return ring
  const { length } = coordinates
  const reversed = new Float64Array(length)
  for (let at = 0; at < length; at += 2) {
    const from = at === 0 ? 0 : length - at
    reversed[at] = coordinates[from] ?? 0
    reversed[at + 1] = coordinates[from + 1] ?? 0
  }
  return { ...ring, coordinates: reversed }
}
