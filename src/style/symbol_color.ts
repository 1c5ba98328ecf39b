import { type Color, channelsOf } from './color.ts'
import type { MapSymbol, SymbolLayer } from './symbol_layer.ts'

/** Returns the colour of a symbol as QGIS has it: that of its lowest layer; undefined for a symbol without layers. */
export function findSymbolColor({ layers: [layer] }: MapSymbol<unknown>): Color | undefined {
  return layer === undefined ? undefined : colorOf(layer)
}

function colorOf(layer: SymbolLayer<unknown>): Color | undefined {
  switch (layer.kind) {
    case 'marker':
      return layer.fill ?? layer.stroke?.color
    case 'svg':
    case 'text':
      return layer.fill
    case 'fill':
      return layer.color
    case 'line':
      return layer.stroke.color
    case 'line_pattern':
      return findSymbolColor(layer.line)
    default:
      return findSymbolColor(layer.marker)
  }
}

/** Returns a colour as expressions of QGIS have it: `red,green,blue,alpha`. */
export function colorText(color: Color | undefined): string {
  return color === undefined ? '' : channelsOf(color).join(',')
}

/** Returns a symbol whose expressions have its colour in place of `@symbol_color`. */
export function withSymbolColor(symbol: MapSymbol): MapSymbol {
  if (!JSON.stringify(symbol).includes('"symbol_color"')) return symbol
  return replaceVariable(symbol, colorText(findSymbolColor(symbol))) as MapSymbol
}

// Generic over all places of expressions in a symbol.
function replaceVariable(value: unknown, color: string): unknown {
  if (typeof value !== 'object' || value === null) return value
  if ('op' in value && value.op === 'variable' && 'name' in value && value.name === 'symbol_color')
    return { op: 'literal', value: color }
  if (Array.isArray(value)) return value.map((one) => replaceVariable(one, color))
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaceVariable(one, color)]))
}
