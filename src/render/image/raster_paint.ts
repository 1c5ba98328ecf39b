import { opaqueAlpha } from '../../contract/bodies/raster.ts'
import type { TileValues } from '../cog/tile_values.ts'
import { type Pixel, pixelOf, scalePixel } from '../raster/pixel.ts'

/** How the values of a raster become colours. */
export type RasterPaint = ColorPaint | RampPaint

/** The lowest value and the highest one of a part of all values. */
export type ValueRange = readonly [low: number, high: number]

/** The bands are red, green, blue and, if there is a fourth, alpha. */
export interface ColorPaint {
  readonly kind: 'color'
  /** Values of red, green and blue that are 0 and 255; null for bytes as they are. */
  readonly ranges: readonly ValueRange[] | null
}

/** The first band has values, which get the colours of a ramp; where the second band, alpha, is empty, there is no value. */
export interface RampPaint {
  readonly kind: 'ramp'
  /** Colours between the values: interpolated, that of the next higher value, or none. */
  readonly interpolation: 'linear' | 'discrete' | 'exact'
  /** Sorted by value; at least one. Colours are `#rrggbb` or `#rrggbbaa`. */
  readonly stops: readonly { readonly value: number; readonly color: string }[]
}

/** Computes the premultiplied pixels of the values of a tile. */
export type Painter = (values: TileValues) => Int32Array

/** Creates a painter of tiles with a number of values per pixel. */
export function createPainter(paint: RasterPaint, samples: number): Painter {
  if (paint.kind === 'color') {
    const { ranges } = paint
    return (values) =>
      ranges === null ? paintColors(values, samples) : stretchColors(values, samples, ranges)
  }
  const colorOf = prepareRamp(paint)
  // Of integers, every value is computed once.
  const known = new Map<number, Pixel>()
  return (values) => {
    const isInteger = !(values instanceof Float32Array || values instanceof Float64Array)
    const lookUp = (value: number): Pixel => {
      const found = known.get(value)
      if (found !== undefined) return found
      const color = colorOf(value)
      if (known.size < 2 ** 16) known.set(value, color)
      return color
    }
    return paintValues(values, samples, isInteger ? lookUp : colorOf)
  }
}

function paintColors(values: TileValues, samples: number): Int32Array {
  if (samples === 4 && values instanceof Uint8Array) {
    const pixels = new Int32Array(values.buffer, values.byteOffset, values.length / 4)
    // Opaque pixels are premultiplied as they are.
    if (isOpaque(pixels)) return pixels
  }
  const words = new Int32Array(values.length / samples)
  for (let at = 0, from = 0; at < words.length; at += 1, from += samples) {
    const alpha = samples > 3 ? (values[from + 3] ?? 0) : 255
    if (alpha === 0) continue
    const [red, green, blue] = [values[from] ?? 0, values[from + 1] ?? 0, values[from + 2] ?? 0]
    const opaque = red | (green << 8) | (blue << 16) | 0xff000000
    words[at] = alpha === 255 ? opaque : scalePixel(opaque, alpha)
  }
  return words
}

function stretchColors(values: TileValues, samples: number, ranges: readonly ValueRange[]): Int32Array {
  const opaque = opaqueAlpha(values)
  const [stretchRed, stretchGreen, stretchBlue] = [0, 1, 2].map((band) => stretchOf(ranges[band] ?? [0, 255]))
  const words = new Int32Array(values.length / samples)
  if (stretchRed === undefined || stretchGreen === undefined || stretchBlue === undefined) return words
  for (let at = 0, from = 0; at < words.length; at += 1, from += samples) {
    const alpha = samples > 3 ? (values[from + 3] ?? 0) : opaque
    const red = stretchRed(values[from] ?? 0)
    const green = stretchGreen(values[from + 1] ?? 0)
    const blue = stretchBlue(values[from + 2] ?? 0)
    // Not a number in any band is no data.
    if (!(alpha > 0 && alpha <= opaque) || Number.isNaN(red + green + blue)) continue
    const color = red | (green << 8) | (blue << 16) | 0xff000000
    words[at] = alpha === opaque ? color : scalePixel(color, Math.round((255 * alpha) / opaque))
  }
  return words
}

/** Returns a function from the values of a range to 0 to 255; equal values are in the middle. */
function stretchOf([low, high]: ValueRange): (value: number) => number {
  if (!(high > low))
    return (value) => (value === low ? 128 : value > low ? 255 : value < low ? 0 : Number.NaN)
  const factor = 255 / (high - low)
  return (value) => Math.round(Math.max(0, Math.min(255, (value - low) * factor)))
}

function isOpaque(pixels: Int32Array): boolean {
  for (let at = 0; at < pixels.length; at += 1) if ((pixels[at] ?? 0) >>> 24 !== 255) return false
  return true
}

function paintValues(values: TileValues, samples: number, colorOf: (value: number) => Pixel): Int32Array {
  const opaque = opaqueAlpha(values)
  const words = new Int32Array(values.length / samples)
  for (let at = 0, from = 0; at < words.length; at += 1, from += samples) {
    const value = values[from] ?? 0
    const alpha = samples > 1 ? (values[from + 1] ?? 0) : opaque
    if (!(alpha > 0 && alpha <= opaque) || Number.isNaN(value)) continue
    words[at] = colorOf(value)
  }
  return words
}

/** Returns a function that computes the colour of a value; 0 for none. */
function prepareRamp({ interpolation, stops }: RampPaint): (value: number) => Pixel {
  const values = stops.map(({ value }) => value)
  const colors = stops.map(({ color }) => pixelOf(color))
  if (interpolation === 'exact') {
    const known = new Map(values.map((value, at) => [value, colors[at] ?? 0]))
    return (value) => known.get(value) ?? 0
  }
  const next = (value: number) => {
    let [low, high] = [0, values.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((values[middle] ?? 0) < value) low = middle + 1
      else high = middle
    }
    return low
  }
  if (interpolation === 'discrete') return (value) => colors[next(value)] ?? 0
  return (value) => {
    const above = next(value)
    if (above === 0) return colors[0] ?? 0
    if (above === values.length) return colors[above - 1] ?? 0
    const [from, to] = [values[above - 1] ?? 0, values[above] ?? 0]
    return mix(colors[above - 1] ?? 0, colors[above] ?? 0, (value - from) / (to - from))
  }
}

/** Interpolates between two premultiplied colours. */
function mix(a: Pixel, b: Pixel, part: number): Pixel {
  let word = 0
  for (let shift = 0; shift < 32; shift += 8) {
    const value = ((a >>> shift) & 255) * (1 - part) + ((b >>> shift) & 255) * part
    word |= Math.round(value) << shift
  }
  return word
}
