import { compileValues } from './resolve_symbol.ts'
import type { MapSymbol, SymbolLayer } from './symbol_layer.ts'

/** Group that legends show. */
const sample = { attributes: {}, cluster: { size: 10, color: '' } }

/** Returns the symbol of groups as legends show it: with the number of points of a usual group. */
export function sampleSymbol(symbol: MapSymbol): MapSymbol {
  return { ...symbol, layers: symbol.layers.map(sampleLayer) }
}

/** Puts values that depend on the group in place of its expressions. */
function sampleLayer(layer: SymbolLayer): SymbolLayer {
  if (layer.dataDefined === undefined) return layer
  const values = compileValues(layer.dataDefined)(sample)
  const dataDefined = Object.fromEntries(
    [...values].map(([name, value]) => [name, { op: 'literal', value }] as const),
  )
  return { ...layer, dataDefined }
}
