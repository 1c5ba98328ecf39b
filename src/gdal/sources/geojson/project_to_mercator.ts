import { mercatorMaxLatitude, mercatorOfLonLat } from '../../../geo/mercator.ts'
import { geometryAt, positionsAt, type SpoolChunk } from './spool_reader.ts'

/** Names of WGS 84 in longitude and latitude, as GDAL and older standards write them. @see RFC 7946, 4 */
const wgs84Names: ReadonlySet<unknown> = new Set([
  'urn:ogc:def:crs:OGC:1.3:CRS84',
  'urn:ogc:def:crs:OGC::CRS84',
])

/** Tells whether a member `crs` of GeoJSON surely means WGS 84, which is also the default. */
export function isWgs84(crs: unknown): boolean {
  if (crs === undefined) return true
  const { type, properties } = (crs ?? {}) as Readonly<Record<string, unknown>>
  return type === 'name' && wgs84Names.has((properties as { readonly name?: unknown } | undefined)?.name)
}

/**
 * North and south of the square world, PROJ decides whether a position can be projected. East and west of it, positions
 * continue into the next copies of the world.
 */
const limits = { longitude: 540, latitude: mercatorMaxLatitude }

/**
 * Projects the positions of a chunk from degrees to EPSG:3857, in place.
 *
 * @returns false, with the chunk unchanged, if there are positions outside of the limits
 */
export function projectToMercator(piece: SpoolChunk): boolean {
  const { view } = piece
  let isInside = true
  eachPosition(piece, (at) => {
    isInside &&=
      Math.abs(view.getFloat64(at, true)) <= limits.longitude &&
      Math.abs(view.getFloat64(at + 8, true)) <= limits.latitude
  })
  if (!isInside) return false
  eachPosition(piece, (at) => {
    const [x, y] = mercatorOfLonLat(view.getFloat64(at, true), view.getFloat64(at + 8, true))
    view.setFloat64(at, x, true)
    view.setFloat64(at + 8, y, true)
  })
  return true
}

function eachPosition(piece: SpoolChunk, visit: (at: number) => void): void {
  for (const start of piece.starts) {
    const geometry = geometryAt(piece, start)
    if (piece.bytes[geometry] === 0) continue
    const { at, count, hasZ } = positionsAt(piece, geometry)
    const step = hasZ ? 24 : 16
    for (let position = at, end = at + step * count; position < end; position += step) visit(position)
  }
}
