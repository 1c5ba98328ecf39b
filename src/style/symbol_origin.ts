import type { Span } from '../core/span.ts'
import type { MapSymbol } from './symbol_layer.ts'

/** Beside the symbols, which are plain data: equal ones may come from different places. */
const origins = new WeakMap<MapSymbol, Span>()

/** Remembers where a symbol was read, and returns it. */
export function withOrigin(symbol: MapSymbol, span: Span): MapSymbol {
  origins.set(symbol, span)
  return symbol
}

/** Returns where a symbol was read; undefined if that is not known. */
export function findOrigin(symbol: MapSymbol | undefined): Span | undefined {
  return symbol && origins.get(symbol)
}
