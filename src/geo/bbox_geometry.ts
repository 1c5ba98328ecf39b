import type { Bbox } from './bbox.ts'
import type { Geometry } from './geometry.ts'

/** Number of segments of an edge, so that it stays near its place in other reference systems. */
const segments = 32

/** Returns a box as a polygon with many positions on each edge. */
export function bboxGeometry([minX, minY, maxX, maxY]: Bbox): Geometry {
  const corners = [
    [minX, minY],
    [maxX, minY],
    [maxX, maxY],
    [minX, maxY],
    [minX, minY],
  ] as const
  const ring = corners.slice(1).flatMap(([toX, toY], side) => {
    const [fromX, fromY] = corners[side] ?? [toX, toY]
    return Array.from({ length: segments }, (_, at) => {
      const part = at / segments
      return [fromX + part * (toX - fromX), fromY + part * (toY - fromY)]
    }).flat()
  })
  return { family: 'POLYGON', isMulti: false, hasZ: false, parts: [[[...ring, minX, minY]]] }
}

/** Divides a box in degrees whose west is east of its east, which crosses the antimeridian. */
export function splitAtAntimeridian([west, south, east, north]: Bbox): Bbox[] {
  if (west <= east) return [[west, south, east, north]]
  return [
    [west, south, 180, north],
    [-180, south, east, north],
  ]
}
