import type { Extent } from 'ol/extent'
import { extend, getArea, getCenter, getWidth } from 'ol/extent'
import WKT from 'ol/format/WKT'
import LineString from 'ol/geom/LineString'
import MultiLineString from 'ol/geom/MultiLineString'
import MultiPolygon from 'ol/geom/MultiPolygon'
import type Polygon from 'ol/geom/Polygon'
import { type Projection, transformExtent } from 'ol/proj'
import { longitudeRange } from '../../geo/longitude_range.ts'
import { mercatorMaxLatitude } from '../../geo/mercator.ts'
import { outlineOf, type Position } from './boundary_outline.ts'

/** Boundary of a service in the projection of the preview. */
export interface PreviewBoundary {
  /** Parts beyond the antimeridian follow those before it: their x is that of the next world. */
  readonly outline: MultiLineString
  readonly largest: Polygon
  readonly extent: Extent
}

/** Returns the world of a projection; of Mercator, the square. */
export function worldOf(projection: Projection): Extent {
  return transformExtent([-180, -mercatorMaxLatitude, 180, mercatorMaxLatitude], 'EPSG:4326', projection)
}

/** Parses a boundary, EWKT of a multipolygon in EPSG:4326; undefined if it has no area that can be drawn. */
export function readBoundary(ewkt: string, projection: Projection): PreviewBoundary | undefined {
  const degrees = new WKT().readGeometry(ewkt.replace(/^SRID=4326;/, ''))
  if (!(degrees instanceof MultiPolygon)) return undefined
  const parts = degrees.getPolygons()
  const [start] = longitudeRange(parts.map((part) => westEast(part.getExtent())))
  const worldWidth = getWidth(worldOf(projection))
  const outlines = outlineOf(parts.map(positionsOf))
  const lines = outlines.map((list) =>
    list.map((line) => new LineString(line.map((position) => [...position]))),
  )
  for (const [at, part] of parts.entries()) {
    const isBeyond = westEast(part.getExtent())[0] < start
    for (const geometry of [part, ...(lines[at] ?? [])]) {
      geometry.transform('EPSG:4326', projection)
      if (isBeyond) geometry.translate(worldWidth, 0)
    }
  }
  const [largest, ...others] = parts.toSorted((one, other) => areaOf(other) - areaOf(one))
  if (largest === undefined) return undefined
  const extent = others.reduce((sum, part) => extend(sum, part.getExtent()), [...largest.getExtent()])
  return extent.every(Number.isFinite)
    ? { outline: new MultiLineString(lines.flat()), largest, extent }
    : undefined
}

const positionsOf = (part: Polygon): Position[][] =>
  part.getCoordinates().map((ring) => ring.map(([lon = 0, lat = 0]) => [lon, lat]))

const westEast = ([west = 0, , east = 0]: Extent) => [west, east] as const

const areaOf = (part: Polygon) => getArea(part.getExtent())

/** Returns the world, moved so that the center of the boundary is in its middle if that is beyond the antimeridian. */
export function worldAround(projection: Projection, boundary: PreviewBoundary | undefined): Extent {
  const world = worldOf(projection)
  const [minX = 0, minY = 0, maxX = 0, maxY = 0] = world
  if (boundary === undefined || (boundary.extent[2] ?? 0) <= maxX) return world
  const [x = 0] = getCenter(boundary.extent)
  return [x + minX, minY, x + maxX, maxY]
}
