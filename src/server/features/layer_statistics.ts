import type { Bbox } from '../../geo/bbox.ts'
import { type FeatureFilter, isEmptyFilter } from '../../store/feature/feature_filter.ts'
import { countFeatures, type FeatureCount, findLayerExtent } from '../../store/feature/layer_extent.ts'
import type { ServerContext } from '../context.ts'
import { openLayer } from './open_layer.ts'

/**
 * Counts the features of a layer; the count of all features is cached.
 *
 * @throws {Problem} as `openLayer` and `countFeatures`
 */
export async function readCount(
  context: ServerContext,
  id: number,
  filter: FeatureFilter,
): Promise<FeatureCount> {
  const { database, layer } = await openLayer(context, id)
  return isEmptyFilter(filter)
    ? context.layerCaches.count(database, layer)
    : countFeatures(database, layer, filter)
}

/**
 * Finds the extent of a layer in degrees; the extent of all features is cached.
 *
 * @throws {Problem} as `openLayer` and `findLayerExtent`
 */
export async function readExtent(
  context: ServerContext,
  id: number,
  filter: FeatureFilter,
): Promise<Bbox | undefined> {
  const { database, layer } = await openLayer(context, id)
  return isEmptyFilter(filter)
    ? context.layerCaches.extent(database, layer)
    : findLayerExtent(database, layer, filter)
}
