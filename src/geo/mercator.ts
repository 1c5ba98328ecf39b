import type { Bbox } from './bbox.ts'

/** Radius of the sphere of EPSG:3857, in metres: the equatorial one of WGS 84. */
const radius = 6_378_137

const radiansPerDegree = Math.PI / 180

/** Half the width of the world in EPSG:3857, in metres: π times the equatorial radius. */
export const mercatorHalfWorld = Math.PI * radius

/** Width of the world in EPSG:3857, in metres. */
export const mercatorWorld = 2 * mercatorHalfWorld

/** Maximum latitude of the square world of EPSG:3857, in degrees. */
export const mercatorMaxLatitude = (Math.atan(Math.sinh(Math.PI)) * 180) / Math.PI

/** Converts degrees to EPSG:3857 metres. Latitudes are clamped to the square world. */
export function mercatorOfLonLat(lon: number, lat: number): [x: number, y: number] {
  const clamped = Math.max(-mercatorMaxLatitude, Math.min(mercatorMaxLatitude, lat))
  return unclampedMercatorOfLonLat(lon, clamped)
}

/**
 * Converts degrees to EPSG:3857 metres, without limit: the poles are at ±238,107,693. In the order in which PROJ multiplies, so
 * that a position is equal to the same one that PostGIS has transformed: always its x, and y but for some latitudes.
 */
export function unclampedMercatorOfLonLat(lon: number, lat: number): [x: number, y: number] {
  return [radius * (lon * radiansPerDegree), radius * Math.asinh(Math.tan(lat * radiansPerDegree))]
}

/** Converts EPSG:3857 metres to degrees. */
export function lonLatOfMercator(x: number, y: number): [lon: number, lat: number] {
  return [
    (x / mercatorHalfWorld) * 180,
    (Math.atan(Math.sinh((y / mercatorHalfWorld) * Math.PI)) * 180) / Math.PI,
  ]
}

/** Converts a box from EPSG:3857 to degrees. Its sides remain parallel to the axes, so converting the corners suffices. */
export function lonLatBbox([minX, minY, maxX, maxY]: Bbox): Bbox {
  return [...lonLatOfMercator(minX, minY), ...lonLatOfMercator(maxX, maxY)]
}
