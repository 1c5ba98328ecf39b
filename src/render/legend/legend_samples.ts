import type { GeometryFamily } from '../../contract/geometry.ts'
import type { EvaluationContext } from '../../style/expression/expression_evaluate.ts'
import { fixedSymbol } from '../../style/fixed_symbol.ts'
import { compileSymbol } from '../../style/resolve_symbol.ts'
import { magnifySymbol } from '../../style/scale_layer.ts'
import type { MapSymbol } from '../../style/symbol_layer.ts'
import { createCanvas } from '../draw/canvas.ts'
import type { AddWork } from '../draw/draw_work.ts'
import { symbolReach } from '../draw/layer.ts'
import { MarkerPen, markerReach } from '../draw/marker.ts'
import type { PixelGeometry } from '../draw/pixel_geometry.ts'
import type { PixelSymbol } from '../draw/pixel_symbol.ts'
import type { SvgImages } from '../draw/svg_marker.ts'
import { SymbolPen } from '../draw/symbol.ts'
import type { TextPen } from '../draw/text_marker.ts'
import type { JobWindow } from '../image/draw_job.ts'
import { drawSvgImages, premultiplied } from '../image/svg_images.ts'
import { composite } from '../raster/composite.ts'
import { trimSurface } from '../raster/crop.ts'
import type { SpriteCache } from '../raster/sprite.ts'
import { createSurface, type Surface } from '../raster/surface.ts'
import type { LegendItem, LegendJob } from './legend_job.ts'

/** Size of lines and areas in legends, in pixels: 7 × 4 millimetres, as in QGIS. */
const patchSize = [26, 15] as const

/** Width of the widest symbol in map units, in pixels, where the scale of the map is not known. */
const mapUnitPixels = 20

/** Samples of the items of a legend. */
export interface LegendSamples {
  /**
   * Draws an item; undefined if it draws nothing.
   *
   * @param patch size of lines and areas in pixels; by default, one that shows their patterns
   */
  draw(item: LegendItem, patch?: readonly [width: number, height: number]): Surface | undefined
}

/** Cache and check of drawing. */
export interface SampleTools {
  readonly sprites: SpriteCache
  readonly textPen?: TextPen
  /** Called with the work of drawing; throws to stop it. */
  readonly check: AddWork
}

/** Samples stand for no feature: expressions that depend on one are left out, and the fixed properties apply. */
const sampleContext: EvaluationContext = { attributes: {} }

/** Maximum distance that symbols reach from their sample, in pixels; what is farther away is cut off. */
const maxReach = 256

/** A symbol to draw, and how. */
interface SampleOptions {
  readonly symbol: PixelSymbol
  readonly family: GeometryFamily
  /** Opacity of the layer, 0 to 1. */
  readonly opacity: number
  /** Length of the line, or width and height of the area, in pixels. */
  readonly patch: readonly [width: number, height: number]
  /** How far the symbol reaches from its geometry, in pixels; more is taken where markers reach farther. */
  readonly reach: number
  /** Device pixels per pixel. */
  readonly scale: number
  readonly sprites: SpriteCache
  readonly images: SvgImages
  readonly textPen?: TextPen | undefined
  readonly addWork: AddWork
}

/** Prepares the symbols of a legend. */
export async function prepareSamples(
  { items, family, opacity, ...job }: LegendJob,
  { sprites, check, textPen }: SampleTools,
): Promise<LegendSamples> {
  const drawn = items.filter((item) => 'symbol' in item)
  const pixelsPerMapUnit = job.pixelsPerMapUnit ?? nominalScale(drawn.map(({ symbol }) => symbol))
  const view = { context: sampleContext, pixelsPerMapUnit }
  const { scale = 1 } = job.legend
  const symbols = new Map<LegendItem, PixelSymbol>(
    drawn.map((item) => [item, magnifySymbol(compileSymbol(fixedSymbol(item.symbol)).resolve(view), scale)]),
  )
  const images: SvgImages = await drawSvgImages(symbols.values(), check)
  return {
    draw(item, patch) {
      if ('picture' in item) return surfaceOf(item.picture)
      const symbol = symbols.get(item)
      if (symbol === undefined) return undefined
      const reach = symbolReach({ rules: [ruleOf(symbol)] }, pixelsPerMapUnit, maxReach * scale)
      return drawSample({
        symbol,
        family,
        opacity,
        patch: patch ?? patchOf(symbol, scale),
        reach,
        scale,
        sprites,
        images,
        textPen,
        addWork: check,
      })
    },
  }
}

const surfaceOf = ({ pixels, width, height }: JobWindow) => premultiplied(pixels, width, height)

const ruleOf = (symbol: MapSymbol) =>
  ({ isElse: false, isDrawn: true, labels: [], children: [], symbol }) as const

/** Lines and areas are large enough to show the markers along them and the patterns in them. */
function patchOf({ layers }: PixelSymbol, scale: number): readonly [width: number, height: number] {
  const distances = layers.flatMap((layer) => {
    if (layer.kind === 'line_pattern') return [layer.distance]
    if (layer.kind === 'marker_line') return [layer.interval]
    return layer.kind === 'point_pattern' ? [...layer.distance] : []
  })
  const least = Math.ceil(Math.min(64 * scale, 2 * Math.max(0, ...distances.filter(Number.isFinite))))
  return [
    Math.max(Math.round(patchSize[0] * scale), least),
    Math.max(Math.round(patchSize[1] * scale), least),
  ]
}

/** Returns a scale at which the largest length in map units has a usual size. */
function nominalScale(symbols: readonly MapSymbol[]): number {
  const largest = Math.max(0, ...symbols.map(largestMapLength))
  return largest > 0 ? mapUnitPixels / largest : 1
}

// Generic over all places of lengths in symbols.
function largestMapLength(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  if ('mapUnits' in value) return Math.abs(Number(value.mapUnits)) || 0
  return Math.max(0, ...Object.values(value).map(largestMapLength))
}

/**
 * Draws a symbol in its size on the map: on a point, a horizontal line or a rectangle. The surface ends where the symbol
 * does. Undefined if the symbol draws nothing on this kind of geometry.
 */
function drawSample(options: SampleOptions): Surface | undefined {
  const { symbol, family, opacity, scale, sprites, images, textPen, addWork } = options
  const reach = Math.ceil(Math.min(maxReach * scale, Math.max(options.reach, markerReach(symbol)))) + 1
  const [width, height] = family === 'POINT' ? [0, 0] : options.patch
  const surface = createSurface(width + 2 * reach, (family === 'LINESTRING' ? 0 : height) + 2 * reach)
  const geometry = sampleGeometry(options, reach)
  const canvas = { ...createCanvas(surface, [0, 0], scale), addWork }
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
