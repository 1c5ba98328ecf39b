import { scaleSymbol } from './scale_layer.ts'
import type { Rule, Style } from './style_model.ts'
import type { SymbolLayer } from './symbol_layer.ts'

/** Returns how far a click may be from a feature to hit its symbol, in pixels: half the size of the largest one. */
export function hitReach({ rules }: Pick<Style, 'rules'>): number {
  return Math.max(0, ...rules.map(reachOfRule))
}

function reachOfRule({ isDrawn, symbol, children }: Rule): number {
  if (!isDrawn) return 0
  // Sizes in map units depend on the zoom level; the least radius of a click stands in for them.
  const layers = symbol === undefined ? [] : scaleSymbol(symbol, 0).layers
  return Math.max(hitReach({ rules: children }), ...layers.map(halfSize))
}

function halfSize(layer: SymbolLayer<number>): number {
  if ('size' in layer) return layer.size / 2
  return layer.kind === 'line' ? layer.stroke.width / 2 : 0
}
