import { isInside } from '../draw/point_on_surface.ts'
import { findAreaAnchor } from './area_candidates.ts'
import { type PixelPart, partBounds } from './part_measure.ts'

/** Precision as a part of the longer side of a polygon, as QGIS has it for callouts. */
const precision = 1 / 20

/** Maximum number of positions of a polygon, and of squares that are searched. */
const limits = { positions: 20_000, squares: 2000 }

/** A square, and how far its centre lies inside the polygon: negative outside. */
interface Square {
  readonly x: number
  readonly y: number
  readonly half: number
  readonly depth: number
}

/**
 * Finds the position inside of a polygon that is farthest from its edge, in the way of QGIS: squares are divided where a better
 * position may lie. Returns another inner position for polygons with very many positions.
 */
export function findInnerPole(part: PixelPart): readonly [x: number, y: number] | undefined {
  const anchor = findAreaAnchor(part)
  const count = part.reduce((sum, ring) => sum + ring.length / 2, 0)
  if (anchor === undefined || count > limits.positions) return anchor
  const [minX, minY, maxX, maxY] = partBounds(part)
  const [width, height] = [maxX - minX, maxY - minY]
  const side = Math.min(width, height)
  if (!(side > 0)) return anchor
  const squareAt = (x: number, y: number, half: number): Square => ({
    x,
    y,
    half,
    depth: depthOf(part, [x, y]),
  })
  let best = squareAt(...anchor, 0)
  const queue: Square[] = []
  for (let x = minX; x < maxX; x += side)
    for (let y = minY; y < maxY; y += side) queue.push(squareAt(x + side / 2, y + side / 2, side / 2))
  const reach = ({ depth, half }: Square) => depth + half * Math.SQRT2
  for (let searched = 0; searched < limits.squares; searched += 1) {
    const at = queue.reduce((most, one, index) => (reach(one) > reach(queue[most] ?? one) ? index : most), 0)
    const [square] = queue.splice(at, 1)
    if (square === undefined) break
    if (square.depth > best.depth) best = square
    if (reach(square) - best.depth <= Math.max(width, height) * precision) break
    const half = square.half / 2
    for (const dx of [-half, half])
      for (const dy of [-half, half]) queue.push(squareAt(square.x + dx, square.y + dy, half))
  }
  return [best.x, best.y]
}

/** Returns the distance of a position from the edge of a polygon: negative outside. */
function depthOf(part: PixelPart, position: readonly [x: number, y: number]): number {
  let squared = Number.POSITIVE_INFINITY
  for (const ring of part) squared = Math.min(squared, squaredDistance(ring, position))
  return (isInside(part, position) ? 1 : -1) * Math.sqrt(squared)
}

function squaredDistance(ring: Float64Array, [x, y]: readonly [x: number, y: number]): number {
  let least = Number.POSITIVE_INFINITY
  for (let at = 0; at + 3 < ring.length; at += 2) {
    const [ax = 0, ay = 0, bx = 0, by = 0] = [ring[at], ring[at + 1], ring[at + 2], ring[at + 3]]
    const [dx, dy] = [bx - ax, by - ay]
    const length = dx * dx + dy * dy
    const along = length > 0 ? Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / length)) : 0
    const [nearX, nearY] = [x - ax - along * dx, y - ay - along * dy]
    least = Math.min(least, nearX * nearX + nearY * nearY)
  }
  return least
}
