import type { CheckTarget } from '../../src/store/catalog/check_target.ts'

/** Creates a geoservice to check: tiles counted from the top, unless a test says otherwise. */
export function checkTarget(members: Partial<CheckTarget> & Pick<CheckTarget, 'url'>): CheckTarget {
  return {
    id: 1,
    type: 'tms',
    epsg: null,
    params: null,
    layers: null,
    layer: null,
    z_min: null,
    z_max: null,
    y_origin_top: true,
    position: null,
    ...members,
  }
}
