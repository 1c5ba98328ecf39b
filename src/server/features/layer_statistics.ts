import { perDatabase } from '../../database/per_database.ts'
import type { Bbox } from '../../geo/bbox.ts'
import { type FeatureFilter, isEmptyFilter } from '../../store/feature/feature_filter.ts'
import { countFeatures, type FeatureCount, findLayerExtent } from '../../store/feature/layer_extent.ts'
import { rememberWhole } from '../../store/feature/layer_statistics.ts'
import type { OpenLayer } from './open_layer.ts'

/** What is asked without a filter again and again, though the layer stays as it is. */
const knownOf = perDatabase(() => ({
  count: rememberWhole(countFeatures),
  extent: rememberWhole(findLayerExtent),
}))

/** As `countFeatures`. */
export function countOpen({ database, layer }: OpenLayer, filter: FeatureFilter): Promise<FeatureCount> {
  return isEmptyFilter(filter)
    ? knownOf(database).count(database, layer)
    : countFeatures(database, layer, filter)
}

/** As `findLayerExtent`. */
export function extentOfOpen(
  { database, layer }: OpenLayer,
  filter: FeatureFilter,
): Promise<Bbox | undefined> {
  return isEmptyFilter(filter)
    ? knownOf(database).extent(database, layer)
    : findLayerExtent(database, layer, filter)
}
