import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Dataset, Layer, SpatialReference } from 'gdal-async'
import { once } from '../../core/once.ts'

/**
 * Reads the reference system of a layer; null if it has none.
 *
 * gdal-async finds the objects of reference systems by the address that GDAL has them at, as long as JavaScript keeps them. After a
 * dataset is closed, GDAL gives the address to another reference system, which then is taken for the first one: data were
 * reprojected from a wrong system, or not at all. So the object of the layer is copied, and collected before the dataset
 * can be closed.
 */
export function referenceSystemOf(layer: Layer): SpatialReference | null {
  const known = systems.get(layer)
  if (known !== undefined) return known
  let system = copySystem(layer)
  if (system === undefined) {
    collect()({ type: 'major' })
    system = copySystem(layer)
  }
  if (system === undefined) throw new Error('gdal-async returned the reference system of another dataset')
  if (system !== null) collect()({ type: 'minor' })
  systems.set(layer, system)
  return system
}

const systems = new WeakMap<Layer, SpatialReference | null>()

/** Datasets of the objects that gdal-async has returned. */
const owners = new WeakMap<SpatialReference, Dataset>()

/** Copies the reference system of a layer; undefined if it is that of another dataset. Keeps no reference to the object. */
function copySystem({ srs, ds }: Layer): SpatialReference | null | undefined {
  if (srs === null) return null
  if ((owners.get(srs) ?? ds) !== ds) return undefined
  owners.set(srs, ds)
  return srs.clone()
}

/** The garbage collector of V8. */
const collect = once(() => {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as (options: { readonly type: 'major' | 'minor' }) => void
})
