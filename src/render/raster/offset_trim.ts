import { SegmentGrid } from './segment_grid.ts'
import type { StrokeLine } from './stroke.ts'

/** Maximum number of positions of a line whose loops are removed. */
const maxPositions = 20_000

/** Work of each piece between two crossings, in pixels that are blended. */
const pieceWork = 64

/**
 * Removes the parts of an offset line that are nearer to its source than the offset: loops in narrow bends. What remains may
 * be several lines. Lines that are not at finite positions remain as they are.
 *
 * @throws what `addWork` throws: a line may cross itself as often as it has pairs of segments
 */
export function trimOffset(
  moved: StrokeLine,
  source: StrokeLine,
  { offset, addWork }: { readonly offset: number; readonly addWork: (work: number) => void },
): StrokeLine[] {
  const { coordinates, isClosed } = moved
  if (coordinates.length > 2 * maxPositions || !isMeasurable(coordinates)) return [moved]
  const distance = Math.abs(offset)
  const near = new SegmentGrid(source, distance, addWork)
  const own = new SegmentGrid(moved, 0, addWork)
  // Roundings must not remove what is exactly at the distance.
  const least = distance * 0.995 - 1e-3
  const lines: number[][] = []
  let isTrimmed = false
  for (let at = 0; at < own.count; at += 1) {
    for (const [x0, y0, x1, y1] of splitAtCrossings(own, at)) {
      addWork(pieceWork)
      if (near.isFartherThan((x0 + x1) / 2, (y0 + y1) / 2, least)) addPiece(lines, x0, y0, x1, y1)
      else isTrimmed = true
    }
  }
  return isTrimmed ? joinEnds(lines, isClosed) : [moved]
}

/** Greatest distance from the image at which the cells of a line are still told apart, in pixels. */
const farthest = 1e12

const isMeasurable = (coordinates: Float64Array) => coordinates.every((value) => Math.abs(value) < farthest)

/** A part of a segment: x and y of its start and end. */
type Piece = readonly [x0: number, y0: number, x1: number, y1: number]

/** Divides a segment of a line where others cross it. */
function* splitAtCrossings(grid: SegmentGrid, at: number): Generator<Piece> {
  const parts = [0, 1]
  for (const other of grid.findNear(at)) {
    const part = crossingOf(grid.ends, 4 * at, 4 * other)
    if (part !== undefined) parts.push(part)
  }
  parts.sort((a, b) => a - b)
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = grid.ends.subarray(4 * at, 4 * at + 4)
  const [dx, dy] = [x1 - x0, y1 - y0]
  for (let index = 1; index < parts.length; index += 1) {
    const [from, to] = [parts[index - 1] ?? 0, parts[index] ?? 1]
    if (to - from >= 1e-9) yield [x0 + dx * from, y0 + dy * from, x0 + dx * to, y0 + dy * to]
  }
}

/** Returns the part of the segment at `a` before it crosses that at `c`; undefined if they do not cross. */
function crossingOf(ends: Float64Array, a: number, c: number): number | undefined {
  const [ax, ay, cx, cy] = [ends[a] ?? 0, ends[a + 1] ?? 0, ends[c] ?? 0, ends[c + 1] ?? 0]
  const [ux, uy] = [(ends[a + 2] ?? 0) - ax, (ends[a + 3] ?? 0) - ay]
  const [vx, vy] = [(ends[c + 2] ?? 0) - cx, (ends[c + 3] ?? 0) - cy]
  const cross = ux * vy - uy * vx
  if (Math.abs(cross) < 1e-12) return undefined
  const part = ((cx - ax) * vy - (cy - ay) * vx) / cross
  const other = ((cx - ax) * uy - (cy - ay) * ux) / cross
  return part > 1e-9 && part < 1 - 1e-9 && other >= 0 && other <= 1 ? part : undefined
}

/** Adds a piece that is kept to the line that ends at its start, or as a new line. */
function addPiece(lines: number[][], ...[x0, y0, x1, y1]: Piece): void {
  const last = lines.at(-1)
  if (last !== undefined && isAt(last, x0, y0)) last.push(x1, y1)
  else lines.push([x0, y0, x1, y1])
}

/** Joins the last line with the first if they meet at the start of a ring. */
function joinEnds(lines: readonly number[][], isClosed: boolean): StrokeLine[] {
  const [first, ...others] = lines
  if (first === undefined) return []
  const end = lines.at(-1) ?? []
  const isAround = isClosed && isAt(end, first[0] ?? 0, first[1] ?? 0)
  if (isAround && others.length === 0)
    return [{ coordinates: Float64Array.from(first.slice(0, -2)), isClosed: true }]
  const joined = isAround ? [...others.slice(0, -1), end.concat(first.slice(2))] : lines
  return joined.map((coordinates) => ({ coordinates: Float64Array.from(coordinates), isClosed: false }))
}

/** Reports whether a line ends at a position. */
function isAt(line: readonly number[], x: number, y: number): boolean {
  return Math.abs((line.at(-2) ?? 0) - x) < 1e-6 && Math.abs((line.at(-1) ?? 0) - y) < 1e-6
}
