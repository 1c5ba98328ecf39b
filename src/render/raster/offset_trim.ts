import { SegmentGrid } from './segment_grid.ts'
import type { StrokeLine } from './stroke.ts'

/** Maximum number of positions of a line whose loops are removed. */
const maxPositions = 20_000

/**
 * Removes the parts of an offset line that are nearer to its source than the offset: loops in narrow bends. What remains may
 * be several lines.
 */
export function trimOffset(moved: StrokeLine, source: StrokeLine, offset: number): StrokeLine[] {
  if (moved.coordinates.length > 2 * maxPositions) return [moved]
  const distance = Math.abs(offset)
  const near = new SegmentGrid(source, distance)
  const pieces = splitAtCrossings(moved)
  // Roundings must not remove what is exactly at the distance.
  const isKept = (piece: Piece) => near.isFartherThan(middleOf(piece), distance * 0.995 - 1e-3)
  const kept = pieces.map(isKept)
  return kept.every(Boolean) ? [moved] : joinPieces(pieces, kept, moved.isClosed)
}

/** A part of a segment: x and y of its start and end. */
type Piece = readonly [x0: number, y0: number, x1: number, y1: number]

const middleOf = ([x0, y0, x1, y1]: Piece) => [(x0 + x1) / 2, (y0 + y1) / 2] as const

/** Divides the segments of a line where they cross each other. */
function splitAtCrossings(line: StrokeLine): Piece[] {
  const grid = new SegmentGrid(line, 0)
  return grid.segments.flatMap((segment, at) => {
    const [x0, y0, x1, y1] = segment
    const parts = [0, 1]
    for (const other of grid.findNear(segment)) {
      const part = other === at ? undefined : crossingOf(segment, grid.segments[other] ?? segment)
      if (part !== undefined) parts.push(part)
    }
    parts.sort((a, b) => a - b)
    const pieces: Piece[] = []
    for (let index = 1; index < parts.length; index += 1) {
      const [from, to] = [parts[index - 1] ?? 0, parts[index] ?? 1]
      if (to - from < 1e-9) continue
      const place = (part: number) => [x0 + (x1 - x0) * part, y0 + (y1 - y0) * part] as const
      pieces.push([...place(from), ...place(to)])
    }
    return pieces
  })
}

/** Returns the part of segment `a` before it crosses `b`; undefined if they do not cross. */
function crossingOf([ax, ay, bx, by]: Piece, [cx, cy, dx, dy]: Piece): number | undefined {
  const [ux, uy, vx, vy] = [bx - ax, by - ay, dx - cx, dy - cy]
  const cross = ux * vy - uy * vx
  if (Math.abs(cross) < 1e-12) return undefined
  const part = ((cx - ax) * vy - (cy - ay) * vx) / cross
  const other = ((cx - ax) * uy - (cy - ay) * ux) / cross
  return part > 1e-9 && part < 1 - 1e-9 && other >= 0 && other <= 1 ? part : undefined
}

/** Joins the pieces that are kept into lines. */
function joinPieces(pieces: readonly Piece[], kept: readonly boolean[], isClosed: boolean): StrokeLine[] {
  const lines: number[][] = []
  for (const [at, [x0, y0, x1, y1]] of pieces.entries()) {
    if (!kept[at]) continue
    const last = lines.at(-1)
    if (last !== undefined && isAt(last, x0, y0)) last.push(x1, y1)
    else lines.push([x0, y0, x1, y1])
  }
  const [first, ...others] = lines
  if (first === undefined) return []
  const end = lines.at(-1) ?? []
  const isAround = isClosed && isAt(end, first[0] ?? 0, first[1] ?? 0)
  if (isAround && others.length === 0)
    return [{ coordinates: Float64Array.from(first.slice(0, -2)), isClosed: true }]
  const joined = isAround ? [...others.slice(0, -1), [...end, ...first.slice(2)]] : lines
  return joined.map((coordinates) => ({ coordinates: Float64Array.from(coordinates), isClosed: false }))
}

/** Reports whether a line ends at a position. */
function isAt(line: readonly number[], x: number, y: number): boolean {
  return Math.abs((line.at(-2) ?? 0) - x) < 1e-6 && Math.abs((line.at(-1) ?? 0) - y) < 1e-6
}
