import type { Bbox } from '../../geo/bbox.ts'
import type { PixelGeometry } from '../draw/pixel_geometry.ts'
import { clipLine } from '../raster/line_clip.ts'
import type { LabelFrame } from './label_frame.ts'
import type { LabelSpec } from './label_spec.ts'
import { lineLength, type PixelPart, partArea, partBounds } from './part_measure.ts'

/** A part of a geometry that gets a label. */
export interface LabelPart {
  readonly part: PixelPart
  /** Area of a polygon, length of a line, 0 for a point. */
  readonly size: number
  /** Whether the part is complete, so that its label has the same place in every frame that shows it. */
  readonly isWhole: boolean
}

/** Maximum side of the box of a part that is labelled as a whole across the seams of frames, in pixels. */
export const maxWholeSide = 512

/**
 * Distance within which a part gets no label where a larger part of the same feature lies, in pixels: the width of a narrow map,
 * so that it shows a name about once.
 */
export const repeatDistance = 512

/** Maximum number of parts of a feature that are compared with each other. */
const maxParts = 2000

/** Which parts are labelled. */
export type PartChoice = Pick<LabelSpec, 'isOnAllParts' | 'mergesLines'>

/**
 * Lists the parts of a geometry to label. In a frame without seams, that is the largest visible part, or all of them. In one
 * with seams, parts are chosen by what lies near them only, since every frame sees other parts of a feature: small parts
 * without a larger one near by, and what of a large part lies in the frame.
 */
export function listLabelParts(
  geometry: PixelGeometry,
  frame: LabelFrame,
  { isOnAllParts, mergesLines }: PartChoice,
): LabelPart[] {
  if (frame.seams !== undefined && mergesLines && geometry.family === 'LINESTRING')
    return listCut(geometry, frame, isOnAllParts)
  if (frame.seams !== undefined) return listNearFrame(geometry, frame, isOnAllParts)
  const visible = measureAll(clipParts(geometry, frame.box), geometry.family)
  return isOnAllParts ? visible : largestOf(visible)
}

/** Merged lines are cut at the frame, since every frame sees other lines to merge. */
function listCut({ family, parts }: PixelGeometry, { box }: LabelFrame, isOnAllParts: boolean): LabelPart[] {
  const pieces = measureAll(clipParts({ family, parts }, box), family)
  return (isOnAllParts ? pieces : largestOf(pieces)).map((piece) => ({ ...piece, isWhole: false }))
}

function largestOf(parts: readonly LabelPart[]): LabelPart[] {
  const [first, ...others] = parts
  if (first === undefined) return []
  return [others.reduce((best, next) => (next.size > best.size ? next : best), first)]
}

function measureAll(parts: readonly ClippedPart[], family: PixelGeometry['family']): LabelPart[] {
  return parts.map(({ part, isWhole }) => ({ part, isWhole, size: sizeOf(part, family) }))
}

function sizeOf(part: PixelPart, family: PixelGeometry['family']): number {
  if (family === 'POINT') return 0
  return family === 'POLYGON' ? partArea(part) : part.reduce((sum, line) => sum + lineLength(line), 0)
}

function listNearFrame(geometry: PixelGeometry, frame: LabelFrame, isOnAllParts: boolean): LabelPart[] {
  const { family, parts } = geometry
  const large: PixelPart[] = []
  const small: SmallPart[] = []
  for (const part of parts.slice(0, maxParts)) {
    const [minX, minY, maxX, maxY] = partBounds(part)
    if (!(maxX >= minX)) continue
    if (maxX - minX > maxWholeSide || maxY - minY > maxWholeSide) large.push(part)
    else small.push({ part, size: sizeOf(part, family), x: (minX + maxX) / 2, y: (minY + maxY) / 2 })
  }
  const chosen = isOnAllParts
    ? small
    : withoutNeighbours(small).filter((one) => !isNearLarge(one, large, family))
  const pieces = measureAll(clipParts({ family, parts: large }, frame.box), family)
  const shown = isOnAllParts ? pieces : withoutLarger(largestOf(pieces), { family, parts: large }, frame.box)
  return [
    ...chosen.map(({ part, size }) => ({ part, size, isWhole: true })),
    ...shown.map((piece) => ({ ...piece, isWhole: false })),
  ]
}

/** Returns the piece of a frame unless a frame beside it has a larger one near by. */
function withoutLarger(
  [piece]: readonly LabelPart[],
  geometry: PixelGeometry,
  [minX, minY, maxX, maxY]: Bbox,
): LabelPart[] {
  if (piece === undefined) return []
  const isMost = geometry.family === 'POLYGON' && piece.size >= ((maxX - minX) * (maxY - minY)) / 2
  if (isMost) return [piece]
  const [x, y] = middleOf(piece.part)
  const steps = [-1, 0, 1]
  const beside = steps.flatMap((row) => steps.map((column) => [column, row] as const))
  const hasLarger = beside.some(([column, row]) => {
    if (column === 0 && row === 0) return false
    const [dx, dy] = [column * (maxX - minX), row * (maxY - minY)]
    const cell: Bbox = [minX + dx, minY + dy, maxX + dx, maxY + dy]
    const [other] = largestOf(measureAll(clipParts(geometry, cell), geometry.family))
    if (other === undefined || !isLarger(other.size, piece.size, row > 0 || (row === 0 && column > 0)))
      return false
    const [otherX, otherY] = middleOf(other.part)
    return Math.abs(otherX - x) <= repeatDistance && Math.abs(otherY - y) <= repeatDistance
  })
  return hasLarger ? [] : [piece]
}

