import type { GeometryFamily } from '../../contract/geometry.ts'
import type { MapSymbol } from '../../style/symbol_layer.ts'
import type { JobWindow } from '../image/draw_job.ts'

/** A symbol of a legend with its caption, or a picture that another service has drawn. */
export type LegendItem = SymbolItem | PictureItem

interface SymbolItem {
  /** Position among all symbols of the style. */
  readonly index: number
  readonly title: string
  readonly symbol: MapSymbol
}

interface PictureItem extends Omit<SymbolItem, 'symbol'> {
  readonly picture: JobWindow
}

/** Symbols of a style to draw for its legend. Plain data, since it crosses to a worker thread. */
export interface LegendJob {
  readonly legend: LegendForm
  /** Heading; beside the symbol if there is a single one without a caption. */
  readonly title: string
  readonly family: GeometryFamily
  /** Opacity of the layer, 0 to 1. */
  readonly opacity: number
  readonly items: readonly LegendItem[]
  /** Pixels per map unit of the map that the legend is for; undefined if it is not known. */
  readonly pixelsPerMapUnit?: number
}

/**
 * What is drawn: a picture of the whole legend, or an icon for each symbol, in JSON, as wide and high as `iconSize` times `scale`; pictures of
 * other services have their own size.
 */
export type LegendForm = (
  | { readonly kind: 'image' }
  | { readonly kind: 'icons'; readonly iconSize: number }
) & {
  /** Device pixels per pixel. @default 1 */
  readonly scale?: number
}

/** An icon of a symbol; symbols that draw nothing have none. */
export interface LegendIcon {
  readonly index: number
  /** PNG, in Base64. */
  readonly data: string
}

/** Maximum number of symbols of a legend. */
export const maxLegendItems = 1000
