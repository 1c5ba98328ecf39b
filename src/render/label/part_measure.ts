import type { Bbox } from '../../geo/bbox.ts'
import { doubleArea } from '../../geo/tile_geometry.ts'

/** A part of a geometry: a point, a line, or the rings of a polygon, the outer first; x and y of their positions. */
export type PixelPart = readonly Float64Array[]

/** Returns the bounding box of a part; an inverted one without positions. */
export function partBounds([outer = new Float64Array()]: PixelPart): Bbox {
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity]
  for (let at = 0; at < outer.length; at += 2) {
    const [x = 0, y = 0] = [outer[at], outer[at + 1]]
    if (x < minX) minX = x
    if (x > maxX) maxX = x
    if (y < minY) minY = y
    if (y > maxY) maxY = y
  }
  return [minX, minY, maxX, maxY]
}

/** Returns the area of a polygon, in square pixels. */
export function partArea([outer, ...holes]: PixelPart): number {
  return outer === undefined
    ? 0
    : Math.max(0, ringArea(outer) - holes.reduce((sum, hole) => sum + ringArea(hole), 0))
}

const ringArea = (ring: Float64Array) => Math.abs(doubleArea(ring)) / 2

/** Returns the length of a line in pixels. */
export function lineLength(line: Float64Array): number {
  let sum = 0
  for (let at = 2; at < line.length; at += 2)
    sum += Math.hypot((line[at] ?? 0) - (line[at - 2] ?? 0), (line[at + 1] ?? 0) - (line[at - 1] ?? 0))
  return sum
}

/** A piece of a row of pixels inside a polygon. */
export interface RowSpan {
  readonly start: number
  readonly end: number
}

/** Returns the spans of a horizontal line inside a polygon, from the left, by the even-odd rule. */
export function spansAt(part: PixelPart, y: number): RowSpan[] {
  const crossings: number[] = []
  for (const ring of part) addCrossings(ring, y, crossings)
  crossings.sort((a, b) => a - b)
  return crossings.flatMap((start, at) => {
    const end = crossings[at + 1]
    return at % 2 === 0 && end !== undefined ? [{ start, end }] : []
  })
}

function addCrossings(ring: Float64Array, y: number, into: number[]): void {
  let [x0, y0] = [ring[ring.length - 2] ?? 0, ring[ring.length - 1] ?? 0]
  for (let at = 0; at < ring.length; at += 2) {
    const [x1, y1] = [ring[at] ?? 0, ring[at + 1] ?? 0]
    if (y0 <= y !== y1 <= y) into.push(x0 + ((y - y0) / (y1 - y0)) * (x1 - x0))
    x0 = x1
    y0 = y1
  }
}

/** Returns the parts that two lists of spans have in common. */
export function intersectSpans(one: readonly RowSpan[], other: readonly RowSpan[]): RowSpan[] {
  return one.flatMap((a) =>
    other.flatMap((b) => {
      const [start, end] = [Math.max(a.start, b.start), Math.min(a.end, b.end)]
      return end > start ? [{ start, end }] : []
    }),
  )
}
