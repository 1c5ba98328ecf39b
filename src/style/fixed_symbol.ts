import { type Expression, operandsOf } from './expression/expression.ts'
import type { DataDefined, MapSymbol, SymbolLayer } from './symbol_layer.ts'

/** Returns a symbol without the expressions that depend on the feature, whose properties have their fixed values. */
export function fixedSymbol(symbol: MapSymbol): MapSymbol {
  return { ...withFixed(symbol), layers: symbol.layers.map(fixedLayer) }
}

/** Returns a symbol layer without the expressions that depend on the feature. */
export function fixedLayer(layer: SymbolLayer): SymbolLayer {
  const fixed = withFixed(layer)
  if ('marker' in fixed) return { ...fixed, marker: fixedSymbol(fixed.marker) }
  return 'line' in fixed ? { ...fixed, line: fixedSymbol(fixed.line) } : fixed
}

function withFixed<T extends { readonly dataDefined?: DataDefined<string> }>(part: T): T {
  if (part.dataDefined === undefined) return part
  const { dataDefined, ...rest } = part
  const entries = Object.entries(dataDefined)
  const kept = entries.filter(([, expression]) => expression !== undefined && !readsFeature(expression))
  return (kept.length === 0 ? rest : { ...rest, dataDefined: Object.fromEntries(kept) }) as T
}

function readsFeature(expression: Expression): boolean {
  if (expression.op === 'field') return true
  if (expression.op === 'variable') return expression.name === 'id'
  return operandsOf(expression).some(readsFeature)
}
