import type { Enlarging, PixelTransform, PixelWindow } from './resample.ts'
import type { Surface } from './surface.ts'

/** Positions in a source of every `step`-th pixel edge of a target, row by row; between them, positions are interpolated. */
export interface PixelGrid {
  /** Distance of the positions in pixels of the target. */
  readonly step: number
  /** Number of positions in a row. */
  readonly columns: number
  /** x and y of each position, in pixels of the source; NaN where the source does not reach. */
  readonly positions: Float64Array<ArrayBufferLike>
  /** Circumference of the world in pixels of the source, after which x is repeated. */
  readonly period?: number
}

/** How a grid is drawn. */
export interface WarpOptions {
  readonly grid: PixelGrid
  /** Row of the grid's target that is the first row of the surface. */
  readonly top: number
  /** The part and size of the source that the window has; by default all of it. */
  readonly part?: PixelTransform
  /** @default 'bilinear' */
  readonly enlarging?: Enlarging
}

const whole: PixelTransform = { scaleX: 1, scaleY: 1, shiftX: 0, shiftY: 0 }

/** Draws a window of another reference system on a transparent surface. */
export function warp(
  target: Surface,
  source: PixelWindow,
  { grid, top, part = whole, enlarging = 'bilinear' }: WarpOptions,
): void {
  const pick = { bytes: target.bytes, words: target.words, source }
  const copy = enlarging === 'nearest' ? copyPixel : sample
  const period = (grid.period ?? 0) * part.scaleX
  for (let y = 0; y < target.height; y += 1) {
    const row = rowOf(grid, top + y + 0.5)
    for (let x = 0; x < target.width; x += 1) {
      const at = (x + 0.5) / grid.step
      const left = Math.min(grid.columns - 2, Math.floor(at))
      const along = at - left
      const from = row[2 * left] ?? 0
      const gridX = from * (1 - along) + near(row[2 * left + 2] ?? 0, from, grid.period) * along
      const gridY = (row[2 * left + 1] ?? 0) * (1 - along) + (row[2 * left + 3] ?? 0) * along
      const sourceX = gridX * part.scaleX + part.shiftX
      const placed = sourceX < 0 ? sourceX + period : sourceX >= source.width ? sourceX - period : sourceX
      copy(pick, [placed, gridY * part.scaleY + part.shiftY], y * target.width + x)
    }
  }
}

/** Returns the copy of a position that is nearest to another one. */
function near(x: number, other: number, period: number | undefined): number {
  return period === undefined ? x : x - Math.round((x - other) / period) * period
}

/** Interpolates a row of positions. */
export function rowOf({ step, columns, positions, period }: PixelGrid, y: number): Float64Array {
  const rows = positions.length / (2 * columns)
  const above = Math.min(rows - 2, Math.floor(y / step))
  const part = y / step - above
  const start = 2 * columns * above
  return Float64Array.from({ length: 2 * columns }, (_, at) => {
    const from = positions[start + at] ?? 0
    const to = positions[start + 2 * columns + at] ?? 0
    return from * (1 - part) + (at % 2 === 0 ? near(to, from, period) : to) * part
  })
}

interface Pick {
  readonly bytes: Uint8Array
  readonly words: Int32Array
  readonly source: PixelWindow
}

/** Sets a pixel of the target to the pixel of a position. */
function copyPixel({ words, source }: Pick, [x, y]: readonly [number, number], to: number): void {
  const { width, height } = source
  if (x >= 0 && x < width && y >= 0 && y < height)
    words[to] = source.words[Math.floor(y) * width + Math.floor(x)] ?? 0
}

/** Sets a pixel of the target to the interpolation of four pixels; those at an edge are repeated beyond it. */
function sample({ bytes, source }: Pick, [x, y]: readonly [number, number], to: number): void {
  const { width, height, words } = source
  if (!(x >= 0 && x < width && y >= 0 && y < height)) return
  const [left, above] = [Math.floor(x - 0.5), Math.floor(y - 0.5)]
  const [partX, partY] = [x - 0.5 - left, y - 0.5 - above]
  const [x0, x1] = [Math.max(0, left), Math.min(width - 1, left + 1)]
  const [row0, row1] = [Math.max(0, above) * width, Math.min(height - 1, above + 1) * width]
  const [a, b] = [words[row0 + x0] ?? 0, words[row0 + x1] ?? 0]
  const [c, d] = [words[row1 + x0] ?? 0, words[row1 + x1] ?? 0]
  for (let channel = 0; channel < 4; channel += 1) {
    const shift = 8 * channel
    const first = ((a >>> shift) & 255) * (1 - partX) + ((b >>> shift) & 255) * partX
    const second = ((c >>> shift) & 255) * (1 - partX) + ((d >>> shift) & 255) * partX
    bytes[4 * to + channel] = first * (1 - partY) + second * partY + 0.5
  }
}
