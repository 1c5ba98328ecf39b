import { wrapToWorld } from './antimeridian.ts'
import type { Geometry } from './geometry.ts'
import { findWorld } from './world.ts'

/**
 * Moves a geometry onto the map that continues beyond the antimeridian, so that transforming it cannot turn it inside out.
 * Geometries in regional reference systems are returned unchanged.
 *
 * @param srs EPSG code
 */
export function onMap(geometry: Geometry, srs: number): Geometry {
  const world = findWorld(srs)
  return world === undefined ? geometry : wrapToWorld(geometry, world)
}

/** Moves an x coordinate that continues beyond the antimeridian onto the map, as `onMap` does. */
export function xOnMap(x: number, srs: number): number {
  const width = findWorld(srs)?.width
  if (width === undefined || Math.abs(x) <= width / 2 || Math.abs(x) > 1.5 * width) return x
  return x - Math.sign(x) * width
}
