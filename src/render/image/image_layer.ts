import { composite } from '../raster/composite.ts'
import { scalePixel } from '../raster/pixel.ts'
import { moveTransform, type PixelWindow, resample } from '../raster/resample.ts'
import { createSurface, releaseSurface, type Surface } from '../raster/surface.ts'
import { warp } from '../raster/warp.ts'
import type { JobLayer, JobWindow, PixelJobLayer, RasterJobLayer, WindowJobLayer } from './draw_job.ts'
import { drawRaster } from './raster_window.ts'

/** A layer that is an image. */
export type ImageJobLayer = PixelJobLayer | WindowJobLayer | RasterJobLayer

/** Reports whether a layer is an image, and not features. */
export function isImageLayer(layer: JobLayer | object): layer is ImageJobLayer {
  return 'pixels' in layer || 'window' in layer || 'raster' in layer
}

/** A strip of an image. */
export interface StripOptions {
  /** Row of the image that is the first of the strip. */
  readonly top: number
  /** Called again and again; throws to stop the work. */
  readonly check: () => void
}

/** Puts the rows of an image from `top` on over a strip. */
export function putImage(strip: Surface, layer: ImageJobLayer, { top, check }: StripOptions): void {
  const opacity = layer.opacity ?? 1
  if ('pixels' in layer) {
    composite(strip, rowsOf(layer, strip, top), { opacity })
    return
  }
  const surface = createSurface(strip.width, strip.height)
  if ('raster' in layer) drawRaster(surface, layer, { top, check })
  else drawWindow(surface, layer, top)
  composite(strip, surface, { opacity })
  releaseSurface(surface)
}

function rowsOf({ pixels }: PixelJobLayer, { width, height }: Surface, top: number): Surface {
  const start = pixels.byteOffset + 4 * width * top
  const bytes = new Uint8Array(pixels.buffer, start, 4 * width * height)
  return { width, height, bytes, words: new Int32Array(pixels.buffer, start, width * height) }
}

const premultiplied = new WeakMap<JobWindow, PixelWindow>()

function drawWindow(surface: Surface, { window, place, enlarging }: WindowJobLayer, top: number): void {
  const source = premultiplied.get(window) ?? premultiply(window)
  premultiplied.set(window, source)
  if ('positions' in place) warp(surface, source, { grid: place, top })
  else resample(surface, source, { transform: moveTransform(place, top), enlarging })
}

function premultiply({ width, height, pixels }: JobWindow): PixelWindow {
  const words = new Int32Array(pixels.buffer, pixels.byteOffset, width * height)
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? 0
    const alpha = word >>> 24
    if (alpha !== 255) words[at] = alpha === 0 ? 0 : scalePixel(word | 0xff000000, alpha)
  }
  return { width, height, words }
}
