import type { Color } from './color.ts'
import type { Value } from './expression/expression.ts'
import { compileExpression, type Evaluate, type EvaluationContext } from './expression/expression_evaluate.ts'
import { findNumber, isSelected, textOf } from './expression/expression_value.ts'
import { findMarkerShape } from './marker_shape.ts'
import { findQtColor } from './qt_color.ts'
import { scaleLayer } from './scale_layer.ts'
import type { DataDefined, LayerProperty, Length, MapSymbol, Stroke, SymbolLayer } from './symbol_layer.ts'

/** Feature and scale that a symbol is drawn for. */
export interface SymbolView {
  readonly context: EvaluationContext
  /** Pixels of 1/96 inch per map unit. */
  readonly pixelsPerMapUnit: number
}

/** A symbol whose expressions are compiled. */
export interface CompiledSymbol {
  /** Whether the symbol is the same for all features of one scale. */
  readonly isConstant: boolean
  /** Returns the symbol with all lengths in pixels and all expressions applied; layers that are not drawn are left out. */
  readonly resolve: (view: SymbolView) => MapSymbol<number>
}

/** Compiles a symbol. */
export function compileSymbol(symbol: MapSymbol): CompiledSymbol {
  const evaluate = compileValues(symbol.dataDefined)
  const layers = symbol.layers.map(compileLayer)
  return {
    isConstant: symbol.dataDefined === undefined && layers.every((layer) => layer.isConstant),
    resolve: (view) => {
      const percent = findNumber(evaluate(view.context).get('opacity') ?? null)
      return {
        type: symbol.type,
        opacity: percent === undefined ? symbol.opacity : Math.min(1, Math.max(0, percent / 100)),
        layers: layers.flatMap(({ resolve }) => resolve(view)),
      }
    },
  }
}

/** Values of expressions by property, without null. */
type Values<P> = ReadonlyMap<P, Exclude<Value, null>>

/** Compiles the expressions of a symbol, layer or label. */
export function compileValues<P extends string>(
  dataDefined: DataDefined<P> = {},
): (context: EvaluationContext) => Values<P> {
  const compiled = Object.entries(dataDefined).map(
    ([name, expression]) => [name as P, compileExpression(expression as never)] as const,
  )
  return (context) => new Map(compiled.flatMap(([name, evaluate]) => valueEntry(name, evaluate, context)))
}

function valueEntry<P>(name: P, evaluate: Evaluate, context: EvaluationContext): [P, Exclude<Value, null>][] {
  const value = evaluate(context)
  return value === null ? [] : [[name, value]]
}

interface CompiledLayer {
  readonly isConstant: boolean
  readonly resolve: (view: SymbolView) => readonly SymbolLayer<number>[]
}

function compileLayer(layer: SymbolLayer): CompiledLayer {
  const evaluate = compileValues(layer.dataDefined)
  const inner = innerSymbol(layer)
  const compiled = inner && compileSymbol(inner)
  return {
    isConstant: layer.dataDefined === undefined && (compiled?.isConstant ?? true),
    resolve: (view) => {
      const values = evaluate(view.context)
      const isDrawn = values.get('isDrawn') ?? true
      if (!isSelected(isDrawn)) return []
      const scaled = snapFixed(layer, scaleLayer(applyValues(layer, values), view.pixelsPerMapUnit))
      return [compiled === undefined ? scaled : withInner(scaled, compiled.resolve(view))]
    },
  }
}

/** Marks markers that are the same for all features that they are drawn on. */
function snapFixed({ dataDefined = {} }: SymbolLayer, scaled: SymbolLayer<number>): SymbolLayer<number> {
  const isFixed = Object.keys(dataDefined).every((property) => property === 'isDrawn')
  return scaled.kind === 'marker' && isFixed ? { ...scaled, isSnapped: true } : scaled
}

/** Returns a symbol whose markers lie exactly at their positions, and whose thin lines have their width. */
export function exactSymbol(symbol: MapSymbol<number>): MapSymbol<number> {
  return { ...symbol, layers: symbol.layers.map(exactLayer) }
}

function exactLayer(layer: SymbolLayer<number>): SymbolLayer<number> {
  if ('marker' in layer) return { ...layer, marker: exactSymbol(layer.marker) }
  if ('line' in layer) return { ...layer, line: exactSymbol(layer.line) }
  const stroke = 'stroke' in layer && layer.stroke ? { stroke: { ...layer.stroke, isExact: true } } : {}
  return { ...layer, ...stroke, ...(layer.kind === 'marker' ? { isSnapped: false } : {}) } as typeof layer
}

function innerSymbol(layer: SymbolLayer): MapSymbol | undefined {
  if ('marker' in layer) return layer.marker
  return 'line' in layer ? layer.line : undefined
}

function withInner(layer: SymbolLayer<number>, inner: MapSymbol<number>): SymbolLayer<number> {
  if ('marker' in layer) return { ...layer, marker: inner }
  return 'line' in layer ? { ...layer, line: inner } : layer
}

function applyValues(layer: SymbolLayer, values: Values<LayerProperty>): SymbolLayer {
  if (values.size === 0) return layer
  switch (layer.kind) {
    case 'fill':
      return { ...layer, color: colorFrom(values, 'color', layer.color), ...strokeFrom(values, layer.stroke) }
    case 'line':
      return { ...layer, ...strokeFrom(values, layer.stroke) }
    case 'marker': {
      const { fill } = layer
      const shape = findMarkerShape(textOf(values.get('shape') ?? '')) ?? layer.shape
      const filled = fill === undefined ? {} : { fill: colorFrom(values, 'fill', fill) }
      return { ...layer, ...markerFrom(values, layer), shape, ...filled, ...strokeFrom(values, layer.stroke) }
    }
    case 'text': {
      const fill = colorFrom(values, 'fill', layer.fill)
      const text = textOf(values.get('text') ?? layer.text)
      return { ...layer, ...markerFrom(values, layer), text, fill, ...strokeFrom(values, layer.stroke) }
    }
    case 'svg':
      return {
        ...layer,
        ...markerFrom(values, layer),
        fill: colorFrom(values, 'fill', layer.fill),
        outline: colorFrom(values, 'outline', layer.outline),
        outlineWidth: lengthFrom(values, 'outlineWidth', layer.outlineWidth),
      }
    case 'line_pattern':
    case 'point_pattern':
      return { ...layer, angle: findNumber(values.get('angle') ?? null) ?? layer.angle }
    default:
      return layer
  }
}

function markerFrom(
  values: Values<LayerProperty>,
  marker: { readonly size: Length; readonly angle: number },
) {
  return {
    size: lengthFrom(values, 'size', marker.size),
    angle: findNumber(values.get('angle') ?? null) ?? marker.angle,
  }
}

function strokeFrom<S extends Stroke | undefined>(values: Values<LayerProperty>, stroke: S) {
  if (stroke === undefined) return {}
  const color = colorFrom(values, 'stroke.color', stroke.color)
  return { stroke: { ...stroke, color, width: lengthFrom(values, 'stroke.width', stroke.width) } }
}

function colorFrom(values: Values<LayerProperty>, name: LayerProperty, color: Color): Color {
  const value = values.get(name)
  return (typeof value === 'string' ? findQtColor(value) : undefined) ?? color
}

function lengthFrom(values: Values<LayerProperty>, name: LayerProperty, length: Length): Length {
  const value = findNumber(values.get(name) ?? null)
  if (value === undefined || !Number.isFinite(value)) return length
  const size = Math.max(0, value)
  return typeof length === 'number' ? size : { ...length, mapUnits: size }
}
