import type { StrokeLine } from './stroke.ts'

/** A segment: x and y of its start and end. */
export type Segment = readonly [x0: number, y0: number, x1: number, y1: number]

/** Minimum side of a cell in pixels, and maximum number of cells along a side of the line. */
const limits = { side: 8, cells: 256 }

/** Segments of a line by the cells of a grid that their boxes touch. */
export class SegmentGrid {
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
