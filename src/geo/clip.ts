import type { Bbox } from './bbox.ts'
import type { Part, Sequence } from './geometry.ts'
import type { TileGeometry } from './tile_geometry.ts'

/**
 * Clips a tile geometry to a box, in whole units. Polygons need not be valid: each ring is clipped at one side after the
 * other, which preserves the filled area within the box and may add edges along its sides.
 *
 * @see Sutherland and Hodgman 1974 (rings), Liang and Barsky 1984 (lines)
 */
export function clipGeometry({ family, parts }: TileGeometry, box: Bbox): TileGeometry {
  if (family === 'POLYGON') return { family, parts: parts.flatMap((part) => clipPolygon(part, box)) }
  if (family === 'LINESTRING') {
    return { family, parts: parts.flatMap((part) => part.flatMap((line) => clipLine(line, box))) }
  }
  return { family, parts: parts.filter((part) => part.every((point) => isInside(point, 0, box))) }
}

function clipPolygon(rings: Part, box: Bbox): Part[] {
  const [outer, ...holes] = rings.map((ring) => clipRing(ring, box))
  if (outer === undefined || outer.length === 0) return []
  return [[outer, ...holes.filter((hole) => hole.length > 0)]]
}

function clipRing(ring: Sequence, box: Bbox): Sequence {
  const { common, crossed } = findSides(ring, box)
  if (common !== 0) return []
  if (crossed === 0) return ring
  let cut = dropHidden(ring, box)
  for (const [at, side] of sidesOf(box).entries()) if (crossed & (1 << at)) cut = clipRingAt(cut, side)
  return cut
}

/** A side of a box: everything beyond `limit` is removed. */
interface Side {
  /** 0 for x, 1 for y. */
  readonly axis: 0 | 1
  readonly limit: number
  /** 1 if greater values are beyond the limit, -1 if smaller ones are. */
  readonly sign: 1 | -1
}

/** Sides of a box beyond which a position lies, as bits in the order of `sidesOf`. */
function sidesBeyond([minX, minY, maxX, maxY]: Bbox, x: number, y: number): number {
  return (x < minX ? 1 : x > maxX ? 2 : 0) | (y < minY ? 4 : y > maxY ? 8 : 0)
}

/** Finds the sides beyond which all positions of a ring lie, and those beyond which any of them does, as bits. */
function findSides(ring: Sequence, box: Bbox): { readonly common: number; readonly crossed: number } {
  let [common, crossed] = [15, 0]
  for (let at = 0; at < ring.length; at += 2) {
    const sides = sidesBeyond(box, ring[at] ?? 0, ring[at + 1] ?? 0)
    common &= sides
    crossed |= sides
  }
  return { common, crossed }
}

/**
 * Keeps only the first and the last of successive positions beyond the same side: nothing between them is seen, and the
 * crossings of the sides remain. Most positions of a large ring lie beyond the same side of a small box.
 */
function dropHidden(ring: Sequence, box: Bbox): Sequence {
  const kept: number[] = []
  let [last, beforeLast] = [0, 0]
  for (let at = 0; at < ring.length; at += 2) {
    const [x, y] = [ring[at] ?? 0, ring[at + 1] ?? 0]
    const sides = sidesBeyond(box, x, y)
    if ((sides & last & beforeLast) === 0) {
      kept.push(x, y)
      beforeLast = last
    } else {
      kept[kept.length - 2] = x
      kept[kept.length - 1] = y
    }
    last = sides
  }
  return kept
}

const sidesOf = ([minX, minY, maxX, maxY]: Bbox): Side[] => [
  { axis: 0, limit: minX, sign: -1 },
  { axis: 0, limit: maxX, sign: 1 },
  { axis: 1, limit: minY, sign: -1 },
  { axis: 1, limit: maxY, sign: 1 },
]

const excess = (ring: Sequence, at: number, { limit, sign }: Side) => ((ring[at] ?? 0) - limit) * sign

function clipRingAt(ring: Sequence, { axis, limit, sign }: Side): Sequence {
  const kept: number[] = []
  let before = ring.length - 2
  let from = ((ring[before + axis] ?? 0) - limit) * sign
  for (let at = 0; at < ring.length; at += 2) {
    const to = ((ring[at + axis] ?? 0) - limit) * sign
    if (from > 0 !== to > 0) pushBetween(kept, { ring, before, at, part: from / (from - to) })
    if (to <= 0) kept.push(ring[at] ?? 0, ring[at + 1] ?? 0)
    before = at
    from = to
  }
  return kept
}

interface Edge {
  readonly ring: Sequence
  /** Offsets of the ends. */
  readonly before: number
  readonly at: number
  /** Fraction of the way from the first end to the second. */
  readonly part: number
}

function pushBetween(into: number[], { ring, before, at, part }: Edge): void {
  const [x0, y0, x1, y1] = [ring[before] ?? 0, ring[before + 1] ?? 0, ring[at] ?? 0, ring[at + 1] ?? 0]
  into.push(Math.round(x0 + (x1 - x0) * part), Math.round(y0 + (y1 - y0) * part))
}

/** Returns the pieces of a line inside the box. */
function clipLine(line: Sequence, box: Bbox): Part[] {
  const pieces: Part[] = []
  let piece: number[] = []
  for (let at = 2; at < line.length; at += 2) {
    const span = findSpan(line, at, box)
    if (span === undefined) continue
    const [from, to] = span
    const edge = { ring: line, before: at - 2, at }
    if (piece.length === 0 || from > 0) {
      if (piece.length > 0) pieces.push([piece])
      piece = []
      pushBetween(piece, { ...edge, part: from })
    }
    pushBetween(piece, { ...edge, part: to })
    if (to < 1) {
      pieces.push([piece])
      piece = []
    }
  }
  return piece.length > 0 ? [...pieces, [piece]] : pieces
}

/** Finds the part of an edge inside the box, as fractions of its length; `at` is the offset of its second end. */
function findSpan(line: Sequence, at: number, box: Bbox): [from: number, to: number] | undefined {
  let [from, to] = [0, 1]
  for (const side of sidesOf(box)) {
    const [start, end] = [excess(line, at - 2 + side.axis, side), excess(line, at + side.axis, side)]
    if (start > 0 && end > 0) return undefined
    if (start > 0) from = Math.max(from, start / (start - end))
    else if (end > 0) to = Math.min(to, start / (start - end))
  }
  return from <= to ? [from, to] : undefined
}

function isInside(sequence: Sequence, at: number, [minX, minY, maxX, maxY]: Bbox): boolean {
  const [x, y] = [sequence[at] ?? 0, sequence[at + 1] ?? 0]
  return x >= minX && x <= maxX && y >= minY && y <= maxY
}
