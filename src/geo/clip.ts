import type { Bbox, PackedBboxes } from './bbox.ts'
import { type PackedGeometry, runLength } from './packed_geometry.ts'

/**
 * Clips a tile geometry to a box, in whole units, and returns the result in another one. Polygons need not be valid: each ring
 * is clipped at one side after the other, which preserves the filled area within the box and may add edges along its sides.
 *
 * @see Sutherland and Hodgman 1974 (rings), Liang and Barsky 1984 (lines)
 */
export function clipGeometry(geometry: PackedGeometry, box: Bbox, into: PackedGeometry): PackedGeometry {
  into.reset(geometry.family)
  if (geometry.family === 'POLYGON') clipPolygons(geometry, box, into)
  else if (geometry.family === 'LINESTRING') clipLines(geometry, box, into)
  else clipPoints(geometry, box, into)
  return into
}

function clipPolygons(geometry: PackedGeometry, box: Bbox, into: PackedGeometry): void {
  let isHidden = false
  for (let ring = 0, start = 0; ring < geometry.count; ring += 1) {
    const end = geometry.ends[ring] ?? 0
    const isOuter = geometry.firsts[ring] === 1
    // Without its outer ring nothing is left of a polygon.
    if (isOuter || !isHidden) {
      const before = into.length
      clipRing({ geometry, start, end }, box, into)
      const isEmpty = into.length === before
      if (isOuter) isHidden = isEmpty
      if (!isEmpty) into.endSequence(isOuter)
    }
    start = end
  }
}

/** Coordinates of a sequence. */
interface Stretch {
  readonly geometry: PackedGeometry
  readonly start: number
  readonly end: number
}

function clipRing(ring: Stretch, box: Bbox, into: PackedGeometry): void {
  const ringStart = into.length
  const crossed = copyVisible(ring, box, into)
  if (crossed === 0) return
  let start = ringStart
  for (let side = 0; side < 4; side += 1) {
    if ((crossed & (1 << side)) === 0) continue
    const cut = into.length
    clipAtSide(into, start, { axis: sideAxis(side), sign: sideSign(side), limit: sideLimit(side, box) })
    start = cut
  }
  // Each cut was appended to the one before.
  into.coordinates.copyWithin(ringStart, start, into.length)
  into.length = ringStart + into.length - start
}

// Sides of a box, by number, which is also the number of their bits: left, right, top, bottom.
const sideAxis = (side: number): 0 | 1 => (side < 2 ? 0 : 1)
const sideSign = (side: number): 1 | -1 => ((side & 1) === 0 ? -1 : 1)
const sideLimit = (side: number, box: Bbox) => box[sideAxis(side) + ((side & 1) === 0 ? 0 : 2)] ?? 0

/**
 * Copies a ring, and returns the sides that it crosses, as bits; copies nothing if all of it lies beyond one side. Of successive
 * positions beyond the same side it copies only the first and the last: nothing between them is seen, and the crossings of
 * the sides remain. Most positions of a large ring lie beyond the same side of a small box.
 */
function copyVisible(ring: Stretch, box: Bbox, into: PackedGeometry): number {
  if (isBeyond(ring, box)) return 0
  const { geometry, start, end } = ring
  into.reserve(end - start)
  const [from, to] = [geometry.coordinates, into.coordinates]
  let kept = into.length
  let [common, crossed] = [15, 0]
  let [last, beforeLast] = [0, 0]
  for (let at = start; at < end; at += 2) {
    if ((last & beforeLast) !== 0 && at % runLength === 0) {
      const run = hiddenSides(ring, at, box)
      if ((run & last & beforeLast) !== 0) {
        // Of a run of hidden positions only the last one counts.
        common &= run
        crossed |= crossedSides(ring, at, box)
        at += runLength - 2
      }
    }
    const x = from[at] ?? 0
    const y = from[at + 1] ?? 0
    const sides = sidesOf(box, x, y)
    common &= sides
    crossed |= sides
    // Replaces the last position.
    if ((sides & last & beforeLast) !== 0) kept -= 2
    else beforeLast = last
    to[kept] = x
    to[kept + 1] = y
    kept += 2
    last = sides
  }
  if (common !== 0) return 0
  into.length = kept
  return crossed
}

/** Returns the sides beyond which all of the run that starts at a coordinate is known to lie, as bits. */
function hiddenSides({ geometry: { runBoxes }, end }: Stretch, at: number, box: Bbox): number {
  return runBoxes === undefined || at + runLength > end ? 0 : sidesBeyond(runBoxes, at / runLength, box)
}

/** Returns the sides beyond which a part of the run that starts at a coordinate lies, as bits. */
function crossedSides({ geometry: { runBoxes } }: Stretch, start: number, box: Bbox): number {
  if (runBoxes === undefined) return 0
  const at = (4 * start) / runLength
  const x = ((runBoxes[at] ?? 0) < box[0] ? 1 : 0) | ((runBoxes[at + 2] ?? 0) > box[2] ? 2 : 0)
  return x | ((runBoxes[at + 1] ?? 0) < box[1] ? 4 : 0) | ((runBoxes[at + 3] ?? 0) > box[3] ? 8 : 0)
}

/** Returns the sides beyond which a position lies, as bits. */
function sidesOf(box: Bbox, x: number, y: number): number {
  return (x < box[0] ? 1 : x > box[2] ? 2 : 0) | (y < box[1] ? 4 : y > box[3] ? 8 : 0)
}

