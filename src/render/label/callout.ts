import type { GeometryFamily } from '../../contract/geometry.ts'
import type { Bbox } from '../../geo/bbox.ts'
import type { LabelCallout } from '../../style/label_model.ts'
import type { MapSymbol } from '../../style/symbol_layer.ts'
import { isInside, pointOnSurface } from '../draw/point_on_surface.ts'
import { findAreaAnchor, ringCentroid } from './area_candidates.ts'
import { findShortest, type ShortestLine } from './nearest_points.ts'
import type { OrientedBox } from './oriented_box.ts'
import { type PixelPart, partBounds } from './part_measure.ts'

/** A line from a label to its feature. Plain data, in pixels of 1/96 inch. */
export interface PlacedCallout {
  /** x and y of its positions, from the label. */
  readonly line: readonly number[]
  readonly symbol: MapSymbol<number>
  /** Area that the line may cover. */
  readonly box: Bbox
}

/** What is labelled. */
export interface CalloutTarget {
  readonly family: GeometryFamily
  readonly part: PixelPart
}

/** Width of lines and markers of callouts around their lines, at most. */
const margin = 32

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

/** Finds the callout of a label: none where the label meets its feature. */
export function placeCallout(
  { kind, from, to, line: symbol, minLength, gapAtLabel, gapAtFeature }: LabelCallout<number>,
  label: OrientedBox,
  target: CalloutTarget,
): PlacedCallout | undefined {
  const shortest = connect(startOf(label, from), target, to)
  if (shortest === undefined || !(shortest.length > 0) || shortest.length < minLength) return undefined
  const { from: start, to: end } = shortest
  const whole = kind === 'straight' ? [...start, ...end] : [...start, start[0], end[1], ...end]
  const line = shorten(whole, gapAtLabel, gapAtFeature)
  if (line === undefined) return undefined
  const [xs, ys] = [0, 1].map((axis) => line.filter((_, at) => at % 2 === axis)) as [number[], number[]]
  const box: Bbox = [
    Math.min(...xs) - margin,
    Math.min(...ys) - margin,
    Math.max(...xs) + margin,
    Math.max(...ys) + margin,
  ]
  return { line, symbol, box }
}

/** Returns what a callout starts from: the label, or a position of it as a box without a size. */
function startOf(label: OrientedBox, from: LabelCallout['from']): OrientedBox {
  if (from === 'edge') return label
  const has = (side: string) => (from.includes(side) ? 1 : 0)
  const [along, across] = [
    (has('r') - has('l')) * label.halfWidth,
    // Of the letters, only those of bottom and top are in both.
    ((from.startsWith('b') ? 1 : 0) - (from.startsWith('t') ? 1 : 0)) * label.halfHeight,
  ]
  const { x, y, cos, sin } = label
  return {
    ...label,
    x: x + along * cos - across * sin,
    y: y + along * sin + across * cos,
    halfWidth: 0,
    halfHeight: 0,
  }
}

function connect(
  start: OrientedBox,
  { family, part }: CalloutTarget,
  to: LabelCallout['to'],
): ShortestLine | undefined {
  const [outer = new Float64Array()] = part
  const edge = shortestOf(part.map((ring) => findShortest(start, ring)))
  if (family !== 'POLYGON') return edge
  const meets = isInside(part, [start.x, start.y]) || !edge || edge.length === 0
  if (meets) return undefined
  if (to === 'point_on_exterior') return edge
  const centroid = ringCentroid(outer) ?? edge.to
  const end =
    to === 'centroid'
      ? centroid
      : to === 'point_on_surface'
        ? pointOnSurface(part, centroid)
        : findInnerPole(part)
  return findShortest(start, end ?? edge.to)
}

function shortestOf(lines: readonly (ShortestLine | undefined)[]): ShortestLine | undefined {
  const found = lines.filter((line) => line !== undefined)
  return found.length === 0 ? undefined : found.reduce((a, b) => (b.length < a.length ? b : a))
}

/** Cuts lengths off both ends of a line; undefined if nothing is left. */
function shorten(line: readonly number[], atStart: number, atEnd: number): number[] | undefined {
  if (atStart <= 0 && atEnd <= 0) return [...line]
  const cut = cutStart(line, Math.max(0, atStart))
  const reversed = cut && cutStart(reverse(cut), Math.max(0, atEnd))
  return reversed && reverse(reversed)
}

function cutStart(line: readonly number[], length: number): number[] | undefined {
  let left = length
  for (let at = 0; at + 3 < line.length; at += 2) {
    const [ax = 0, ay = 0, bx = 0, by = 0] = line.slice(at, at + 4)
    const segment = Math.hypot(bx - ax, by - ay)
    if (segment > left) {
      const part = left / segment
      return [ax + part * (bx - ax), ay + part * (by - ay), ...line.slice(at + 2)]
    }
    left -= segment
  }
  return undefined
}

function reverse(line: readonly number[]): number[] {
  return Array.from({ length: line.length }, (_, at) => {
    const from = line.length - 2 - 2 * Math.floor(at / 2)
    return line[from + (at % 2)] ?? 0
  })
}

/** Returns a callout moved by a distance. */
export function moveCallout({ line, symbol, box }: PlacedCallout, dx: number, dy: number): PlacedCallout {
  return {
    line: line.map((value, at) => value + (at % 2 === 0 ? dx : dy)),
    symbol,
    box: [box[0] + dx, box[1] + dy, box[2] + dx, box[3] + dy],
  }
}

/**
 * Finds the position inside of a polygon that is farthest from its edge, in the way of QGIS: squares are divided where a better
 * position may lie. Returns another inner position for polygons with very many positions.
 */
function findInnerPole(part: PixelPart): readonly [x: number, y: number] | undefined {
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
