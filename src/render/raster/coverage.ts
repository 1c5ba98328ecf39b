/** Rule that decides what is inside of a path. */
export type FillRule = 'nonzero' | 'evenodd'

/** The covered parts of a row: pixels from `starts` to `ends`, exclusive, each run with one coverage, from the left. */
export interface Runs {
  readonly count: number
  readonly starts: Int32Array
  readonly ends: Int32Array
  /** Covered part of each pixel of a run: more than 0, at most 1. */
  readonly coverage: Float64Array
}

/** Receives the covered pixels of a path, row by row from the top. */
export interface RunSink {
  /** The runs are only valid during the call. */
  addRow(row: number, runs: Runs): void
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
 * Methods exchange numbers with fractions in arrays: as arguments, each of them would be an object for the garbage
 * collector, and edges are many.
 *
 * @see https://medium.com/@raphlinus/inside-the-fastest-font-renderer-in-the-world-75ae5270c445
 */
export class CoverageBuffer {
  readonly width: number
  readonly height: number
  /** Changes of coverage from each pixel to its right neighbour; two more than the width in each row. */
  readonly #changes: Float64Array
  /** A bit for each value of `#changes` that may differ from 0. */
  readonly #touched: Int32Array
  readonly #wordsPerRow: number
  #firstRow: number
  #lastRow = -1
  /** The edge that is being added, from its top to its bottom; see `edge`. */
  readonly #edge = new Float64Array(6)
  /** The part of it in a row; see `part`. */
  readonly #part = new Float64Array(3)
  readonly #runs: { -readonly [Name in keyof Runs]: Runs[Name] }

  constructor(width: number, height: number) {
    this.width = width
    this.height = height
    this.#changes = new Float64Array((width + 2) * height)
    this.#wordsPerRow = (width + 2 + 31) >>> 5
    this.#touched = new Int32Array(this.#wordsPerRow * height)
    this.#firstRow = height
    this.#runs = {
      count: 0,
      starts: new Int32Array(width + 1),
      ends: new Int32Array(width + 1),
      coverage: new Float64Array(width + 1),
    }
  }

  /** Adds a contour, as x and y of its positions, to the path. It is closed. */
  addContour(coordinates: Float64Array, length = coordinates.length): void {
    let first = -1
    let last = -1
    for (let at = 0; at + 1 < length; at += 2) {
      if (Number.isNaN(coordinates[at]) || Number.isNaN(coordinates[at + 1])) continue
      if (last < 0) first = at
      else this.#addEdge(coordinates, last, at)
      last = at
    }
    if (last > first) this.#addEdge(coordinates, last, first)
  }

  /** Reports the covered pixels, and removes the path. */
  flush(rule: FillRule, sink: RunSink): void {
    for (let row = this.#firstRow; row <= this.#lastRow; row += 1) {
      this.#readRow(row, rule)
      if (this.#runs.count > 0) sink.addRow(row, this.#runs)
    }
    this.#firstRow = this.height
    this.#lastRow = -1
  }

  /** Reads the runs of a row, and clears it. */
  #readRow(row: number, rule: FillRule): void {
    const { width } = this
    const changes = this.#changes
    const { starts, ends, coverage } = this.#runs
    const base = row * (width + 2)
    const firstWord = row * this.#wordsPerRow
    let sum = 0
    let part = 0
    let start = 0
    let count = 0
    for (let at = 0; at < this.#wordsPerRow; at += 1) {
      let word = this.#touched[firstWord + at] ?? 0
      this.#touched[firstWord + at] = 0
      while (word !== 0) {
        const lowest = word & -word
        word ^= lowest
        const x = (at << 5) + 31 - Math.clz32(lowest)
        if (part > 0 && x > start) {
          starts[count] = start
          ends[count] = Math.min(x, width)
          coverage[count] = part
          count += 1
        }
        sum += changes[base + x] ?? 0
        changes[base + x] = 0
        part = x < width ? coverageOf(sum, rule) : 0
        start = x
      }
    }
    if (part > 0 && start < width) {
      starts[count] = start
      ends[count] = width
      coverage[count] = part
      count += 1
    }
    this.#runs.count = count
  }

