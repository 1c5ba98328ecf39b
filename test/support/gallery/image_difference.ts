import sharp from 'sharp'
import type { Surface } from '../../../src/render/raster/surface.ts'

/** An opaque image: red, green and blue of each pixel, rows from the top. */
export interface RgbImage {
  readonly width: number
  readonly height: number
  readonly bytes: Uint8Array
}

/** How much two images differ, over the pixels on which at least one of them draws something. */
export interface Difference {
  /**
   * Part of the drawn pixels that differ in a channel by more than `maxDifference` from the same pixel of the other image,
   * and from its eight neighbours: edges that are a fraction of a pixel apart do not count. From 0 to 1.
   */
  readonly share: number
  /** Mean difference of the channels of drawn pixels, from 0 to 255. */
  readonly mean: number
}

/** Largest difference of channels that does not count. */
export const maxDifference = 48

/** Difference from the background that makes a pixel a drawn one. */
const minDrawn = 8

/** Reads an image file. */
export async function readRgb(file: string | Uint8Array): Promise<RgbImage> {
  const { data, info } = await sharp(file)
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, bytes: new Uint8Array(data) }
}

/** Returns the pixels of an opaque surface. */
export function rgbOf({ width, height, bytes }: Surface): RgbImage {
  return { width, height, bytes: bytes.filter((_, at) => at % 4 < 3) }
}

/** How images are compared. */
export interface CompareOptions {
  /** Red, green and blue of pixels on which nothing is drawn. */
  readonly background: readonly number[]
  /** Side of the blocks whose means are compared, in pixels. */
  readonly blockSize: number
}

/** Compares two images of one size. */
export function compareRgb(a: RgbImage, b: RgbImage, { background, blockSize }: CompareOptions): Difference {
  if (a.width !== b.width || a.height !== b.height)
    throw new Error(`${a.width} × ${a.height} and ${b.width} × ${b.height} pixels cannot be compared`)
  return blockSize === 1
    ? comparePixels(a, b, background)
    : comparePixels(meansOf(a, blockSize), meansOf(b, blockSize), background)
}

/** Returns the means of the blocks of an image as an image. */
function meansOf({ width, height, bytes }: RgbImage, side: number): RgbImage {
  const [columns, rows] = [Math.ceil(width / side), Math.ceil(height / side)]
  const sums = new Float64Array(3 * columns * rows)
  const counts = new Float64Array(columns * rows)
  for (let at = 0; at < width * height; at += 1) {
    const to = Math.floor(Math.floor(at / width) / side) * columns + Math.floor((at % width) / side)
    counts[to] = (counts[to] ?? 0) + 1
    for (let channel = 0; channel < 3; channel += 1)
      sums[3 * to + channel] = (sums[3 * to + channel] ?? 0) + (bytes[3 * at + channel] ?? 0)
  }
  const means = sums.map((sum, at) => sum / (counts[Math.floor(at / 3)] ?? 1))
  return { width: columns, height: rows, bytes: Uint8Array.from(means, Math.round) }
}

function comparePixels(a: RgbImage, b: RgbImage, background: readonly number[]): Difference {
  let [drawn, off, sum] = [0, 0, 0]
  for (let at = 0; at < a.width * a.height; at += 1) {
    if (!isDrawn(a, at, background) && !isDrawn(b, at, background)) continue
    drawn += 1
    if (isOff(a, b, at) || isOff(b, a, at)) off += 1
    for (let channel = 0; channel < 3; channel += 1)
      sum += Math.abs((a.bytes[3 * at + channel] ?? 0) - (b.bytes[3 * at + channel] ?? 0))
  }
  return drawn === 0 ? { share: 0, mean: 0 } : { share: off / drawn, mean: sum / 3 / drawn }
}

function isDrawn({ bytes }: RgbImage, at: number, background: readonly number[]): boolean {
  return [0, 1, 2].some(
    (channel) => Math.abs((bytes[3 * at + channel] ?? 0) - (background[channel] ?? 0)) > minDrawn,
  )
}

/** Reports whether no pixel around a position of `b` is like that of `a`. */
function isOff(a: RgbImage, b: RgbImage, at: number): boolean {
  const [x, y] = [at % a.width, Math.floor(at / a.width)]
  for (let row = Math.max(0, y - 1); row <= Math.min(a.height - 1, y + 1); row += 1)
    for (let column = Math.max(0, x - 1); column <= Math.min(a.width - 1, x + 1); column += 1)
      if (largestDifference([a, at], [b, row * a.width + column]) <= maxDifference) return false
  return true
}

type PixelAt = readonly [image: RgbImage, at: number]

function largestDifference([a, at]: PixelAt, [b, to]: PixelAt): number {
  return Math.max(
    Math.abs((a.bytes[3 * at] ?? 0) - (b.bytes[3 * to] ?? 0)),
    Math.abs((a.bytes[3 * at + 1] ?? 0) - (b.bytes[3 * to + 1] ?? 0)),
    Math.abs((a.bytes[3 * at + 2] ?? 0) - (b.bytes[3 * to + 2] ?? 0)),
  )
}

/** Returns an image that is white where two images are equal, and darker the more they differ. */
export function differenceImage(a: RgbImage, b: RgbImage): RgbImage {
  const bytes = new Uint8Array(a.bytes.length)
  for (let at = 0; at < a.width * a.height; at += 1) {
    const left = 255 - largestDifference([a, at], [b, at])
    bytes.fill(left, 3 * at, 3 * at + 3)
    if (isOff(a, b, at) || isOff(b, a, at)) bytes.set([255, 0, 0], 3 * at)
  }
  return { ...a, bytes }
}
