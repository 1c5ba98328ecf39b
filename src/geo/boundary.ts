import { catalogLimits } from '../contract/catalog/catalog.ts'
import { problem } from '../contract/problems.ts'
import { isObject } from '../core/is_object.ts'
import { isProblem } from '../core/problem.ts'
import type { Bbox } from './bbox.ts'
import { parseGeojsonGeometry } from './geojson.ts'
import { type Geometry, positionSize } from './geometry.ts'
import { onMap } from './on_map.ts'
import { formatWkt } from './wkt.ts'
import { parseWkt } from './wkt_reader.ts'
import { coordinateLimits } from './world.ts'

/** Boundary of a geoservice. */
export interface Boundary {
  /** Multipolygon as Well-Known Text. */
  readonly wkt: string
  /** EPSG code. */
  readonly srs: number
}

/**
 * Parses the boundary of a geoservice: a polygon or a multipolygon as WKT in EPSG:4326, as EWKT in any reference system,
 * or as GeoJSON, of which the polygons of all features are taken.
 *
 * @throws {Problem} feature/invalid
 */
export function parseBoundary(text: string): Boundary {
  if (isJson(text)) return boundaryOf(parseGeojsonArea(text))
  const { geometry, srs } = parseWkt(text)
  return boundaryOf(geometry, srs)
}

/** Returns a boundary as WKT if it is GeoJSON, else as it is. */
export function boundaryText(text: string): string {
  if (!isJson(text)) return text
  const geometry = parseGeojsonArea(text)
  return formatWkt(geometry.parts.length === 1 ? { ...geometry, isMulti: false } : geometry)
}

const isJson = (text: string) => /^\s*\{/.test(text)

function parseGeojsonArea(text: string): Geometry {
  const parts = listGeometries(parseJson(text)).flatMap((value) => {
    const geometry = parseGeojsonGeometry(value)
    boundaryOf(geometry)
    return geometry.parts
  })
  return { family: 'POLYGON', isMulti: true, hasZ: false, parts }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw problem('feature/invalid', `invalid GeoJSON: ${(error as Error).message}`)
  }
}

/** Lists the geometries of a GeoJSON object. @see RFC 7946 clause 3 */
function listGeometries(value: unknown): unknown[] {
  if (!isObject(value)) return [value]
  if (value.type === 'Feature') return [value.geometry]
  if (value.type !== 'FeatureCollection' || !Array.isArray(value.features)) return [value]
  return value.features.map((feature) => (isObject(feature) ? feature.geometry : feature))
}

/**
 * Checks that a geometry is a boundary.
 *
 * @throws {Problem} feature/invalid
 */
export function boundaryOf(geometry: Geometry, srs = 4326): Boundary {
  const { family, hasZ, parts } = geometry
  if (family !== 'POLYGON' || hasZ || parts.length === 0)
    throw problem(
      'feature/invalid',
      'a boundary is a POLYGON or a MULTIPOLYGON with two coordinates a position',
    )
  const coordinates = parts.flat().reduce((sum, ring) => sum + ring.length, 0)
  const positions = coordinates / positionSize(hasZ)
  if (positions > catalogLimits.boundaryPositions)
    throw problem(
      'feature/invalid',
      `a boundary has at most ${catalogLimits.boundaryPositions} positions, this one has ${positions}`,
    )
  const [, , maxX, maxY] = coordinateLimits(srs)
  const numbers = parts.flat(2)
  const at = numbers.findIndex((number, index) => Math.abs(number) > (index % 2 === 0 ? maxX : maxY))
  if (at >= 0)
    throw problem(
      'feature/invalid',
      `${numbers[at]} is not a valid ${at % 2 === 0 ? 'x' : 'y'} in EPSG:${srs}`,
      {
        hint: 'Write x before y, which is longitude before latitude in EPSG:4326.',
      },
    )
  return { wkt: formatWkt({ ...onMap(geometry, srs), isMulti: true }), srs }
}

/**
 * Returns the canonical form of a boundary, EWKT of a multipolygon: equal for equal coordinates, whatever the spelling.
 * Returns text that is not a boundary unchanged.
 */
export function canonicalBoundary(text: string): string {
  try {
    const { wkt, srs } = parseBoundary(text)
    return `SRID=${srs};${wkt}`
  } catch (error) {
    if (isProblem(error)) return text
    throw error
  }
}

/** Formats a box in EPSG:4326 as WKT. A box whose west is greater than its east crosses the antimeridian. */
export function formatBox([west, south, east, north]: Bbox): string {
  if (west <= east) return formatWkt(polygonsOf([west, south, east, north]))
  return formatWkt(polygonsOf([west, south, 180, north], [-180, south, east, north]))
}

function polygonsOf(...boxes: readonly Bbox[]): Geometry {
  const parts = boxes.map(([west, south, east, north]) => [
    [west, south, east, south, east, north, west, north, west, south],
  ])
  return { family: 'POLYGON', isMulti: parts.length > 1, hasZ: false, parts }
}
