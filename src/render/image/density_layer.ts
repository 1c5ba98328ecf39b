import type { Style } from '../../style/style_model.ts'
import { computeDensity, type DensityPoints, paintDensity } from '../draw/density.ts'
import type { AddWork } from '../draw/draw_work.ts'
import { composite } from '../raster/composite.ts'
import { createSurface, type Surface } from '../raster/surface.ts'

/** A heatmap of an image. */
export interface DensityLayer {
  readonly style: Style
  readonly points: DensityPoints
  /** The whole image. */
  readonly image: { readonly width: number; readonly height: number; readonly stripHeight: number }
}

/**
 * Puts the rows of a heatmap from `top` on over a strip.
 *
 * @throws what `check` throws
 */
export function putDensity(
  strip: Surface,
  { style, points, image }: DensityLayer,
  { top, check }: { readonly top: number; readonly check: AddWork },
): void {
  const { heatmap, opacity, blending } = style
  if (heatmap === undefined) return
  const density = computeDensity(points, { ...strip, top }, check)
  const maximum =
    points.maximum ??
    (image.height === strip.height ? maximumOf(density) : imageMaximum({ style, points, image }, check))
  const surface = createSurface(strip.width, strip.height)
  paintDensity(surface, density, { ramp: heatmap.ramp, maximum })
  composite(strip, surface, { opacity, blendMode: blending })
}

const known = new WeakMap<DensityPoints, number>()

/** Returns the highest density of an image of several strips. */
function imageMaximum({ points, image }: DensityLayer, check: AddWork): number {
  const found = known.get(points)
  if (found !== undefined) return found
  let maximum = 0
  for (let top = 0; top < image.height; top += image.stripHeight) {
    const height = Math.min(image.stripHeight, image.height - top)
    maximum = Math.max(maximum, maximumOf(computeDensity(points, { width: image.width, height, top }, check)))
  }
  known.set(points, maximum)
  return maximum
}

function maximumOf(density: Float64Array): number {
  let maximum = 0
  for (const value of density) if (value > maximum) maximum = value
  return maximum
}
