import { isProblem } from '../../core/problem.ts'
import type { Bbox } from '../../geo/bbox.ts'
import { lonLatBbox } from '../../geo/mercator.ts'
import { findRasters, type Raster } from '../../store/classes/raster_layer.ts'
import { isForeign } from '../../store/feature/feature_table.ts'
import { findLayers, type Layer } from '../../store/layer/stored_layer.ts'
import type { ServerContext } from '../context.ts'

/** What the extents of layers are read with. */
export type ExtentContext = Pick<ServerContext, 'database' | 'layerCaches'>

/** Number of extents that are read at once. */
const concurrency = 8

/**
 * Finds the extents of layers and rasters in degrees, by id. Those of layers in other databases and on other servers are left
 * out: reading them may take long, or fail.
 */
export async function findExtents(
  context: ExtentContext,
  layerIds: readonly number[],
): Promise<Map<number, Bbox>> {
  const extents = await findFeatureExtents(context, await findLayers(context.database, layerIds))
  for (const [id, raster] of await findRasters(context.database, layerIds)) {
    const extent = rasterExtent(raster)
    if (extent !== undefined) extents.set(id, extent)
  }
  return extents
}

/** Finds the extents of layers with features, as `findExtents`. */
export async function findFeatureExtents<K>(
  context: ExtentContext,
  layers: ReadonlyMap<K, Layer>,
): Promise<Map<K, Bbox>> {
  const own = [...layers].filter(([, layer]) => !isForeign(layer))
  const extents = new Map<K, Bbox>()
  for (let at = 0; at < own.length; at += concurrency) {
    const batch = own.slice(at, at + concurrency)
    await Promise.all(
      batch.map(async ([id, layer]) => {
        const extent = await findExtent(context, layer)
        if (extent !== undefined) extents.set(id, extent)
      }),
    )
  }
  return extents
}

/** Returns the extent of a layer in degrees; undefined if it has none, or if reading it takes too long. */
export async function findExtent(
  { database, layerCaches }: ExtentContext,
  layer: Layer,
): Promise<Bbox | undefined> {
  return layerCaches.extent(database, layer).catch((error: unknown) => {
    // The extent is optional: a layer that takes too long must not hide the others.
    if (isProblem(error, 'database/timeout')) return undefined
    throw error
  })
}

/** Returns the extent of a raster in degrees; undefined in other reference systems than EPSG:3857 and EPSG:4326. */
export function rasterExtent(raster: Raster | undefined): Bbox | undefined {
  if (raster === undefined) return undefined
  const { srs, xsize, ysize, geoTransform } = raster
  const [left = 0, stepX = 0, skewX = 0, top = 0, skewY = 0, stepY = 0] = geoTransform
  const corners = [0, xsize].flatMap((x) => [0, ysize].map((y) => [x, y] as const))
  const xs = corners.map(([x, y]) => left + x * stepX + y * skewX)
  const ys = corners.map(([x, y]) => top + x * skewY + y * stepY)
  const box: Bbox = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
  if (srs === 3857) return lonLatBbox(box)
  return srs === 4326 ? box : undefined
}
