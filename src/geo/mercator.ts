import type { Bbox } from './bbox.ts'

/** Half the width of the world in EPSG:3857, in metres: π times the equatorial radius. */
export const mercatorHalfWorld = Math.PI * 6_378_137

/** Width of the world in EPSG:3857, in metres. */
export const mercatorWorld = 2 * mercatorHalfWorld

/** Maximum latitude of the square world of EPSG:3857, in degrees. */
export const mercatorMaxLatitude = (Math.atan(Math.sinh(Math.PI)) * 180) / Math.PI

/** Converts degrees to EPSG:3857 metres. Latitudes are clamped to the square world. */
export function mercatorOfLonLat(lon: number, lat: number): [x: number, y: number] {
  const clamped = Math.max(-mercatorMaxLatitude, Math.min(mercatorMaxLatitude, lat))
  return unclampedMercatorOfLonLat(lon, clamped)
}

/** Converts degrees to EPSG:3857 metres, without limit: the poles are at ±238,107,693. */
export function unclampedMercatorOfLonLat(lon: number, lat: number): [x: number, y: number] {
  return [
    (lon * mercatorHalfWorld) / 180,
    (Math.asinh(Math.tan((lat * Math.PI) / 180)) / Math.PI) * mercatorHalfWorld,
  ]
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
