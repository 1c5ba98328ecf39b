import { wrapToWorld } from './antimeridian.ts'
import { type Bbox, emptyBbox, extendBbox } from './bbox.ts'
import { type Geometry, positionSize } from './geometry.ts'
import { findWorld, maxCopies } from './world.ts'

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

/** Moves an x coordinate in a copy of the world that maps show onto the map, as `onMap` does. */
export function xOnMap(x: number, srs: number): number {
  const width = findWorld(srs)?.width
  if (width === undefined || Math.abs(x) <= width / 2) return x
  const copy = Math.round(x / width)
  return Math.abs(copy) > maxCopies ? x : x - copy * width
}

/** Moves a box whose middle lies in a copy of the world that maps show by whole worlds, so that it lies in the world itself. */
export function boxOnMap([west, south, east, north]: Bbox, srs: number): Bbox {
  const middle = (west + east) / 2
  const shift = xOnMap(middle, srs) - middle
  return [west + shift, south, east + shift, north]
}

/** Moves a geometry as `boxOnMap` does, and then onto the map. */
export function placeOnMap(geometry: Geometry, srs: number): Geometry {
  const box = boundsOf(geometry)
  const shift = boxOnMap(box, srs)[0] - box[0]
  const size = positionSize(geometry.hasZ)
  const move = (value: number, at: number) => (at % size === 0 ? value + shift : value)
  const moved =
    shift === 0
      ? geometry
      : { ...geometry, parts: geometry.parts.map((part) => part.map((sequence) => sequence.map(move))) }
  return onMap(moved, srs)
}

/** Returns the box of a geometry. */
export function boundsOf({ parts, hasZ }: Geometry): Bbox {
  const box = emptyBbox()
  const size = positionSize(hasZ)
  for (const sequence of parts.flat())
    for (let at = 0; at < sequence.length; at += size)
      extendBbox(box, sequence[at] ?? 0, sequence[at + 1] ?? 0)
  return box
}
