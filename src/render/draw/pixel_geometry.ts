import type { GeometryFamily } from '../../contract/geometry.ts'
import type { Rings } from '../../style/symbol_layer.ts'
import type { CoverageBuffer } from '../raster/coverage.ts'
import type { StrokeLine } from '../raster/stroke.ts'
import { pointOnSurface } from './point_on_surface.ts'

/** A geometry in pixels of an image; y grows downwards. */
export interface PixelGeometry {
  readonly family: GeometryFamily
  /** Parts of the geometry: a point, a line, or the rings of a polygon, the outer first; x and y of their positions. */
  readonly parts: readonly (readonly Float64Array[])[]
}

/** Adds all rings of a polygon to a path, which is filled by the even-odd rule. */
export function addRings({ parts }: PixelGeometry, coverage: CoverageBuffer): void {
  for (const part of parts) for (const ring of part) coverage.addContour(ring)
}

/** Lists the lines of a geometry, or the rings of a polygon: all, the outer ones or the holes. */
export function linesOf({ family, parts }: PixelGeometry, rings: Rings = 'all'): StrokeLine[] {
  const isClosed = family === 'POLYGON'
  return parts.flatMap((part) =>
    part.flatMap((coordinates, at) => {
      const isShown = !isClosed || rings === 'all' || (at === 0) === (rings === 'exterior')
      return isShown ? [{ coordinates, isClosed }] : []
    }),
  )
}

/** Which centroids of a geometry are used. */
export interface CentroidOptions {
  /** Whether each part has one, not only the largest part. */
  readonly isOnAllParts: boolean
  /** Whether a centroid outside of its polygon is moved inside. */
  readonly isOnSurface?: boolean
}

/** Centroids of the outer rings of polygons, middle positions of lines, or points. */
export function centroidsOf(
  { family, parts }: PixelGeometry,
  { isOnAllParts, isOnSurface = false }: CentroidOptions,
): [number, number][] {
  const found = parts.flatMap((part) => {
    const [outer] = part
    if (outer === undefined || outer.length < 2) return []
    if (family !== 'POLYGON') return [middleOf(outer)]
    const centre = polygonCentroid(outer)
    const inner = isOnSurface ? pointOnSurface(part, [centre.x, centre.y]) : undefined
    return [inner === undefined ? centre : { ...centre, x: inner[0], y: inner[1] }]
  })
  if (isOnAllParts) return found.map(({ x, y }) => [x, y])
  const [first, ...others] = found
  if (first === undefined) return []
  const { x, y } = others.reduce((best, next) => (next.size > best.size ? next : best), first)
  return [[x, y]]
}

interface Centre {
  readonly x: number
  readonly y: number
  /** Area, or number of positions. */
  readonly size: number
}

function polygonCentroid(ring: Float64Array): Centre {
  // Relative to the first position, since products of large numbers lose digits.
  const [x0, y0] = [ring[0] ?? 0, ring[1] ?? 0]
  let [area, sumX, sumY] = [0, 0, 0]
  for (let at = 0; at < ring.length; at += 2) {
    const next = (at + 2) % ring.length
    const [ax, ay] = [(ring[at] ?? 0) - x0, (ring[at + 1] ?? 0) - y0]
    const [bx, by] = [(ring[next] ?? 0) - x0, (ring[next + 1] ?? 0) - y0]
    const cross = ax * by - bx * ay
    area += cross
    sumX += (ax + bx) * cross
    sumY += (ay + by) * cross
  }
  if (area === 0) return middleOf(ring)
  return { x: x0 + sumX / (3 * area), y: y0 + sumY / (3 * area), size: Math.abs(area) }
}

function middleOf(line: Float64Array): Centre {
  const middle = 2 * Math.floor(line.length / 4)
  return { x: line[middle] ?? 0, y: line[middle + 1] ?? 0, size: 0 }
}
