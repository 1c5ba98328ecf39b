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
    const lines = parts.map((part) =>
      part.map((line) => withoutRepeats(line)).filter((line) => line.length >= 4),
    )
    return { family, parts: lines.filter((part) => part.length > 0) }
  }
  return { family, parts: parts.map(tidyPolygon).filter((part) => part.length > 0) }
}

/**
 * Returns twice the signed area of a ring, first position not repeated; positive is clockwise on the screen. Computed from the
 * first position on, so that it is exact for the large numbers of positions in the world.
 */
export function doubleArea(ring: Sequence): number {
  const [startX, startY] = [ring[0] ?? 0, ring[1] ?? 0]
  let [sum, x, y] = [0, 0, 0]
  for (let at = 2; at < ring.length; at += 2) {
    const [nextX, nextY] = [(ring[at] ?? 0) - startX, (ring[at + 1] ?? 0) - startY]
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

/** Returns the bounding box of sequences; an empty box without positions. */
export function boxOfSequences(sequences: readonly Sequence[]): Bbox {
  const box = emptyBbox()
  for (const sequence of sequences) {
    for (let at = 0; at < sequence.length; at += 2) extendBbox(box, sequence[at] ?? 0, sequence[at + 1] ?? 0)
  }
  return box
}

function tidyPoints(parts: readonly Part[]): readonly Part[] {
  if (parts.length < 2) return parts
  const seen = new Map<string, Part>()
  for (const part of parts) for (const point of part) seen.set(point.join(), [point])
  return [...seen.values()]
}

function tidyPolygon(rings: Part): Part {
  const tidied: Sequence[] = []
  for (const [at, ring] of rings.entries()) {
    const tidy = tidyRing(ring, at === 0 ? 1 : -1)
    if (tidy !== undefined) tidied.push(tidy)
    // Without its outer ring nothing is left of a polygon.
    else if (at === 0) return []
  }
  return tidied
}

/** Returns a ring with an area of the given sign, first position not repeated; undefined if it has no area. */
function tidyRing(ring: Sequence, sign: 1 | -1): Sequence | undefined {
  const kept = withoutRepeats(ring, endOfRing(ring))
  const area = kept.length < 6 ? 0 : doubleArea(kept)
  if (area === 0) return undefined
  return Math.sign(area) === sign ? kept : reverse(kept)
}

function reverse(ring: Sequence): Sequence {
  const turned: number[] = []
  for (let at = ring.length - 2; at >= 0; at -= 2) turned.push(ring[at] ?? 0, ring[at + 1] ?? 0)
  return turned
}

function withoutRepeats(sequence: Sequence, end = sequence.length): Sequence {
  const kept: number[] = []
  let [lastX, lastY] = [Number.NaN, Number.NaN]
  for (let at = 0; at < end; at += 2) {
    const [x, y] = [sequence[at] ?? 0, sequence[at + 1] ?? 0]
    if (x === lastX && y === lastY) continue
    kept.push(x, y)
    lastX = x
    lastY = y
  }
  return kept
}

/** Returns where a ring ends without its last position, which may occur several times in a row. */
function endOfRing(ring: Sequence): number {
  let end = ring.length
  while (end > 2 && ring[0] === ring[end - 2] && ring[1] === ring[end - 1]) end -= 2
  return end
}
