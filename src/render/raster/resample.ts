import type { Surface } from './surface.ts'

/** Part of an image in memory: premultiplied pixels as words, rows from the top. */
export interface PixelWindow {
  readonly width: number
  readonly height: number
  readonly words: Int32Array<ArrayBufferLike>
}

/** Positions of target pixels in a source: `source = target * scale + shift`, from the edges of the first pixels. */
export interface PixelTransform {
  readonly scaleX: number
  readonly scaleY: number
  readonly shiftX: number
  readonly shiftY: number
}

/** Moves a transform to the rows of a target from `top` on. */
export function moveTransform(transform: PixelTransform, top: number): PixelTransform {
  return { ...transform, shiftY: transform.shiftY + top * transform.scaleY }
}

/** How pixels are enlarged. Shrunk images are averages of the covered pixels. */
export type Enlarging = 'nearest' | 'bilinear'

/**
 * Draws a window on a transparent surface: the average of the covered pixels where it is shrunk, the nearest pixel or a
 * bilinear interpolation where it is enlarged. Pixels whose centre is outside of the window remain as they are.
 */
export function resample(
  target: Surface,
  source: PixelWindow,
  { transform, enlarging }: { readonly transform: PixelTransform; readonly enlarging: Enlarging },
): void {
  const { scaleX, scaleY, shiftX, shiftY } = transform
  const columns = tapsOf(target.width, source.width, { scale: scaleX, shift: shiftX, enlarging })
  const rows = tapsOf(target.height, source.height, { scale: scaleY, shift: shiftY, enlarging })
  if (columns.first >= columns.end || rows.first >= rows.end) return
  if (columns.maxTaps === 1 && rows.maxTaps === 1) copyNearest(target, source, { columns, rows })
  else average(target, source, { columns, rows })
}

/** Source pixels that each target pixel of an axis depends on, and their parts, which sum to 256. */
interface Taps {
  /** Range of the target pixels that lie in the source. */
  readonly first: number
  readonly end: number
  readonly maxTaps: number
  /** First source pixel, and number of source pixels, of each target pixel. */
  readonly starts: Int32Array
  readonly counts: Int32Array
  /** `maxTaps` parts for each target pixel from `first` on, in 256ths. */
  readonly parts: Int32Array
}

interface Axis {
  readonly scale: number
  readonly shift: number
  readonly enlarging: Enlarging
}

/** Difference of positions that counts as none: a fraction of a pixel that no eye sees. */
const tolerance = 1e-3

function tapsOf(length: number, sourceLength: number, { scale, shift, enlarging }: Axis): Taps {
  const isAligned =
    Math.abs(scale - 1) < tolerance / length && Math.abs(shift - Math.round(shift)) < tolerance
  const isShrunk = scale > 1 + tolerance
  const isNearest = isAligned || (!isShrunk && enlarging === 'nearest')
  // A source that is smaller than a pixel of the target shrinks without limit.
  const maxTaps = isNearest ? 1 : isShrunk ? Math.min(sourceLength, Math.ceil(scale) + 2) : 2
  const [starts, counts] = [new Int32Array(length), new Int32Array(length)]
  const [first, end] = rangeOf(length, sourceLength, { scale, shift })
  const parts = new Int32Array(Math.max(0, end - first) * maxTaps)
  for (let at = first; at < end; at += 1) {
    const center = (at + 0.5) * scale + shift
    if (isNearest) {
      starts[at] = Math.floor(center)
      counts[at] = 1
      parts[at - first] = 256
      continue
    }
    const reach = isShrunk ? scale / 2 : 0.5
    const from = Math.max(0, center - reach)
    const to = Math.min(sourceLength, center + reach)
    const start = Math.min(sourceLength - 1, Math.floor(from + 1e-6))
    const last = Math.max(start, Math.min(sourceLength, Math.ceil(to - 1e-6)) - 1)
    starts[at] = start
    counts[at] = last - start + 1
    // The linear weight of two neighbours is the part of a pixel-wide box that covers each.
    let sum = 0
    for (let tap = start; tap <= last; tap += 1) {
      // Rounded sums, so that the parts sum to 256.
      const next = Math.round((256 * (Math.min(to, tap + 1) - from)) / (to - from))
      parts[(at - first) * maxTaps + tap - start] = next - sum
      sum = next
    }
  }
  return { first, end, maxTaps, starts, counts, parts }
}

