import type { FeatureLike } from 'ol/Feature'
import CircleStyle from 'ol/style/Circle'
import Fill from 'ol/style/Fill'
import type ImageStyle from 'ol/style/Image'
import RegularShape from 'ol/style/RegularShape'
import OlStroke from 'ol/style/Stroke'
import OlStyle, { type StyleFunction } from 'ol/style/Style'
import type { GeometryFamily } from '../contract/geometry.ts'
import { type Color, channelsOf } from '../style/color.ts'
import { compileRules, isInScale, scaleDenomOf } from '../style/match_rules.ts'
import { type CompiledSymbol, compileSymbol, type SymbolView } from '../style/resolve_symbol.ts'
import { scaleSymbol } from '../style/scale_layer.ts'
import type { Rule, Style } from '../style/style_model.ts'
import type { MapSymbol, MarkerShape, SimpleMarker, Stroke, SymbolLayer } from '../style/symbol_layer.ts'

/** Converts a style into an OpenLayers style function. */
export function styleFunctionOf(style: Style, family: GeometryFamily): StyleFunction {
  const match = compileRules(style)
  const stylesAt = new Map<Rule, (view: SymbolView) => OlStyle[]>()
  const draw = (rule: Rule, view: SymbolView): OlStyle[] => {
    const known = stylesAt.get(rule) ?? compileStyles(rule, { style, family })
    stylesAt.set(rule, known)
    return known(view)
  }
  return (feature: FeatureLike, resolution: number) => {
    const scaleDenom = scaleDenomOf(resolution)
    if (!isInScale(style, scaleDenom)) return undefined
    const id = Number(feature.getId())
    const context = {
      attributes: feature.getProperties(),
      scaleDenom,
      ...(Number.isFinite(id) ? { id } : {}),
    }
    return match(context).flatMap((rule) => draw(rule, { context, pixelsPerMapUnit: 1 / resolution }))
  }
}

interface Drawn {
  readonly style: Style
  readonly family: GeometryFamily
}

/** Converts the symbol of a rule. Styles that are the same for all features are kept until the resolution changes. */
function compileStyles({ symbol }: Rule, { style, family }: Drawn): (view: SymbolView) => OlStyle[] {
  if (symbol === undefined) return () => []
  const compiled = compileSymbol(symbol)
  const convert = (view: SymbolView) => stylesOf(compiled, view, { style, family })
  if (!compiled.isConstant) return convert
  let [known, scale] = [[] as OlStyle[], Number.NaN]
  return (view) => {
    if (view.pixelsPerMapUnit !== scale) known = convert(view)
    scale = view.pixelsPerMapUnit
    return known
  }
}

function stylesOf(compiled: CompiledSymbol, view: SymbolView, { style, family }: Drawn): OlStyle[] {
  const { layers, opacity } = compiled.resolve(view)
  return layers.flatMap((layer) => layerStyles(layer, { opacity: opacity * style.opacity, family }))
}

/** Returns the hit radius of points in pixels: half the size of the largest marker. */
export function reachOf(style: Style): number {
  const layers = drawnRules(style).flatMap(({ symbol }) => plainLayers(symbol))
  return Math.max(0, ...layers.map((layer) => ('size' in layer ? layer.size / 2 : 0)))
}

/** Lists the rules of a legend: those that are enabled and draw something, children after their parent. */
export function drawnRules({ rules }: Pick<Style, 'rules'>): Rule[] {
  return rules.flatMap((rule) => {
    if (!rule.isDrawn) return []
    const isDrawn = (rule.symbol?.layers.length ?? 0) > 0
    return [...(isDrawn ? [rule] : []), ...drawnRules({ rules: rule.children })]
  })
}

/** Returns the OpenLayers styles of a sample of a rule, from bottom to top. Map units are pixels. */
export function sampleStyles(style: Style, { symbol }: Rule, family: GeometryFamily): OlStyle[] {
  const opacity = (symbol?.opacity ?? 1) * style.opacity
  return plainLayers(symbol).flatMap((layer) => layerStyles(layer, { opacity, family }))
}

const plainLayers = (symbol: MapSymbol | undefined): readonly SymbolLayer<number>[] =>
  symbol === undefined ? [] : scaleSymbol(symbol, 1).layers

interface Paint {
  readonly opacity: number
  readonly family: GeometryFamily
}

/** Draws simple fills, lines and markers. */
function layerStyles(layer: SymbolLayer<number>, paint: Paint): OlStyle[] {
  if (layer.kind === 'line' && paint.family !== 'POINT')
    return [new OlStyle({ stroke: strokeOf(layer.stroke, paint) })]
  if (layer.kind === 'marker' && paint.family === 'POINT')
    return [new OlStyle({ image: markerOf(layer, paint) })]
  if (layer.kind !== 'fill' || paint.family !== 'POLYGON') return []
  const fill =
    layer.brush === 'no' ? [] : [new OlStyle({ fill: new Fill({ color: colorOf(layer.color, paint) }) })]
  const stroke = layer.stroke === undefined ? [] : [new OlStyle({ stroke: strokeOf(layer.stroke, paint) })]
  return [...fill, ...stroke]
}

function strokeOf({ color, width, dash, join, cap }: Stroke<number>, paint: Paint): OlStroke {
  return new OlStroke({
    color: colorOf(color, paint),
    width: width === 0 ? 1 : width,
    lineJoin: join,
    lineCap: cap === 'flat' ? 'butt' : cap,
    ...(dash.length === 0 ? {} : { lineDash: [...dash] }),
  })
}

interface Polygon {
  readonly points: number
  readonly angle: number
  /** Inner radius as a fraction of the outer radius. */
  readonly inner?: number
  /** Outer radius as a fraction of the marker height. */
  readonly radius: number
}

/** Shapes other than circles; those that are missing are drawn as circles. */
const shapes: Readonly<Partial<Record<MarkerShape, Polygon>>> = {
  square: { points: 4, angle: Math.PI / 4, radius: Math.SQRT1_2 },
  diamond: { points: 4, angle: 0, radius: 0.5 },
  pentagon: { points: 5, angle: 0, radius: 0.5 },
  hexagon: { points: 6, angle: 0, radius: 0.5 },
  triangle: { points: 3, angle: 0, radius: 0.58 },
  equilateral_triangle: { points: 3, angle: 0, radius: 0.5 },
  star: { points: 5, angle: 0, inner: 0.4, radius: 0.5 },
  cross: { points: 4, angle: 0, inner: 0, radius: 0.5 },
  cross2: { points: 4, angle: Math.PI / 4, inner: 0, radius: Math.SQRT1_2 },
}

function markerOf({ shape, size, angle, fill, stroke }: SimpleMarker<number>, paint: Paint): ImageStyle {
  const drawn = {
    ...(fill === undefined ? {} : { fill: new Fill({ color: colorOf(fill, paint) }) }),
    ...(stroke === undefined ? {} : { stroke: strokeOf(stroke, paint) }),
  }
  const polygon = shapes[shape]
  if (polygon === undefined) return new CircleStyle({ radius: size / 2, ...drawn })
  return new RegularShape({
    points: polygon.points,
    radius: size * polygon.radius,
    ...(polygon.inner === undefined ? {} : { radius2: size * polygon.radius * polygon.inner }),
    angle: polygon.angle,
    rotation: (angle * Math.PI) / 180,
    ...drawn,
  })
}

function colorOf(color: Color, { opacity }: Paint): string {
  const [red, green, blue, alpha] = channelsOf(color)
  return `rgba(${red},${green},${blue},${(alpha / 255) * opacity})`
}
