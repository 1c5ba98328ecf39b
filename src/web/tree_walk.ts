import type { ConfigItem, ConfigLayer, WebmapConfig } from '../contract/webmap_config.ts'
import type { Style } from '../style/style_model.ts'

/** Layer of the map, with its style. */
export type MapLayer = ConfigLayer<Style>

/** Layer or group. */
export type MapItem = ConfigItem<Style>

/** Configuration of the map from the server. */
export type MapConfig = WebmapConfig<Style>

/** Lists the layers of a tree, from top to bottom. */
export function listLayers(items: readonly MapItem[]): MapLayer[] {
  return items.flatMap((item) => (item.type === 'group' ? listLayers(item.children) : [item]))
}

/** Lists layers in draw order, from top to bottom: by position if the map enables it, else as in the tree. */
export function drawOrder({ rootItem, drawOrderEnabled }: MapConfig): MapLayer[] {
  const layers = listLayers(rootItem.children)
  if (!drawOrderEnabled) return layers
  const position = ({ drawOrderPosition }: MapLayer) => drawOrderPosition ?? Number.POSITIVE_INFINITY
  // Equal and missing positions keep the order of the tree: infinity minus infinity is NaN.
  return layers.toSorted((a, b) => (position(a) === position(b) ? 0 : position(a) - position(b)))
}

/** Standardized pixel size of scales, in metres: 0.28 mm. @see OGC 06-042 clause 7.2.4.6.9 */
const pixelMetres = 0.000_28

/** Returns the resolution of a scale `1 : denominator`, in metres per pixel. */
export function resolutionOf(denominator: number): number {
  return denominator * pixelMetres
}

/** Returns the scale denominator of a resolution in metres per pixel. */
export function scaleOf(resolution: number): number {
  return resolution / pixelMetres
}

/** Tells whether a layer is visible at a resolution in metres per pixel, by its scale limits. */
export function isShownAt({ minScaleDenom, maxScaleDenom }: MapLayer, resolution: number): boolean {
  const scale = scaleOf(resolution)
  return scale < (minScaleDenom ?? Number.POSITIVE_INFINITY) && scale >= (maxScaleDenom ?? 0)
}