/** Returns the range of the target pixels whose centres lie in a source. */
function rangeOf(
  length: number,
  sourceLength: number,
  { scale, shift }: Pick<Axis, 'scale' | 'shift'>,
): [first: number, end: number] {
  let [first, end] = [length, 0]
  for (let at = 0; at < length; at += 1) {
    const center = (at + 0.5) * scale + shift
    if (!(center >= 0 && center < sourceLength)) continue
    first = Math.min(first, at)
    end = at + 1
  }
  return [first, end]
}

/** Both axes. */
interface BothTaps {
  readonly columns: Taps
  readonly rows: Taps
}

function copyNearest(target: Surface, source: PixelWindow, { columns, rows }: BothTaps): void {
  for (let y = rows.first; y < rows.end; y += 1) {
    const [to, from] = [y * target.width, (rows.starts[y] ?? 0) * source.width]
    for (let x = columns.first; x < columns.end; x += 1)
      target.words[to + x] = source.words[from + (columns.starts[x] ?? 0)] ?? 0
  }
}

function average(target: Surface, source: PixelWindow, { columns, rows }: BothTaps): void {
  const width = columns.end - columns.first
  const sums = { low: new Int32Array(width), high: new Int32Array(width) }
  // Neighbouring rows of the target share rows of the source.
  const known = new Map<number, Int32Array>()
  for (let y = rows.first; y < rows.end; y += 1) {
    sums.low.fill(half)
    sums.high.fill(half)
    const start = rows.starts[y] ?? 0
    for (const row of known.keys()) if (row < start) known.delete(row)
    for (let tap = 0; tap < (rows.counts[y] ?? 0); tap += 1) {
      const row = known.get(start + tap) ?? averageRow(source, start + tap, columns)
      known.set(start + tap, row)
      addRow(sums, row, rows.parts[(y - rows.first) * rows.maxTaps + tap] ?? 0)
    }
    const to = y * target.width + columns.first
    for (let at = 0; at < width; at += 1)
      target.words[to + at] = joinLanes(sums.low[at] ?? 0, sums.high[at] ?? 0)
  }
}

interface LaneSums {
  readonly low: Int32Array
  readonly high: Int32Array
}

function addRow({ low, high }: LaneSums, row: Int32Array, part: number): void {
  for (let at = 0; at < row.length; at += 1) {
    const word = row[at] ?? 0
    low[at] = (low[at] ?? 0) + Math.imul(word & lanes, part)
    high[at] = (high[at] ?? 0) + Math.imul((word >>> 8) & lanes, part)
  }
}

/** Two channels of a pixel, each with 16 bits for its product with a part, and half of a unit in both. */
const [lanes, half] = [0xff00ff, 0x800080]

const joinLanes = (low: number, high: number) => ((low >>> 8) & lanes) | (high & ~lanes)

/** Resamples a row of the source. */
function averageRow({ width, words }: PixelWindow, row: number, columns: Taps): Int32Array {
  const { first, end, starts, counts, parts, maxTaps } = columns
  const resampled = new Int32Array(end - first)
  for (let x = first; x < end; x += 1) {
    let [low, high] = [half, half]
    const from = row * width + (starts[x] ?? 0)
    const count = counts[x] ?? 0
    for (let tap = 0; tap < count; tap += 1) {
      const word = words[from + tap] ?? 0
      const part = parts[(x - first) * maxTaps + tap] ?? 0
      low += Math.imul(word & lanes, part)
      high += Math.imul((word >>> 8) & lanes, part)
    }
    resampled[x - first] = joinLanes(low | 0, high | 0)
  }
  return resampled
}
