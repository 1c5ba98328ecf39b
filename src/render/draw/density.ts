import { type ColorRamp, rampColor } from '../../style/heatmap.ts'
import type { Surface } from '../raster/surface.ts'
import type { AddWork } from './draw_work.ts'

/** Points by pixel, from which densities are computed. */
export interface DensityPoints {
  /** Columns and rows of pixels of the image; also outside of it. */
  readonly columns: Int32Array<ArrayBuffer>
  readonly rows: Int32Array<ArrayBuffer>
  /** Sum of the weights of the points of each pixel. */
  readonly weights: Float64Array<ArrayBuffer>
  /** How far a point counts, in pixels. */
  readonly radius: number
  /** Density of the last colour; absent: the highest density of the image. */
  readonly maximum?: number
}

/** Kernel operations per unit of work: a point adds to a pixel faster than a pixel is blended. */
const operationsPerWork = 4

/** Rows of an image. */
interface Rows {
  readonly width: number
  readonly height: number
  /** First row. */
  readonly top: number
}

/**
 * Computes the density of each pixel: the weights of the points within the radius, by the quartic kernel.
 *
 * @throws what `check` throws
 */
export function computeDensity(points: DensityPoints, rows: Rows, check: AddWork): Float64Array {
  const { width, height, top } = rows
  // Never farther than the image and its margins, however large the radius is.
  const radius = Math.round(points.radius)
  const density = new Float64Array(width * height)
  if (!(radius > 0)) return density
  for (const [at, column] of points.columns.entries()) {
    const row = (points.rows[at] ?? 0) - top
    const box = {
      left: Math.max(0, column - radius),
      right: Math.min(width, column + radius),
      top: Math.max(0, row - radius),
      bottom: Math.min(height, row + radius),
    }
    const pixels = (box.right - box.left) * (box.bottom - box.top)
    if (box.right <= box.left || box.bottom <= box.top) continue
    check(1 + pixels / operationsPerWork)
    addKernel(density, { ...box, width, column, row, radius, weight: points.weights[at] ?? 0 })
  }
  return density
}

interface Kernel {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  readonly width: number
  readonly column: number
  readonly row: number
  readonly radius: number
  readonly weight: number
}

function addKernel(density: Float64Array, kernel: Kernel): void {
  const { left, right, top, bottom, width, column, row, radius, weight } = kernel
  const squared = radius * radius
  for (let y = top; y < bottom; y += 1) {
    const vertical = (y - row) * (y - row)
    for (let x = left; x < right; x += 1) {
      const part = 1 - ((x - column) * (x - column) + vertical) / squared
      if (part > 0) density[y * width + x] = (density[y * width + x] ?? 0) + weight * part * part
    }
  }
}

/** Colours of a ramp, by which densities are painted. */
const colorCount = 1024

/** Paints densities over a transparent surface; those of `maximum` and more with the last colour. */
export function paintDensity(
  { words }: Surface,
  density: Float64Array,
  { ramp, maximum }: { readonly ramp: ColorRamp; readonly maximum: number },
): void {
  const colors = Int32Array.from({ length: colorCount }, (_, at) => premultipliedColor(ramp, at))
  for (const [at, value] of density.entries()) {
    const part = value > 0 ? Math.min(1, value / maximum) : 0
    words[at] = colors[Math.round(part * (colorCount - 1))] ?? 0
  }
}

function premultipliedColor(ramp: ColorRamp, at: number): number {
  const [red, green, blue, alpha] = rampColor(ramp, at / (colorCount - 1))
  const scale = (channel: number) => Math.round((channel * alpha) / 255)
  return (alpha << 24) | (scale(blue) << 16) | (scale(green) << 8) | scale(red)
}
