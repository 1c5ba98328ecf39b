import { LRUCache } from 'lru-cache'
import type { Queryable } from '../../../database/database.ts'
import type { DensityPoints } from '../../../render/draw/density.ts'
import { findHighestDensity, readDensityPoints } from '../../../render/image/density_points.ts'
import type { ImageFrame } from '../../../render/image/image_features.ts'
import type { FilteredLayer } from '../../../render/vector_tile/tile_source.ts'
import type { Heatmap } from '../../../style/heatmap.ts'
import { fieldsReadBy } from '../../../style/missing_fields.ts'
import { pixelsOf } from '../../../style/scale_layer.ts'
import { findMetatiles } from '../metatile.ts'

/** Highest densities of layers by zoom level, which all tiles share. */
export interface DensityCache {
  /**
   * @param key everything that the density depends on; undefined if changes of the layer are not tracked
   */
  get(key: string | undefined, name: string, find: () => Promise<number>): Promise<number>
}

/** Milliseconds for which the density of a layer whose changes are not tracked is kept, so that adjacent tiles agree. */
const untrackedTtlMs = 5000

/** Creates an empty cache. */
export function createDensityCache(): DensityCache {
  const known = new LRUCache<string, Promise<number>>({ max: 1000 })
  return {
    get(key, name, find) {
      const place = key ?? `untracked ${name}`
      const found = known.get(place)
      if (found !== undefined) return found
      const started = find()
      known.set(place, started, key === undefined ? { ttl: untrackedTtlMs } : {})
      started.catch(() => known.delete(place))
      return started
    },
  }
}

/** A heatmap to read. */
export interface DensitySource {
  readonly heatmap: Heatmap
  readonly layer: FilteredLayer
  readonly frame: ImageFrame
  /** Which features are drawn; undefined for all. */
  readonly filter: string | undefined
  /** Everything that the points depend on; undefined if changes of the layer are not tracked. */
  readonly key: readonly unknown[] | undefined
  readonly densities: DensityCache
  /** Ends the queries of an image. */
  readonly limited: Queryable
  readonly database: Queryable
}

/** Largest radius in pixels of 1/96 inch; larger ones are drawn like this. */
const maxRadius = 1000

function radiusOf({ radius }: Heatmap, { box, width, pixelRatio = 1 }: ImageFrame): number {
  const perMapUnit = width / pixelRatio / (box[2] - box[0])
  return Math.round(Math.min(maxRadius, pixelsOf(radius, perMapUnit)) * pixelRatio)
}

/**
 * Returns the margin around an image from which the points of a heatmap reach into it, in device pixels; undefined if the colors
 * depend on the whole layer.
 */
export function heatmapReach(heatmap: Heatmap, frame: ImageFrame): number | undefined {
  const isShared = heatmap.maximum === undefined && findMetatiles(frame).length > 0
  return isShared ? undefined : radiusOf(heatmap, frame) + 1
}

/**
 * Reads the points of a heatmap. Tiles whose style has no maximum share the highest density of the layer at their zoom level.
 *
 * @throws {Problem} render/too-large
 */
export async function readDensity(source: DensitySource): Promise<DensityPoints> {
  const { heatmap, layer, frame, filter, limited, densities, key, database } = source
  const { pixelRatio = 1 } = frame
  const radius = radiusOf(heatmap, frame)
  const request = { frame, radius, weight: heatmap.weight, fields: fieldsReadBy(heatmap.weight) }
  const points = await readDensityPoints(limited, layer, request)
  if (heatmap.maximum !== undefined) return { ...points, maximum: heatmap.maximum }
  const [metatile] = findMetatiles(frame)
  if (metatile === undefined) return points
  const part = [metatile.zoom, radius, pixelRatio]
  const find = () => findHighestDensity(database, layer, request)
  const name = JSON.stringify([layer.resourceId, heatmap, filter, ...part])
  return { ...points, maximum: await densities.get(key && JSON.stringify([key, ...part]), name, find) }
}
