import type { DegreeBox, WebmapConfig } from '../../contract/bodies/webmap_config.ts'
import { longitudeRange } from '../../geo/longitude_range.ts'
import { listLayers } from '../../style/map_layers.ts'
import { type ExtentContext, findExtents } from './layer_extents.ts'
import { findServiceExtents } from './service_extents.ts'

/** Extent of web maps that have none of their own. */
export const worldExtent: DegreeBox = [-180, -90, 180, 90]

/** Tells whether an extent is that of web maps that have none of their own. */
export function isWorld(extent: DegreeBox): boolean {
  return extent.every((side, at) => side === worldExtent[at])
}

/** Maximum number of layers whose extents are read for a map. */
const maxFitted = 100

/** Part of its size by which the extent of layers is enlarged on each side, and its minimum size in degrees. */
const [margin, minSize] = [0.05, 0.01]

/**
 * Finds the extent of the layers of a web map that its reader sees first; of all of them if none is visible. If none has an extent of
 * its own, that of layers of external services, which often cover more than is of interest. The world if it is not known.
 */
export async function findHomeExtent(
  context: ExtentContext,
  { rootItem }: Pick<WebmapConfig, 'rootItem'>,
): Promise<DegreeBox> {
  const layers = listLayers(rootItem.children)
  const visible = layers.filter(({ visibility }) => visibility)
  const listed = (visible.length === 0 ? layers : visible).map(({ layerId }) => layerId)
  const ids = [...new Set(listed)].slice(0, maxFitted)
  const own = [...(await findExtents(context, ids)).values()]
  const boxes = own.length > 0 ? own : [...(await findServiceExtents(context.database, ids)).values()].flat()
  if (boxes.length === 0) return worldExtent
  const [west, east] = longitudeRange(boxes.map(([minX, , maxX]) => [minX, maxX]))
  const [south, north] = [
    Math.min(...boxes.map(([, minY]) => minY)),
    Math.max(...boxes.map(([, , , maxY]) => maxY)),
  ]
  const [left, right] = enlarge(west, east)
  if (right - left >= 360) return [-180, south, 180, north]
  const [bottom, top] = enlarge(south, north)
  return [wrapDegrees(left), Math.max(bottom, -90), wrapDegrees(right), Math.min(top, 90)]
}

function enlarge(low: number, high: number): readonly [low: number, high: number] {
  const [size, center] = [Math.max((high - low) * (1 + 2 * margin), minSize), (low + high) / 2]
  return [center - size / 2, center + size / 2]
}

const wrapDegrees = (degrees: number) =>
  degrees < -180 ? degrees + 360 : degrees > 180 ? degrees - 360 : degrees
