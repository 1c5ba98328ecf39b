import type { GeometryFamily } from '../../contract/geometry.ts'
import type { EvaluationContext } from '../../style/expression/expression_evaluate.ts'
import { createCanvas } from '../draw/canvas.ts'
import type { AddWork } from '../draw/draw_work.ts'
import { MarkerPen, markerReach } from '../draw/marker.ts'
import type { PixelGeometry } from '../draw/pixel_geometry.ts'
import type { PixelSymbol } from '../draw/pixel_symbol.ts'
import type { SvgImages } from '../draw/svg_marker.ts'
import { SymbolPen } from '../draw/symbol.ts'
import type { TextPen } from '../draw/text_marker.ts'
import { composite } from '../raster/composite.ts'
import { trimSurface } from '../raster/crop.ts'
import type { SpriteCache } from '../raster/sprite.ts'
import { createSurface, type Surface } from '../raster/surface.ts'

/** Features of samples have no attributes: expressions that read fields are null, and the fixed properties apply. */
export const sampleContext: EvaluationContext = { attributes: {} }

/** Maximum distance that symbols reach from their sample, in pixels; what is farther away is cut off. */
const maxReach = 256

/** A symbol to draw, and how. */
export interface SampleOptions {
  readonly symbol: PixelSymbol
  readonly family: GeometryFamily
  /** Opacity of the layer, 0 to 1. */
  readonly opacity: number
  /** Length of the line, or width and height of the area, in pixels. */
  readonly patch: readonly [width: number, height: number]
  /** How far the symbol reaches from its geometry, in pixels; more is taken where markers reach farther. */
  readonly reach: number
  readonly sprites: SpriteCache
  readonly images: SvgImages
  readonly textPen?: TextPen | undefined
  readonly addWork: AddWork
}

/**
 * Draws a symbol in its size on the map: on a point, a horizontal line or a rectangle. The surface ends where the symbol
 * does. Undefined if the symbol draws nothing on this kind of geometry.
 */
export function drawSample(options: SampleOptions): Surface | undefined {
  const { symbol, family, opacity, sprites, images, textPen, addWork } = options
  const reach = Math.ceil(Math.min(maxReach, Math.max(options.reach, markerReach(symbol)))) + 1
  const [width, height] = family === 'POINT' ? [0, 0] : options.patch
  const surface = createSurface(width + 2 * reach, (family === 'LINESTRING' ? 0 : height) + 2 * reach)
  const geometry = sampleGeometry(options, reach)
  const canvas = { ...createCanvas(surface), addWork }
  const pen = new SymbolPen(canvas, new MarkerPen(canvas, sprites, { images, textPen }))
  for (const layer of symbol.layers) pen.draw(geometry, symbol, layer)
  if (opacity >= 1) return trimSurface(surface)
  const faded = createSurface(surface.width, surface.height)
  composite(faded, surface, { opacity })
  return trimSurface(faded)
}

function sampleGeometry(
  { family, patch: [width, height], symbol }: SampleOptions,
  at: number,
): PixelGeometry {
  const [right, bottom] = [at + width, at + height]
  if (family === 'POINT') return { family, parts: [[Float64Array.of(at, at)]] }
  if (family === 'LINESTRING') {
    // Lines of an odd width are sharp at the middle of pixels.
    const y = at + (isOddLine(symbol) ? 0.5 : 0)
    return { family, parts: [[Float64Array.of(at, y, right, y)]] }
  }
  return { family, parts: [[Float64Array.of(at, at, right, at, right, bottom, at, bottom, at, at)]] }
}

function isOddLine({ layers }: PixelSymbol): boolean {
  const line = layers.find((layer) => layer.kind === 'line')
  return line !== undefined && Math.max(1, Math.round(line.stroke.width)) % 2 === 1
}
