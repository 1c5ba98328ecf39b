import type { EvaluationContext } from '../../style/expression/expression_evaluate.ts'
import type { Style } from '../../style/style_model.ts'
import { listSymbols } from '../../style/style_symbols.ts'
import { composite } from '../raster/composite.ts'
import { giveBytes, takeBytes } from '../raster/scratch.ts'
import type { SpriteCache } from '../raster/sprite.ts'
import { clearSurface, createGroup, releaseSurface, type Surface } from '../raster/surface.ts'
import { type Canvas, createCanvas } from './canvas.ts'
import type { AddWork } from './draw_work.ts'
import { MarkerPen } from './marker.ts'
import type { PixelGeometry } from './pixel_geometry.ts'
import type { PixelLayer, PixelSymbol } from './pixel_symbol.ts'
import type { PreparedStyle, RuleSymbol } from './prepare_style.ts'
import type { SvgImages } from './svg_marker.ts'
import { SymbolPen } from './symbol.ts'
import type { TextPen } from './text_marker.ts'

/** A feature to draw. */
export interface DrawnFeature {
  readonly geometry: PixelGeometry
  /** Attributes, id and scale for expressions. */
  readonly context: EvaluationContext
}

/** A layer to draw. */
export interface DrawnLayer {
  readonly features: readonly DrawnFeature[]
  readonly style: PreparedStyle
  readonly sprites: SpriteCache
  readonly images?: SvgImages
  readonly textPen?: TextPen | undefined
  /** Device pixels per pixel; 1 by default. */
  readonly pixelRatio?: number
  /** Whether the surface is still transparent. */
  readonly isLowest?: boolean
  /** Called before each feature, and with the work of drawing; throws to stop it. */
  readonly check: AddWork
}

/**
 * Draws the features of a layer over a surface. Labels are not drawn.
 *
 * @throws what `check` throws
 */
export function drawLayer(surface: Surface, layer: DrawnLayer, origin: Canvas['origin']): void {
  const { style } = layer.style
  const { opacity, blending } = style
  const isBlended = opacity < 1 || blending !== 'normal'
  const usesGroup = isBlended || (hasFills(layer) && layer.isLowest !== true)
  const target = usesGroup ? createGroup(surface) : layer.isLowest ? withCovered(surface) : surface
  drawFeatures({ ...createCanvas(target, origin, layer.pixelRatio), addWork: layer.check }, layer)
  if (usesGroup) {
    composite(surface, target, { opacity, blendMode: blending })
    releaseSurface(target)
  } else if (target.covered !== undefined && target !== surface) giveBytes(target.covered)
}

/** The lowest layer of an image needs no surface of its own. */
function withCovered(surface: Surface): Surface {
  return { ...surface, covered: takeBytes(surface.words.length) }
}

/**
 * Polygons are drawn on a surface of their own, so that nothing shines through between neighbours. All features of a layer are
 * polygons, or none is.
 */
function hasFills({ features }: DrawnLayer): boolean {
  return features.length > 1 && features[0]?.geometry.family === 'POLYGON'
}

function drawFeatures(canvas: Canvas, layer: DrawnLayer): void {
  const { style } = layer.style
  const features = layer.style.sort(layer.features)
  if (style.featureBlending !== 'normal') drawBlended(canvas, features, layer)
  else if (style.levels !== 'none') drawLevels(penOf(canvas, layer), features, layer)
  else {
    const pen = penOf(canvas, layer)
    for (const feature of features) {
      layer.check()
      drawFeature(pen, feature, layer)
    }
  }
}

const penOf = (canvas: Canvas, { sprites, images, textPen }: DrawnLayer) =>
  new SymbolPen(canvas, new MarkerPen(canvas, sprites, { images, textPen }))

function drawFeature(pen: SymbolPen, { geometry, context }: DrawnFeature, { style }: DrawnLayer): void {
  for (const rule of style.symbolsOf(context)) {
    const symbol = rule.symbolFor(context)
    for (const layer of symbol.layers) pen.draw(geometry, symbol, layer)
  }
}

