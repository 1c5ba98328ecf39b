import type { ConfigItem, ConfigLayer, WebmapConfig } from '../contract/bodies/webmap_config.ts'
import { maxLayers } from '../contract/limits.ts'
import { isInScale, resolutionOf, scaleDenomOf } from './match_rules.ts'

/** Layer of the map. */
export type MapLayer = ConfigLayer

/** Layer or group. */
export type MapItem = ConfigItem

/** Configuration of the map from the server. */
export type MapConfig = WebmapConfig

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

/** Tells whether a layer is visible at a resolution in metres per pixel, by its scale limits. */
export function isShownAt(layer: MapLayer, resolution: number): boolean {
  return isInScale(limitsOf(layer), scaleDenomOf(resolution))
}

/** Returns the scale limits of a layer as those of OpenLayers: the lower one is included, the upper one is not. */
export function resolutionLimits(layer: MapLayer): { minResolution?: number; maxResolution?: number } {
  const { minScaleDenom: least, maxScaleDenom: most } = limitsOf(layer)
  return {
    ...(least === undefined ? {} : { minResolution: resolutionOf(least) }),
    ...(most === undefined ? {} : { maxResolution: resolutionOf(most) }),
  }
}

/** Layers that are drawn as one image. */
export interface LayersImage {
  readonly layers: readonly MapLayer[]
  /** 0 to 1. */
  readonly opacity: number
}

/** Lists the layers of an image that have labels. */
export function labelledLayers({ layers }: LayersImage): MapLayer[] {
  return layers.filter(({ landform }) => landform.hasLabels)
}

/**
 * Lists the images of a map, given from top to bottom, whose labels are drawn as one more image above all of them: else they
 * would be covered by images above, overlap labels of others, or be transparent. Empty where the uppermost image has all
 * labels, above everything.
 */
export function imagesLabelledAbove<T extends LayersImage>(images: readonly T[]): T[] {
  const labelled = images.filter((image) => image.opacity > 0 && labelledLayers(image).length > 0)
  const isAbove = labelled.length === 1 && labelled[0] === images[0] && images[0]?.opacity === 1
  if (isAbove) return []
  let count = 0
  return labelled.filter((image) => {
    count += labelledLayers(image).length
    return count <= maxLayers
  })
}

// The minimum scale of an item has the largest denominator; limits of styles are named by their denominators.
function limitsOf({ minScaleDenom, maxScaleDenom }: MapLayer) {
  return {
    ...(maxScaleDenom === null ? {} : { minScaleDenom: maxScaleDenom }),
    ...(minScaleDenom === null ? {} : { maxScaleDenom: minScaleDenom }),
  }
}
