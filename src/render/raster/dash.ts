import type { LinePiece } from './line_clip.ts'
import type { StrokeLine } from './stroke.ts'

/** Dash pattern of a stroke, in pixels. */
export interface DashPattern {
  /** Alternating lengths of dashes and gaps, of even number. */
  readonly lengths: readonly number[]
  /** Length of the pattern before the start of a line. */
  readonly offset: number
}

/** Patterns shorter than this, in pixels, look like a transparent line. */
const minPeriod = 0.5

/** Maximum number of dashes of a line, and of those in each pixel of a line with more than the least number. */
const dashLimits = { line: 100_000, pixel: 20, least: 1000 }

/** Result of dashing. */
export interface Dashes {
  readonly lines: readonly StrokeLine[]
  /** Opacity of a line whose pattern is too short to be seen; else 1. */
  readonly opacity: number
}

/** Returns a pattern without negative lengths and of even number; undefined if the line is solid. */
export function normalizeDash(lengths: readonly number[], offset = 0): DashPattern | undefined {
  const valid = lengths.map((length) => (length > 0 && length < Number.POSITIVE_INFINITY ? length : 0))
  const even = valid.length % 2 === 0 ? valid : [...valid, ...valid]
  const gaps = even.filter((_, at) => at % 2 === 1)
  if (gaps.every((gap) => gap === 0)) return undefined
  return { lengths: even, offset: Number.isFinite(offset) ? offset : 0 }
}

/** Divides pieces of a line into dashes. */
export function dashLine(pieces: readonly LinePiece[], pattern: DashPattern): Dashes {
  const period = sumOf(pattern.lengths)
  const visible = sumOf(pattern.lengths.filter((_, at) => at % 2 === 0))
  const length = sumOf(pieces.map(lengthOf))
  const dashes = ((length / period) * pattern.lengths.length) / 2
  const most = Math.min(dashLimits.line, dashLimits.least + dashLimits.pixel * length)
  const isFine = period < minPeriod || dashes > most
  if (isFine) return { lines: pieces, opacity: visible / period }
  return { lines: pieces.flatMap((piece) => new Dasher(pattern, period).divide(piece)), opacity: 1 }
}

const sumOf = (lengths: readonly number[]) => lengths.reduce((sum, length) => sum + length, 0)

function lengthOf({ coordinates }: StrokeLine): number {
  let sum = 0
  for (let at = 2; at < coordinates.length; at += 2)
    sum += Math.hypot(
      (coordinates[at] ?? 0) - (coordinates[at - 2] ?? 0),
      (coordinates[at + 1] ?? 0) - (coordinates[at - 1] ?? 0),
    )
  return sum
}

class Dasher {
  readonly #pattern: DashPattern
  readonly #period: number
  readonly #lines: StrokeLine[] = []
  #dash: number[] = []
  /** Index of the current dash or gap, and the rest of it. */
  #index = 0
  #rest = 0

  constructor(pattern: DashPattern, period: number) {
    this.#pattern = pattern
    this.#period = period
  }

  divide(piece: LinePiece): StrokeLine[] {
    const { coordinates, isClosed } = piece
    this.#seek(piece.distance + this.#pattern.offset)
    for (let at = 2; at < coordinates.length; at += 2) this.#add(coordinates, at - 2, at)
    if (isClosed) this.#add(coordinates, coordinates.length - 2, 0)
    this.#end()
    return this.#lines
  }

  /** Finds the place in the pattern at a distance. */
  #seek(distance: number): void {
    let left = ((distance % this.#period) + this.#period) % this.#period
    this.#index = 0
    for (;;) {
      const length = this.#pattern.lengths[this.#index] ?? 0
      if (left < length || this.#index === this.#pattern.lengths.length - 1) {
        this.#rest = Math.max(0, length - left)
        return
      }
      left -= length
      this.#index += 1
    }
  }

  #add(coordinates: Float64Array, from: number, to: number): void {
    const [x0, y0] = [coordinates[from] ?? 0, coordinates[from + 1] ?? 0]
    const [dx, dy] = [(coordinates[to] ?? 0) - x0, (coordinates[to + 1] ?? 0) - y0]
    const length = Math.hypot(dx, dy)
    if (length === 0) return
    let done = 0
    while (length - done > this.#rest) {
      const start = done / length
      done += this.#rest
      this.#extend([x0 + dx * start, y0 + dy * start], [x0 + (dx * done) / length, y0 + (dy * done) / length])
      this.#end()
      this.#index = (this.#index + 1) % this.#pattern.lengths.length
      this.#rest = this.#pattern.lengths[this.#index] ?? 0
    }
    const start = done / length
    this.#extend([x0 + dx * start, y0 + dy * start], [x0 + dx, y0 + dy])
    this.#rest -= length - done
  }

  #extend(from: readonly [number, number], to: readonly [number, number]): void {
    if (this.#index % 2 === 1) return
    if (this.#dash.length === 0) this.#dash.push(...from)
    this.#dash.push(...to)
  }

  #end(): void {
    if (this.#dash.length > 0)
      this.#lines.push({ coordinates: Float64Array.from(this.#dash), isClosed: false })
    this.#dash = []
  }
}
