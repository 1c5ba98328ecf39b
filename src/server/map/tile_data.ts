import { type Bbox, bboxesIntersect, expandBbox } from '../../geo/bbox.ts'
import { lonLatBbox } from '../../geo/mercator.ts'
import { findChangesSince } from '../../store/layer/layer_change.ts'
import type { TrackedLayer } from '../../store/layer/stored_layer.ts'

/** What a tile was made of: the version of the data of a layer, and the parts of the layer that were read. */
export interface TileData {
  readonly layer: number
  readonly version: number
  /** In the reference system of the layer; absent if the tile depends on the whole layer. */
  readonly boxes?: readonly Bbox[]
}

/**
 * PostGIS compares boxes in single precision, rounded outwards. Twice that on both sides is less than this part of a
 * coordinate.
 */
const precision = 2 ** -20

/**
 * Returns the box of a layer that is searched for the features of an area of EPSG:3857, in the reference system of the layer;
 * undefined for a reference system in which only the database knows it.
 */
export function searchedBox({ srs }: Pick<TrackedLayer, 'srs'>, area: Bbox): Bbox | undefined {
  if (srs !== 3857 && srs !== 4326) return undefined
  const box = srs === 3857 ? area : lonLatBbox(area)
  return expandBbox(box, Math.max(...box.map(Math.abs)) * precision)
}

/** Describes the current data of a layer, and areas of EPSG:3857 that are read of it; undefined areas for the whole layer. */
export function describeData(layer: TrackedLayer, areas: readonly Bbox[] | undefined): TileData {
  const boxes = areas?.map((area) => searchedBox(layer, area))
  const isKnown = boxes?.every((box) => box !== undefined) === true
  const { resourceId, dataVersion: version } = layer
  return { layer: resourceId, version, ...(isKnown ? { boxes } : {}) }
}

/**
 * Returns the data that a tile was made of as that of the current versions of its layers, if no change since then lies in what
 * was read; otherwise undefined.
 */
export function renewData(
  data: readonly TileData[],
  layers: readonly TrackedLayer[],
): readonly TileData[] | undefined {
  if (data.length !== layers.length) return undefined
  if (data.every(({ version }, at) => version === layers[at]?.dataVersion)) return data
  const isCurrent = data.every((one, at) => isUnchanged(one, layers[at]))
  return isCurrent
    ? data.map((one, at) => ({ ...one, version: layers[at]?.dataVersion ?? one.version }))
    : undefined
}

function isUnchanged({ layer, version, boxes }: TileData, current: TrackedLayer | undefined): boolean {
  // Versions are lower than before after a backup of the database was restored.
  if (current?.resourceId !== layer || version > current.dataVersion) return false
  if (version === current.dataVersion) return true
  const changes = boxes && findChangesSince(current, version)
  return changes?.every((changed) => !boxes?.some((box) => bboxesIntersect(box, changed))) === true
}

/** Returns the versions of the data of layers. */
export function versionsOf(layers: readonly TrackedLayer[]): readonly number[] {
  return layers.map(({ dataVersion }) => dataVersion)
}
