import { type Bbox, emptyBbox, extendBbox } from './bbox.ts'
import type { Geometry, Part, Sequence } from './geometry.ts'

/** A geometry in whole units of a tile, without z; y grows downwards from the top left corner. */
export type TileGeometry = Pick<Geometry, 'family' | 'parts'>

/**
 * Normalizes a geometry for encoding: removes repeated positions and the last position of rings, orients outer rings
 * clockwise and holes counterclockwise on the screen, and drops collapsed lines and rings.
 */
export function tidyGeometry({ family, parts }: TileGeometry): TileGeometry {
  if (family === 'POINT') return { family, parts: tidyPoints(parts) }
  if (family === 'LINESTRING') {
    const lines = parts.map((part) => part.map(withoutRepeats).filter((line) => line.length >= 4))
    return { family, parts: lines.filter((part) => part.length > 0) }
  }
  return { family, parts: parts.map(tidyPolygon).filter((part) => part.length > 0) }
}

/** Returns twice the signed area of a ring, first position not repeated; positive is clockwise on the screen. */
export function doubleArea(ring: Sequence): number {
  let sum = 0
  let [x, y] = [ring[ring.length - 2] ?? 0, ring[ring.length - 1] ?? 0]
  for (let at = 0; at < ring.length; at += 2) {
    const [nextX, nextY] = [ring[at] ?? 0, ring[at + 1] ?? 0]
    sum += x * nextY - nextX * y
    x = nextX
    y = nextY
  }
  return sum
}

/** Counts the positions of a geometry. */
export function countPositions({ parts }: TileGeometry): number {
  return parts.flat().reduce((count, sequence) => count + sequence.length / 2, 0)
}

/** Returns the bounding box of a geometry; an empty box without positions. */
export function boxOfGeometry({ parts }: TileGeometry): Bbox {
  const box = emptyBbox()
  for (const sequence of parts.flat()) {
    for (let at = 0; at < sequence.length; at += 2) extendBbox(box, sequence[at] ?? 0, sequence[at + 1] ?? 0)
  }
  return box
}

/** Returns a geometry moved by an offset. */
export function moveGeometry({ family, parts }: TileGeometry, dx: number, dy: number): TileGeometry {
  const move = (value: number, at: number) => value + (at % 2 === 0 ? dx : dy)
  return { family, parts: parts.map((part) => part.map((sequence) => sequence.map(move))) }
}

function tidyPoints(parts: readonly Part[]): readonly Part[] {
  if (parts.length < 2) return parts
  const seen = new Map<string, Part>()
  for (const part of parts) for (const point of part) seen.set(point.join(), [point])
  return [...seen.values()]
}

function tidyPolygon(rings: Part): Part {
  const [outer, ...holes] = rings.map((ring) => withoutRepeats(withoutEnd(ring)))
  if (outer === undefined || isFlat(outer)) return []
  return [wind(outer, 1), ...holes.filter((hole) => !isFlat(hole)).map((hole) => wind(hole, -1))]
}

const isFlat = (ring: Sequence) => ring.length < 6 || doubleArea(ring) === 0

function wind(ring: Sequence, sign: 1 | -1): Sequence {
  return Math.sign(doubleArea(ring)) === sign ? ring : reverse(ring)
}

function reverse(ring: Sequence): Sequence {
  const turned: number[] = []
  for (let at = ring.length - 2; at >= 0; at -= 2) turned.push(ring[at] ?? 0, ring[at + 1] ?? 0)
  return turned
}

function withoutRepeats(sequence: Sequence): Sequence {
  const kept: number[] = []
  for (let at = 0; at < sequence.length; at += 2) {
    const [x, y] = [sequence[at] ?? 0, sequence[at + 1] ?? 0]
    if (kept.length === 0 || kept[kept.length - 2] !== x || kept[kept.length - 1] !== y) kept.push(x, y)
  }
  return kept
}

// The last position may occur several times in a row.
function withoutEnd(ring: Sequence): Sequence {
  let end = ring.length
  while (end > 2 && ring[0] === ring[end - 2] && ring[1] === ring[end - 1]) end -= 2
  return ring.slice(0, end)
}