/** Compares the sizes of pieces in two frames; of equal ones, the later frame has the larger. Frames see sizes rounded. */
function isLarger(size: number, own: number, isLater: boolean): boolean {
  return Math.abs(size - own) <= 1e-6 * own ? isLater : size > own
}

function middleOf(part: PixelPart): readonly [x: number, y: number] {
  const [minX, minY, maxX, maxY] = partBounds(part)
  return [(minX + maxX) / 2, (minY + maxY) / 2]
}

interface SmallPart {
  readonly part: PixelPart
  readonly size: number
  /** Center of its box. */
  readonly x: number
  readonly y: number
}

/** Returns the parts that have no larger part near by. */
function withoutNeighbours(parts: readonly SmallPart[]): SmallPart[] {
  if (parts.length < 2) return [...parts]
  const sorted = [...parts].sort((a, b) => b.size - a.size || a.x - b.x || a.y - b.y)
  return sorted.filter((one, at) => {
    for (let index = 0; index < at; index += 1) {
      const larger = sorted[index]
      if (larger === undefined) continue
      const isNear =
        Math.abs(larger.x - one.x) <= repeatDistance && Math.abs(larger.y - one.y) <= repeatDistance
      if (isNear) return false
    }
    return true
  })
}

function isNearLarge(
  { x, y }: SmallPart,
  large: readonly PixelPart[],
  family: PixelGeometry['family'],
): boolean {
  const near: Bbox = [x - repeatDistance, y - repeatDistance, x + repeatDistance, y + repeatDistance]
  return large.length > 0 && clipParts({ family, parts: large }, near).length > 0
}

interface ClippedPart {
  readonly part: PixelPart
  readonly isWhole: boolean
}

/** Returns the parts of a geometry inside of a box; a line may be in several. */
function clipParts({ family, parts }: PixelGeometry, box: Bbox): ClippedPart[] {
  return parts.flatMap((part): ClippedPart[] => {
    const [minX, minY, maxX, maxY] = partBounds(part)
    if (!(minX <= box[2] && minY <= box[3] && maxX >= box[0] && maxY >= box[1])) return []
    const isInside = minX >= box[0] && minY >= box[1] && maxX <= box[2] && maxY <= box[3]
    if (isInside) return [{ part, isWhole: true }]
    if (family === 'POINT') return []
    if (family === 'POLYGON') return clipPolygon(part, box)
    return part.flatMap((coordinates) =>
      clipLine({ coordinates, isClosed: false }, box).map((piece) => ({
        part: [piece.coordinates],
        isWhole: false,
      })),
    )
  })
}

function clipPolygon(part: PixelPart, box: Bbox): ClippedPart[] {
  const [outer, ...holes] = part.map((ring) => clipRing(ring, box))
  if (outer === undefined || outer.length < 8) return []
  return [{ part: [outer, ...holes.filter((hole) => hole.length >= 8)], isWhole: false }]
}

/** Clips a ring by the algorithm of Sutherland and Hodgman. */
function clipRing(ring: Float64Array, [minX, minY, maxX, maxY]: Bbox): Float64Array {
  const edges = [
    { axis: 0, limit: minX, sign: 1 },
    { axis: 0, limit: maxX, sign: -1 },
    { axis: 1, limit: minY, sign: 1 },
    { axis: 1, limit: maxY, sign: -1 },
  ] as const
  let points: readonly number[] = Array.from(ring)
  for (const edge of edges) points = clipByEdge(points, edge)
  const [x, y] = points
  if (x === undefined || y === undefined) return new Float64Array()
  return Float64Array.from([...points, x, y])
}

function clipByEdge(
  points: readonly number[],
  { axis, limit, sign }: { readonly axis: 0 | 1; readonly limit: number; readonly sign: 1 | -1 },
): number[] {
  const kept: number[] = []
  let previous = [points.at(-2) ?? 0, points.at(-1) ?? 0] as const
  for (let at = 0; at < points.length; at += 2) {
    const next = [points[at] ?? 0, points[at + 1] ?? 0] as const
    const [before, after] = [sign * (previous[axis] - limit), sign * (next[axis] - limit)]
    if (before < 0 !== after < 0) {
      const part = before / (before - after)
      kept.push(previous[0] + part * (next[0] - previous[0]), previous[1] + part * (next[1] - previous[1]))
    }
    if (!(after < 0)) kept.push(next[0], next[1])
    previous = next
  }
  return kept
}
