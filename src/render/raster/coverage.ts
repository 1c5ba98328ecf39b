/** Rule that decides what is inside of a path. */
export type FillRule = 'nonzero' | 'evenodd'

/** Receives the contours of a path. A contour is closed by `close`, and by the start of the next one. */
export interface OutlineSink {
  moveTo(x: number, y: number): void
  lineTo(x: number, y: number): void
  close(): void
}

/** Receives the covered pixels of a path, row by row from the top, each row from the left. */
export interface RunSink {
  /** Called before the runs of a row. */
  startRow(row: number): void
  /** `coverage` is the covered part of each pixel from `start` to `end`, exclusive: more than 0, at most 1. */
  addRun(start: number, end: number, coverage: number): void
}

/** Maximum absolute value of a coordinate, in pixels: beyond it, positions on edges become inexact. */
const maxCoordinate = 1e12

/**
 * Computes which part of each pixel a path covers, exactly: each edge adds the area to its right to the pixels it passes,
 * and the sum along a row is the covered part. Only pixels that edges pass take memory traffic. Where a path overlaps
 * itself within a pixel, the sum is limited to 1.
 *
 * Coordinates of any size are safe: NaN is ignored, and infinite ones are limited.
 *
 * @see https://medium.com/@raphlinus/inside-the-fastest-font-renderer-in-the-world-75ae5270c445
 */
export class CoverageBuffer implements OutlineSink {
  readonly width: number
  readonly height: number
  /** Changes of coverage from each pixel to its right neighbour; two more than the width in each row. */
  readonly #changes: Float64Array
  /** A bit for each value of `#changes` that may differ from 0. */
  readonly #touched: Int32Array
  readonly #wordsPerRow: number
  #firstRow: number
  #lastRow = -1
  #startX = Number.NaN
  #startY = 0
  #x = 0
  #y = 0
  /** Number of edges added; callers limit their work by it. */
  edgeCount = 0

  constructor(width: number, height: number) {
    this.width = width
    this.height = height
    this.#changes = new Float64Array((width + 2) * height)
    this.#wordsPerRow = (width + 2 + 31) >>> 5
    this.#touched = new Int32Array(this.#wordsPerRow * height)
    this.#firstRow = height
  }

  moveTo(x: number, y: number): void {
    this.close()
    if (Number.isNaN(x) || Number.isNaN(y)) return
    this.#startX = this.#x = limit(x)
    this.#startY = this.#y = limit(y)
  }

  lineTo(x: number, y: number): void {
    if (Number.isNaN(x) || Number.isNaN(y)) return
    if (Number.isNaN(this.#startX)) {
      this.moveTo(x, y)
      return
    }
    const [nextX, nextY] = [limit(x), limit(y)]
    this.#addEdge(nextX, nextY)
    this.#x = nextX
    this.#y = nextY
  }

  close(): void {
    if (Number.isNaN(this.#startX)) return
    this.#addEdge(this.#startX, this.#startY)
    this.#startX = Number.NaN
  }

  /** Reports the covered pixels, and removes the path. */
  flush(rule: FillRule, sink: RunSink): void {
    this.close()
    for (let row = this.#firstRow; row <= this.#lastRow; row += 1) this.#flushRow(row, rule, sink)
    this.#firstRow = this.height
    this.#lastRow = -1
    this.edgeCount = 0
  }

  #flushRow(row: number, rule: FillRule, sink: RunSink): void {
    const { width } = this
    const base = row * (width + 2)
    const firstWord = row * this.#wordsPerRow
    let [sum, coverage, start] = [0, 0, 0]
    sink.startRow(row)
    for (let at = 0; at < this.#wordsPerRow; at += 1) {
      let word = this.#touched[firstWord + at] ?? 0
      this.#touched[firstWord + at] = 0
      while (word !== 0) {
        const lowest = word & -word
        word ^= lowest
        const x = (at << 5) + 31 - Math.clz32(lowest)
        if (coverage > 0 && x > start) sink.addRun(start, Math.min(x, width), coverage)
        sum += this.#changes[base + x] ?? 0
        this.#changes[base + x] = 0
        coverage = x < width ? coverageOf(sum, rule) : 0
        start = x
      }
    }
    if (coverage > 0 && start < width) sink.addRun(start, width, coverage)
  }

  #addEdge(toX: number, toY: number): void {
    const [fromX, fromY] = [this.#x, this.#y]
    if (fromY === toY) return
    this.edgeCount += 1
    if (fromY < toY) this.#addDownward({ x0: fromX, y0: fromY, x1: toX, y1: toY, sign: 1 })
    else this.#addDownward({ x0: toX, y0: toY, x1: fromX, y1: fromY, sign: -1 })
  }

  #addDownward(edge: DownwardEdge): void {
    const { x0, y0, x1, y1 } = edge
    const { width, height } = this
    if (y1 <= 0 || y0 >= height || (x0 >= width && x1 >= width)) return
    const slope = (x1 - x0) / (y1 - y0)
    // A wide edge of almost no height has almost no area.
    if (!Number.isFinite(slope)) return
    const top = Math.max(y0, 0)
    const bottom = Math.min(y1, height)
    this.#firstRow = Math.min(this.#firstRow, Math.floor(top))
    this.#lastRow = Math.max(this.#lastRow, Math.ceil(bottom) - 1)
    const line = { x0, y0, slope, sign: edge.sign }
    const isInside = x0 >= 0 && x1 >= 0 && x0 <= width && x1 <= width
    if (x0 <= 0 && x1 <= 0) this.#addLeft(top, bottom, edge.sign)
    else if (isInside) this.#addInner(line, top, bottom)
    else this.#addCrossing(line, top, bottom)
  }

  /** Adds an edge that crosses the left or right side of the surface. */
  #addCrossing(line: Line, top: number, bottom: number): void {
    const yAt = (x: number) => Math.min(bottom, Math.max(top, line.y0 + (x - line.x0) / line.slope))
    const [left, right] = [yAt(0), yAt(this.width)]
    if (line.slope > 0) {
      this.#addLeft(top, left, line.sign)
      this.#addInner(line, left, right)
    } else {
      this.#addInner(line, right, left)
      this.#addLeft(left, bottom, line.sign)
    }
  }

  /** Adds an edge left of the surface: it changes the coverage of whole rows. */
  #addLeft(top: number, bottom: number, sign: number): void {
    for (let row = Math.floor(top); row < bottom; row += 1) {
      const height = Math.min(row + 1, bottom) - Math.max(row, top)
      this.#change(row, 0, height * sign)
    }
  }

