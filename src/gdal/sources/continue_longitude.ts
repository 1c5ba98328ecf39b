import type { SpatialReference } from 'gdal-async'
import { mercatorWorld } from '../../geo/mercator.ts'
import { findWorld } from '../../geo/world.ts'
import type { GdalModule } from '../runner/gdal_module.ts'

/** Gives a reprojected x the copy of the world that the x of the source lies in. */
export type ContinueLongitude = (x: number, sourceX: number) => number

/** Target of a reprojection. */
export interface ContinuedTarget {
  readonly from: SpatialReference
  /** EPSG code. */
  readonly srs: number
}

/**
 * PROJ wraps all longitudes to the range from -180 to 180, which turns a polygon from 170 to 190 inside out. Creates a function
 * that continues them beyond it, however far, so that wrong ones are found; undefined if one of the reference systems does not
 * cover the world.
 */
export function findContinuation(
  gdal: GdalModule,
  { from, srs }: ContinuedTarget,
): ContinueLongitude | undefined {
  const world = findWorld(srs)
  const turn = turnOf(gdal, from)
  if (world === undefined || turn === undefined) return undefined
  return (x, sourceX) => {
    const copies = Math.round(sourceX / turn - x / world.width)
    return copies === 0 ? x : x + copies * world.width
  }
}

/** Returns by how much the x of a reference system grows around the world. */
export function turnOf(gdal: GdalModule, from: SpatialReference): number | undefined {
  if (from.isGeographic()) return 360
  return from.isSame(gdal.SpatialReference.fromEPSG(3857)) ? mercatorWorld : undefined
}
