import type { StrokeLine } from './stroke.ts'

/** Maximum number of positions of a line whose loops are removed. */
const maxPositions = 20_000

/** A segment: x and y of its start and end. */
type Segment = readonly [x0: number, y0: number, x1: number, y1: number]

/** Minimum side of a cell in pixels, and maximum number of cells along a side of the line. */
const limits = { side: 8, cells: 256 }

/** Segments of a line by the cells of a grid that their boxes touch. */
class SegmentGrid {
  readonly segments: readonly Segment[]
  readonly #cells = new Map<string, number[]>()
  readonly #side: number

  /** `reach` is the distance of the later requests. */
  constructor(line: StrokeLine, reach: number) {
    this.segments = segmentsOf(line)
    this.#side = Math.max(limits.side, reach, extentOf(this.segments) / limits.cells)
    for (const [at, segment] of this.segments.entries())
      for (const key of this.#keysOf(segment)) {
        const cell = this.#cells.get(key)
        if (cell === undefined) this.#cells.set(key, [at])
        else cell.push(at)
      }
  }

  /** Lists the segments whose cells a segment touches. */
  findNear(segment: Segment): ReadonlySet<number> {
    return new Set(this.#keysOf(segment).flatMap((key) => this.#cells.get(key) ?? []))
  }

  /** Reports whether all segments are farther from a position than a distance, at most that of the grid. */
  isFartherThan([x, y]: readonly [x: number, y: number], distance: number): boolean {
    const near = this.findNear([x - distance, y - distance, x + distance, y + distance])
    for (const at of near) {
      const segment = this.segments[at]
      if (segment !== undefined && distanceTo(segment, x, y) < distance) return false
    }
    return true
  }

  #keysOf([x0, y0, x1, y1]: Segment): string[] {
    const cell = (value: number) => Math.floor(value / this.#side)
    const keys: string[] = []
    for (let row = cell(Math.min(y0, y1)); row <= cell(Math.max(y0, y1)); row += 1)
      for (let column = cell(Math.min(x0, x1)); column <= cell(Math.max(x0, x1)); column += 1)
        keys.push(`${column} ${row}`)
    return keys
  }
}

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

function segmentsOf({ coordinates, isClosed }: StrokeLine): Segment[] {
  const count = coordinates.length / 2
  return Array.from({ length: Math.max(0, isClosed ? count : count - 1) }, (_, at) => {
    const [from, to] = [2 * at, (2 * at + 2) % coordinates.length]
    return [
      coordinates[from] ?? 0,
      coordinates[from + 1] ?? 0,
      coordinates[to] ?? 0,
      coordinates[to + 1] ?? 0,
    ]
  })
}

function extentOf(segments: readonly Segment[]): number {
  let [minX, minY, maxX, maxY] = [0, 0, 0, 0]
  for (const [x, y] of segments) {
    minX = Math.min(minX, x)
    minY = Math.min(minY, y)
    maxX = Math.max(maxX, x)
    maxY = Math.max(maxY, y)
  }
  return Math.max(maxX - minX, maxY - minY)
}

function distanceTo([x0, y0, x1, y1]: Segment, x: number, y: number): number {
  const [dx, dy] = [x1 - x0, y1 - y0]
  const length = dx * dx + dy * dy
  const part = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - x0) * dx + (y - y0) * dy) / length))
  return Math.hypot(x - x0 - part * dx, y - y0 - part * dy)
}
