import type { StrokeLine } from './stroke.ts'

/** Minimum side of a cell in pixels, and maximum number of cells along a side of a line. */
const limits = { side: 8, cells: 256 }

/** Work of finding a segment in a cell and computing with it, in pixels that are blended. */
const segmentWork = 3

/** Segments of a line by the cells of a grid that they cross. */
export class SegmentGrid {
  /** Number of segments. */
  readonly count: number
  /** x and y of the start and the end of each segment. */
  readonly ends: Float64Array
  readonly #addWork: (work: number) => void
  readonly #side: number
  readonly #left: number
  readonly #top: number
  readonly #columns: number
  readonly #rows: number
  /** Places in `#items` where those of each cell start. */
  readonly #starts: Uint32Array
  readonly #items: Uint32Array
  /** Last request that found each segment. */
  readonly #seen: Uint32Array
  #requests = 0

  /** `reach` is the distance of the later requests. */
  constructor(line: StrokeLine, reach: number, addWork: (work: number) => void) {
    this.ends = endsOf(line)
    this.count = this.ends.length / 4
    this.#addWork = addWork
    const [left, top, right, bottom] = boxOf(this.ends)
    const most = Math.min(limits.cells, Math.ceil(2 * Math.sqrt(this.count)))
    const side = Math.max(limits.side, reach, Math.max(right - left, bottom - top) / most)
    this.#side = side
    this.#left = left
    this.#top = top
    this.#columns = Math.floor((right - left) / side) + 1
    this.#rows = Math.floor((bottom - top) / side) + 1
    this.#starts = new Uint32Array(this.#columns * this.#rows + 1)
    this.#seen = new Uint32Array(this.count)
    this.#items = this.#fillCells()
  }

  /** Lists the other segments that lie in the cells of a segment: all that it crosses are among them. */
  findNear(at: number): number[] {
    this.#requests += 1
    this.#seen[at] = this.#requests
    const found: number[] = []
    let work = 0
    this.#eachCell(at, (cell) => {
      const end = this.#starts[cell + 1] ?? 0
      for (let place = this.#starts[cell] ?? 0; place < end; place += 1) {
        const other = this.#items[place] ?? 0
        work += 1
        if (this.#seen[other] === this.#requests) continue
        this.#seen[other] = this.#requests
        found.push(other)
      }
    })
    this.#addWork(segmentWork * work)
    return found
  }

  /** Reports whether all segments are farther from a position than a distance, at most that of the grid. */
  isFartherThan(x: number, y: number, distance: number): boolean {
    const [firstRow, lastRow] = [this.#rowAt(y - distance), this.#rowAt(y + distance)]
    const [first, last] = [this.#columnAt(x - distance), this.#columnAt(x + distance)]
    let isFarther = true
    let work = 0
    for (let row = firstRow; isFarther && row <= lastRow; row += 1) {
      const end = this.#starts[row * this.#columns + last + 1] ?? 0
      for (let place = this.#starts[row * this.#columns + first] ?? 0; isFarther && place < end; place += 1) {
        work += 1
        isFarther = this.#distanceTo(this.#items[place] ?? 0, x, y) >= distance
      }
    }
    this.#addWork(segmentWork * work)
    return isFarther
  }

  /** Sorts the segments into their cells, after counting them. */
  #fillCells(): Uint32Array {
    const starts = this.#starts
    let total = 0
    for (let at = 0; at < this.count; at += 1)
      this.#eachCell(at, (cell) => {
        total += 1
        starts[cell] = (starts[cell] ?? 0) + 1
      })
    this.#addWork(segmentWork * total + starts.length)
    let sum = 0
    for (let cell = 0; cell < starts.length; cell += 1) {
      sum += starts[cell] ?? 0
      starts[cell] = sum
    }
    const items = new Uint32Array(total)
    // From the last place of each cell to its first.
    for (let at = this.count - 1; at >= 0; at -= 1)
      this.#eachCell(at, (cell) => {
        const place = (starts[cell] ?? 0) - 1
        starts[cell] = place
        items[place] = at
      })
    return items
  }

  /** Visits the cells that a segment crosses, row by row. */
  #eachCell(at: number, visit: (cell: number) => void): void {
    const x0 = this.ends[4 * at] ?? 0
    const y0 = this.ends[4 * at + 1] ?? 0
    const dx = (this.ends[4 * at + 2] ?? 0) - x0
    const dy = (this.ends[4 * at + 3] ?? 0) - y0
    const lastRow = this.#rowAt(Math.max(y0, y0 + dy))
    // Roundings must not put a crossing into different cells of two segments.
    const margin = this.#side * 1e-6
    for (let row = this.#rowAt(Math.min(y0, y0 + dy)); row <= lastRow; row += 1) {
      const upper = this.#top + row * this.#side - margin
      const from = dy === 0 ? 0 : partOf((upper - y0) / dy)
      const to = dy === 0 ? 1 : partOf((upper + this.#side + 2 * margin - y0) / dy)
      const [a, b] = [x0 + dx * from, x0 + dx * to]
      const last = this.#columnAt(Math.max(a, b) + margin)
      for (let column = this.#columnAt(Math.min(a, b) - margin); column <= last; column += 1)
        visit(row * this.#columns + column)
    }
  }

  #columnAt(x: number): number {
    return Math.min(this.#columns - 1, Math.max(0, Math.floor((x - this.#left) / this.#side)))
  }

  #rowAt(y: number): number {
    return Math.min(this.#rows - 1, Math.max(0, Math.floor((y - this.#top) / this.#side)))
  }

  #distanceTo(at: number, x: number, y: number): number {
    const x0 = this.ends[4 * at] ?? 0
    const y0 = this.ends[4 * at + 1] ?? 0
    const dx = (this.ends[4 * at + 2] ?? 0) - x0
    const dy = (this.ends[4 * at + 3] ?? 0) - y0
    const length = dx * dx + dy * dy
    const part = length === 0 ? 0 : partOf(((x - x0) * dx + (y - y0) * dy) / length)
    const awayX = x - x0 - part * dx
    const awayY = y - y0 - part * dy
    return Math.sqrt(awayX * awayX + awayY * awayY)
  }
}

const partOf = (value: number) => Math.min(1, Math.max(0, value))

function endsOf({ coordinates, isClosed }: StrokeLine): Float64Array {
  const { length } = coordinates
  const count = Math.max(0, isClosed ? length / 2 : length / 2 - 1)
  const ends = new Float64Array(4 * count)
  for (let at = 0; at < ends.length; at += 1) ends[at] = coordinates[(2 * (at >> 2) + (at & 3)) % length] ?? 0
  return ends
}

function boxOf(ends: Float64Array): [left: number, top: number, right: number, bottom: number] {
  let [left, top, right, bottom] = [ends[0] ?? 0, ends[1] ?? 0, ends[0] ?? 0, ends[1] ?? 0]
  for (let at = 0; at < ends.length; at += 2) {
    const [x, y] = [ends[at] ?? 0, ends[at + 1] ?? 0]
    left = Math.min(left, x)
    top = Math.min(top, y)
    right = Math.max(right, x)
    bottom = Math.max(bottom, y)
  }
  return [left, top, right, bottom]
}