/** Draws each layer of the symbols of each feature on a surface of its own, and blends it with what is below, as QGIS does. */
function drawBlended(canvas: Canvas, features: readonly DrawnFeature[], layer: DrawnLayer): void {
  const single = createGroup(canvas.surface)
  const pen = penOf({ ...canvas, surface: single }, layer)
  for (const feature of features) {
    layer.check()
    for (const { symbolFor } of layer.style.symbolsOf(feature.context)) {
      const symbol = symbolFor(feature.context)
      for (const part of symbol.layers.flatMap(splitFill)) {
        // The surface is cleared and blended.
        layer.check(2 * single.words.length)
        clearSurface(single)
        pen.draw(feature.geometry, symbol, part)
        composite(canvas.surface, single, { blendMode: layer.style.style.featureBlending })
      }
    }
  }
  releaseSurface(single)
}

/** Splits a fill with an outline in two: each of them blends with what is below. */
function splitFill(layer: PixelLayer): PixelLayer[] {
  if (layer.kind !== 'fill' || layer.stroke === undefined) return [layer]
  const { stroke: _, ...fill } = layer
  return [fill, { ...layer, brush: 'no' }]
}

interface Level {
  readonly pass: number
  /** Position of the rule in the style; 0 where features precede rules. */
  readonly order: number
  /** Position in the symbol; 0 where features precede layers. */
  readonly at: number
  readonly items: {
    readonly feature: DrawnFeature
    readonly symbol: PixelSymbol
    readonly layer: PixelLayer
  }[]
}

/** Draws all features layer by layer of their symbols, in the order of passes. */
function drawLevels(pen: SymbolPen, features: readonly DrawnFeature[], layer: DrawnLayer): void {
  const levels = new Map<string, Level>()
  const isByFeature = layer.style.style.levels === 'by_feature'
  for (const feature of features) {
    layer.check()
    for (const rule of layer.style.symbolsOf(feature.context))
      addToLevels(levels, { feature, rule, isByFeature })
  }
  const sorted = [...levels.values()].sort((a, b) => a.pass - b.pass || a.order - b.order || a.at - b.at)
  for (const item of sorted.flatMap(({ items }) => items)) {
    layer.check()
    pen.draw(item.feature.geometry, item.symbol, item.layer)
  }
}

interface LevelEntry {
  readonly feature: DrawnFeature
  readonly rule: RuleSymbol
  readonly isByFeature: boolean
}

function addToLevels(levels: Map<string, Level>, { feature, rule, isByFeature }: LevelEntry): void {
  const symbol = rule.symbolFor(feature.context)
  for (const [place, layer] of symbol.layers.entries()) {
    const [order, at] = isByFeature ? [0, 0] : [rule.order, place]
    const key = `${layer.pass} ${order} ${at}`
    const level = levels.get(key) ?? { pass: layer.pass, order, at, items: [] }
    levels.set(key, level)
    level.items.push({ feature, symbol, layer })
  }
}

/** Upper bound of the reach of symbols whose size depends on attributes, in pixels. */
const dataDefinedReach = 64

/** Returns how far the symbols of a style may reach from their geometries, in pixels, but at most `limit`. */
export function symbolReach({ rules }: Pick<Style, 'rules'>, pixelsPerMapUnit: number, limit = 256): number {
  const reaches = listSymbols(rules).map((symbol) => reachOf(symbol, pixelsPerMapUnit))
  return reaches.reduce((largest, reach) => Math.min(limit, Math.max(largest, reach)), 2)
}

// Generic over all kinds of layers: the sum of all lengths of a symbol is more than it can reach.
function reachOf(value: unknown, pixelsPerMapUnit: number): number {
  if (typeof value === 'number') return Math.abs(value)
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value))
    return value.reduce<number>((sum, item) => sum + reachOf(item, pixelsPerMapUnit), 0)
  if ('mapUnits' in value) return Math.abs(Number(value.mapUnits)) * pixelsPerMapUnit
  return Object.entries(value).reduce((sum, [name, inner]) => {
    if (name === 'dataDefined') return sum + dataDefinedReach
    return reachNames.has(name) ? sum + reachOf(inner, pixelsPerMapUnit) : sum
  }, 0)
}

const reachNames = new Set(['size', 'width', 'offset', 'stroke', 'layers', 'marker', 'outlineWidth'])
