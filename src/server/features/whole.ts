import type { Database } from '../../database/database.ts'
import type { Bbox } from '../../geo/bbox.ts'
import { countFeatures, type FeatureCount, findLayerExtent } from '../../store/feature/extent.ts'
import { type FeatureFilter, isEmptyFilter } from '../../store/feature/filter.ts'
import { type Look, rememberWhole } from '../../store/feature/whole.ts'
import type { OpenLayer } from './layer.ts'

interface Known {
  readonly count: Look<FeatureCount>
  readonly extent: Look<Bbox | undefined>
}

const databases = new WeakMap<Database, Known>()

/** What is asked without a filter again and again, though the layer stays as it is. */
function knownOf(database: Database): Known {
  const known = databases.get(database) ?? {
    count: rememberWhole((...layer) => countFeatures(...layer)),
    extent: rememberWhole((...layer) => findLayerExtent(...layer)),
  }
  databases.set(database, known)
  return known
}

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