  #addInner(line: Line, top: number, bottom: number): void {
    const { width } = this
    const { x0, y0, slope, sign } = line
    let x = Math.min(width, Math.max(0, x0 + (top - y0) * slope))
    let y = top
    for (let row = Math.floor(top); row < bottom; row += 1) {
      const nextY = Math.min(row + 1, bottom)
      // Computed from the end of the edge, so that errors do not grow and do not depend on the surface.
      const nextX = Math.min(width, Math.max(0, x0 + (nextY - y0) * slope))
      const [left, right] = x < nextX ? [x, nextX] : [nextX, x]
      this.#addRow(row, { left, right, change: (nextY - y) * sign })
      x = nextX
      y = nextY
    }
  }

  #addRow(row: number, { left, right, change }: RowEdge): void {
    const first = Math.floor(left)
    const last = Math.ceil(right)
    if (last <= first + 1) {
      const outside = (left + right) / 2 - first
      this.#change(row, first, change - change * outside)
      this.#change(row, first + 1, change * outside)
      return
    }
    const perPixel = 1 / (right - left)
    const start = 1 - (left - first)
    const end = right - last + 1
    // Covered parts of the first and after the last pixel: triangles.
    const inFirst = 0.5 * perPixel * start * start
    const afterLast = 0.5 * perPixel * end * end
    this.#change(row, first, change * inFirst)
    if (last === first + 2) {
      this.#change(row, first + 1, change * (1 - inFirst - afterLast))
    } else {
      const second = perPixel * (start + 0.5)
      this.#change(row, first + 1, change * (second - inFirst))
      for (let x = first + 2; x < last - 1; x += 1) this.#change(row, x, change * perPixel)
      const beforeLast = second + (last - first - 3) * perPixel
      this.#change(row, last - 1, change * (1 - beforeLast - afterLast))
    }
    this.#change(row, last, change * afterLast)
  }

  #change(row: number, x: number, change: number): void {
    const at = row * (this.width + 2) + x
    this.#changes[at] = (this.#changes[at] ?? 0) + change
    const word = row * this.#wordsPerRow + (x >>> 5)
    this.#touched[word] = (this.#touched[word] ?? 0) | (1 << (x & 31))
  }
}

/** An edge from the top to the bottom; the sign is 1 if the path goes downwards. */
interface DownwardEdge {
  readonly x0: number
  readonly y0: number
  readonly x1: number
  readonly y1: number
  readonly sign: number
}

interface Line extends Pick<DownwardEdge, 'x0' | 'y0' | 'sign'> {
  /** Change of x with y. */
  readonly slope: number
}

/** The part of an edge in a row. */
interface RowEdge {
  readonly left: number
  readonly right: number
  /** Signed height. */
  readonly change: number
}

/** Sums below this are rounding errors. */
const minCoverage = 1e-7

function coverageOf(sum: number, rule: FillRule): number {
  const turns = Math.abs(sum)
  if (turns < minCoverage) return 0
  if (rule === 'nonzero') return turns > 1 ? 1 : turns
  const odd = turns % 2
  return odd > 1 ? 2 - odd : odd
}

function limit(value: number): number {
  return Math.max(-maxCoordinate, Math.min(maxCoordinate, value))
}
