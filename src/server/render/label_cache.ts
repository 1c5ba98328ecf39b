import type { PlacedLabel } from '../../render/label/placed_label.ts'
import { type CurrentCache, createCurrentCache } from '../map/current_cache.ts'

/** Labels of a metatile. */
export type MetatileLabels = readonly PlacedLabel[]

/** Maximum size of all labels, and size of a label. */
const bytes = { all: 64 * 2 ** 20, label: 500 }

/** Creates an empty cache of the labels of metatiles. */
export function createLabelCache(): CurrentCache<MetatileLabels> {
  return createCurrentCache({ bytes: bytes.all, sizeOf: (labels) => labels.length * bytes.label })
}
