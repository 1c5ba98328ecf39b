import type { MapSymbol, SymbolLayer } from '../../style/symbol_layer.ts'

/** A symbol with all lengths in pixels. */
export type PixelSymbol = MapSymbol<number>

/** A layer of a symbol with all lengths in pixels. */
export type PixelLayer = SymbolLayer<number>