/** Returns whether all runs of a sequence are known to lie beyond the same side of a box. */
function isBeyond({ geometry: { runBoxes }, start, end }: Stretch, box: Bbox): boolean {
  if (runBoxes === undefined) return false
  let sides = 15
  for (let run = Math.floor(start / runLength); run * runLength < end && sides !== 0; run += 1)
    sides &= sidesBeyond(runBoxes, run, box)
  return sides !== 0
}

/** Returns the sides beyond which all of a run lies, as bits. */
function sidesBeyond(boxes: PackedBboxes, run: number, [minX, minY, maxX, maxY]: Bbox): number {
  const at = 4 * run
  const x = (boxes[at + 2] ?? 0) < minX ? 1 : (boxes[at] ?? 0) > maxX ? 2 : 0
  return x | ((boxes[at + 3] ?? 0) < minY ? 4 : (boxes[at + 1] ?? 0) > maxY ? 8 : 0)
}

/** A side of a box: everything beyond `limit` is removed. */
interface Side {
  /** 0 for x, 1 for y. */
  readonly axis: 0 | 1
  readonly limit: number
  /** 1 if greater values are beyond the limit, -1 if smaller ones are. */
  readonly sign: 1 | -1
}

/** Clips the last ring, from a coordinate on, and appends the result. */
function clipAtSide(into: PackedGeometry, start: number, { axis, limit, sign }: Side): void {
  const end = into.length
  if (end === start) return
  into.reserve(2 * (end - start))
  const { coordinates } = into
  let kept = end
  let x0 = coordinates[end - 2] ?? 0
  let y0 = coordinates[end - 1] ?? 0
  let from = ((axis === 0 ? x0 : y0) - limit) * sign
  for (let at = start; at < end; at += 2) {
    const x1 = coordinates[at] ?? 0
    const y1 = coordinates[at + 1] ?? 0
    const to = ((axis === 0 ? x1 : y1) - limit) * sign
    if (from > 0 !== to > 0) {
      const part = from / (from - to)
      coordinates[kept] = Math.round(x0 + (x1 - x0) * part)
      coordinates[kept + 1] = Math.round(y0 + (y1 - y0) * part)
      kept += 2
    }
    if (to <= 0) {
      coordinates[kept] = x1
      coordinates[kept + 1] = y1
      kept += 2
    }
    x0 = x1
    y0 = y1
    from = to
  }
  into.length = kept
}

/** Adds the pieces of lines inside the box, each as a part. */
function clipLines(geometry: PackedGeometry, box: Bbox, into: PackedGeometry): void {
  for (let line = 0, start = 0; line < geometry.count; line += 1) {
    const end = geometry.ends[line] ?? 0
    const stretch = { geometry, start, end }
    if (!isBeyond(stretch, box)) clipLine(stretch, box, into)
    start = end
  }
}

function clipLine({ geometry, start, end }: Stretch, box: Bbox, into: PackedGeometry): void {
  // An edge adds two positions at most.
  into.reserve(2 * (end - start))
  const edge = { line: geometry.coordinates, at: start }
  let pieceStart = into.length
  while (edge.at + 2 < end) {
    edge.at += 2
    if (!findSpan(edge, box)) continue
    const [from = 0, to = 0] = span
    if (into.length === pieceStart || from > 0) {
      if (into.length > pieceStart) into.endSequence(true)
      pieceStart = into.length
      pushBetween(into, edge, from)
    }
    pushBetween(into, edge, to)
    if (to === 1) continue
    into.endSequence(true)
    pieceStart = into.length
  }
  if (into.length > pieceStart) into.endSequence(true)
}

interface Edge {
  readonly line: Float64Array
  /** Index of the second end. */
  readonly at: number
}

/** The part of an edge inside the box, as fractions of its length. */
const span = new Float64Array(2)

/** Finds the span of an edge. Returns false if the edge is outside of the box. */
function findSpan({ line, at }: Edge, box: Bbox): boolean {
  let [from, to] = [0, 1]
  for (let side = 0; side < 4; side += 1) {
    const axis = sideAxis(side)
    const [limit, sign] = [sideLimit(side, box), sideSign(side)]
    const start = ((line[at - 2 + axis] ?? 0) - limit) * sign
    const end = ((line[at + axis] ?? 0) - limit) * sign
    if (start > 0 && end > 0) return false
    if (start > 0) from = Math.max(from, start / (start - end))
    else if (end > 0) to = Math.min(to, start / (start - end))
  }
  span[0] = from
  span[1] = to
  return from <= to
}

/** Adds a position of an edge; `part` is the fraction of the way to its second end. */
function pushBetween(into: PackedGeometry, { line, at }: Edge, part: number): void {
  const [x0, y0] = [line[at - 2] ?? 0, line[at - 1] ?? 0]
  const [x1, y1] = [line[at] ?? 0, line[at + 1] ?? 0]
  into.coordinates[into.length] = Math.round(x0 + (x1 - x0) * part)
  into.coordinates[into.length + 1] = Math.round(y0 + (y1 - y0) * part)
  into.length += 2
}

function clipPoints(
  { coordinates, length }: PackedGeometry,
  [minX, minY, maxX, maxY]: Bbox,
  into: PackedGeometry,
): void {
  into.reserve(length)
  for (let at = 0; at < length; at += 2) {
    const [x, y] = [coordinates[at] ?? 0, coordinates[at + 1] ?? 0]
    if (!(x >= minX && x <= maxX && y >= minY && y <= maxY)) continue
    into.coordinates[into.length] = x
    into.coordinates[into.length + 1] = y
    into.length += 2
    into.endSequence(true)
  }
}
