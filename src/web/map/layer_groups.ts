import { isShownAt, type MapLayer, resolutionLimits } from '../../style/map_layers.ts'

/** How a layer is shown at the moment. */
export interface ShownLayer {
  readonly layer: MapLayer
  readonly isVisible: boolean
  /** 0 to 1. */
  readonly opacity: number
  /** Whether it is drawn alone, since it could not be drawn together with others. */
  readonly isApart: boolean
}

/** Maximum number of layers of a group, which is below that of a request. */
const maxLayers = 50

/**
 * Divides the visible layers, from top to bottom, into groups that the server draws together, so that their labels do not
 * overlap, and fewer images are requested. Only opaque layers with features are drawn together: those of other services
 * fail and rest on their own.
 */
export function groupLayers<T extends ShownLayer>(layers: readonly T[]): T[][] {
  const groups: T[][] = []
  for (const one of layers.filter(({ isVisible }) => isVisible)) {
    const group = groups.at(-1)
    const above = group?.at(-1)
    if (group !== undefined && above !== undefined && group.length < maxLayers && isTogether(above, one))
      group.push(one)
    else groups.push([one])
  }
  return groups
}

function isTogether(one: ShownLayer, other: ShownLayer): boolean {
  if (!mayJoin(one) || !mayJoin(other)) return false
  const [a, b] = [one.layer, other.layer]
  return a.adapter === b.adapter && a.landform.keepsTiles === b.landform.keepsTiles
}

const mayJoin = ({ layer, opacity, isApart }: ShownLayer) =>
  layer.landform.hasFeatures && opacity === 1 && !isApart

/** Returns the parameter `resource` of images of layers, which are listed from top to bottom; empty if the scale hides all. */
export function resourcesAt(layers: readonly MapLayer[], resolution: number): string {
  return layers
    .filter((layer) => isShownAt(layer, resolution))
    .map(({ styleId }) => styleId)
    .reverse()
    .join()
}

/** Returns the resolutions between which any of the layers is shown, as those of OpenLayers. */
export function groupLimits(layers: readonly MapLayer[]): { min: number; max: number } {
  const limits = layers.map(resolutionLimits)
  return {
    min: Math.min(...limits.map(({ minResolution = 0 }) => minResolution)),
    max: Math.max(...limits.map(({ maxResolution = Infinity }) => maxResolution)),
  }
}