  /** Adds the edge between two positions, given by their places in the coordinates. */
  #addEdge(coordinates: Float64Array, from: number, to: number): void {
    const fromY = limit(coordinates[from + 1] ?? 0)
    const toY = limit(coordinates[to + 1] ?? 0)
    if (fromY === toY) return
    const isDown = fromY < toY
    const y0 = isDown ? fromY : toY
    const y1 = isDown ? toY : fromY
    const x0 = limit(coordinates[isDown ? from : to] ?? 0)
    const x1 = limit(coordinates[isDown ? to : from] ?? 0)
    const { width, height } = this
    if (y1 <= 0 || y0 >= height || (x0 >= width && x1 >= width)) return
    const slope = (x1 - x0) / (y1 - y0)
    // A wide edge of almost no height has almost no area.
    if (!Number.isFinite(slope)) return
    const top = Math.max(y0, 0)
    const bottom = Math.min(y1, height)
    this.#firstRow = Math.min(this.#firstRow, Math.floor(top))
    this.#lastRow = Math.max(this.#lastRow, Math.ceil(bottom) - 1)
    const line = this.#edge
    line[edge.x0] = x0
    line[edge.y0] = y0
    line[edge.slope] = slope
    line[edge.sign] = isDown ? 1 : -1
    line[edge.top] = top
    line[edge.bottom] = bottom
    if (x0 <= 0 && x1 <= 0) this.#addLeft()
    else if (x0 >= 0 && x1 >= 0 && x0 <= width && x1 <= width) this.#addInner()
    else this.#addCrossing()
  }

  /** Adds an edge that crosses the left or right side of the surface. */
  #addCrossing(): void {
    const line = this.#edge
    const x0 = line[edge.x0] ?? 0
    const y0 = line[edge.y0] ?? 0
    const slope = line[edge.slope] ?? 0
    const top = line[edge.top] ?? 0
    const bottom = line[edge.bottom] ?? 0
    const left = Math.min(bottom, Math.max(top, y0 - x0 / slope))
    const right = Math.min(bottom, Math.max(top, y0 + (this.width - x0) / slope))
    if (slope > 0) {
      line[edge.bottom] = left
      this.#addLeft()
      line[edge.top] = left
      line[edge.bottom] = right
      this.#addInner()
    } else {
      line[edge.top] = right
      line[edge.bottom] = left
      this.#addInner()
      line[edge.top] = left
      line[edge.bottom] = bottom
      this.#addLeft()
    }
  }

  /** Adds an edge left of the surface: it changes the coverage of whole rows. */
  #addLeft(): void {
    const top = this.#edge[edge.top] ?? 0
    const bottom = this.#edge[edge.bottom] ?? 0
    const sign = this.#edge[edge.sign] ?? 0
    for (let row = Math.floor(top) | 0; row < bottom; row += 1) {
      const at = row * (this.width + 2)
      const height = Math.min(row + 1, bottom) - Math.max(row, top)
      this.#changes[at] = (this.#changes[at] ?? 0) + height * sign
      this.#touch(row, 0, 0)
    }
  }

  #addInner(): void {
    const { width } = this
    const changes = this.#changes
    const line = this.#edge
    const part = this.#part
    const x0 = line[edge.x0] ?? 0
    const y0 = line[edge.y0] ?? 0
    const slope = line[edge.slope] ?? 0
    const sign = line[edge.sign] ?? 0
    const top = line[edge.top] ?? 0
    const bottom = line[edge.bottom] ?? 0
    let x = Math.min(width, Math.max(0, x0 + (top - y0) * slope))
    let y = top
    for (let row = Math.floor(top) | 0; row < bottom; row += 1) {
      const nextY = Math.min(row + 1, bottom)
      // Computed from the end of the edge, so that errors do not grow and do not depend on the surface.
      const nextX = Math.min(width, Math.max(0, x0 + (nextY - y0) * slope))
      const left = Math.min(x, nextX)
      const right = Math.max(x, nextX)
      const change = (nextY - y) * sign
      const first = Math.floor(left) | 0
      if (right <= first + 1) {
        const outside = (left + right) / 2 - first
        const at = row * (width + 2) + first
        changes[at] = (changes[at] ?? 0) + (change - change * outside)
        changes[at + 1] = (changes[at + 1] ?? 0) + change * outside
        this.#touch(row, first, first + 1)
      } else {
        part[0] = left
        part[1] = right
        part[2] = change
        this.#addWide(row)
      }
      x = nextX
      y = nextY
    }
  }

  /** Adds the part of an edge in a row that passes several pixels. */
  #addWide(row: number): void {
    const changes = this.#changes
    const left = this.#part[0] ?? 0
    const right = this.#part[1] ?? 0
    const change = this.#part[2] ?? 0
    const first = Math.floor(left) | 0
    const last = Math.ceil(right) | 0
    const base = row * (this.width + 2)
    const perPixel = 1 / (right - left)
    const start = 1 - (left - first)
    const end = right - last + 1
    // Covered parts of the first and after the last pixel: triangles.
    const inFirst = 0.5 * perPixel * start * start
    const afterLast = 0.5 * perPixel * end * end
    changes[base + first] = (changes[base + first] ?? 0) + change * inFirst
    if (last === first + 2) {
      changes[base + first + 1] = (changes[base + first + 1] ?? 0) + change * (1 - inFirst - afterLast)
    } else {
      const second = perPixel * (start + 0.5)
      const beforeLast = second + (last - first - 3) * perPixel
      const same = change * perPixel
      changes[base + first + 1] = (changes[base + first + 1] ?? 0) + change * (second - inFirst)
      for (let at = base + first + 2; at < base + last - 1; at += 1) changes[at] = (changes[at] ?? 0) + same
      const beforeEnd = base + last - 1
      changes[beforeEnd] = (changes[beforeEnd] ?? 0) + change * (1 - beforeLast - afterLast)
    }
    changes[base + last] = (changes[base + last] ?? 0) + change * afterLast
    this.#touch(row, first, last)
  }

  /** Marks the values of a row from `first` to `last` as changed. */
  #touch(row: number, first: number, last: number): void {
    const base = row * this.#wordsPerRow
    const firstWord = base + (first >>> 5)
    const lastWord = base + (last >>> 5)
    for (let word = firstWord; word <= lastWord; word += 1) {
      const from = word === firstWord ? -1 << (first & 31) : -1
      const to = word === lastWord ? -1 >>> (31 - (last & 31)) : -1
      this.#touched[word] = (this.#touched[word] ?? 0) | (from & to)
    }
  }
}

/** Places of the values of an edge: its start, change of x with y, direction, and the part of it that is added. */
const edge = { x0: 0, y0: 1, slope: 2, sign: 3, top: 4, bottom: 5 } as const

/** Sums below this are rounding errors. */
const minCoverage = 1e-7

function coverageOf(sum: number, rule: FillRule): number {
  const turns = Math.abs(sum)
  if (turns < minCoverage) return 0
  if (rule === 'nonzero') return turns > 1 ? 1 : turns
  const odd = turns <= 1 ? turns : turns % 2
  return odd > 1 ? 2 - odd : odd
}

function limit(value: number): number {
  return Math.max(-maxCoordinate, Math.min(maxCoordinate, value))
}
