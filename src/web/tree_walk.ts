import type { ConfigItem, ConfigLayer, WebmapConfig } from '../contract/webmap_config.ts'
import type { Style } from '../style/style_model.ts'

/** A layer of the map, with the style that draws it. */
export type MapLayer = ConfigLayer<Style>

/** A layer or a group. */
export type MapItem = ConfigItem<Style>

/** What the server says of the map. */
export type MapConfig = WebmapConfig<Style>

/** Lists the layers of a tree, from top to bottom. */
export function listLayers(items: readonly MapItem[]): MapLayer[] {
  return items.flatMap((item) => (item.type === 'group' ? listLayers(item.children) : [item]))
}

/** Orders layers as they are drawn, the uppermost first: by their positions where the map says so, else as in the tree. */
export function drawOrder({ rootItem, drawOrderEnabled }: MapConfig): MapLayer[] {
  const layers = listLayers(rootItem.children)
  if (!drawOrderEnabled) return layers
  const position = ({ drawOrderPosition }: MapLayer) => drawOrderPosition ?? Number.POSITIVE_INFINITY
  // Equal positions, and layers without one, keep the order of the tree: infinity minus itself is no order.
  return layers.toSorted((a, b) => (position(a) === position(b) ? 0 : position(a) - position(b)))
}

/** Metres of a pixel on the screen of the standards, which scales refer to: 0.28 mm. @see OGC 06-042 clause 7.2.4.6.9 */
const pixelMetres = 0.000_28

/** Gives metres a pixel of a scale `1 : denominator`. */
export function resolutionOf(denominator: number): number {
  return denominator * pixelMetres
}

/** Gives the denominator of the scale at metres a pixel. */
export function scaleOf(resolution: number): number {
  return resolution / pixelMetres
}

/** Tells whether a layer's own limits let it be seen at metres a pixel. */
export function isShownAt({ minScaleDenom, maxScaleDenom }: MapLayer, resolution: number): boolean {
  const scale = scaleOf(resolution)
  return scale < (minScaleDenom ?? Number.POSITIVE_INFINITY) && scale >= (maxScaleDenom ?? 0)
}
