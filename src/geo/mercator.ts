import type { Bbox } from './bbox.ts'

/** Half the width of the world in EPSG:3857, in metres: π times the equatorial radius. */
export const mercatorHalfWorld = Math.PI * 6_378_137

/** Width of the world in EPSG:3857, in metres. */
export const mercatorWorld = 2 * mercatorHalfWorld

/** Latitude where the square world of EPSG:3857 ends, in degrees. */
export const mercatorMaxLatitude = (Math.atan(Math.sinh(Math.PI)) * 180) / Math.PI

/** Returns EPSG:3857 metres of degrees. Poles are cut off where the square world ends. */
export function mercatorOfLonLat(lon: number, lat: number): [x: number, y: number] {
  const cut = Math.max(-mercatorMaxLatitude, Math.min(mercatorMaxLatitude, lat))
  return farMercatorOfLonLat(lon, cut)
}

/** Returns EPSG:3857 metres of degrees, however far beyond the square world: poles come to ±238,107,693. */
export function farMercatorOfLonLat(lon: number, lat: number): [x: number, y: number] {
  return [
    (lon * mercatorHalfWorld) / 180,
    (Math.asinh(Math.tan((lat * Math.PI) / 180)) / Math.PI) * mercatorHalfWorld,
  ]
}

/** Returns degrees of EPSG:3857 metres. */
export function lonLatOfMercator(x: number, y: number): [lon: number, lat: number] {
  return [
    (x / mercatorHalfWorld) * 180,
    (Math.atan(Math.sinh((y / mercatorHalfWorld) * Math.PI)) * 180) / Math.PI,
  ]
}

/** Returns a box of EPSG:3857 in degrees. Its sides stay parallel to the axes, so that the corners tell all. */
export function lonLatBbox([minX, minY, maxX, maxY]: Bbox): Bbox {
  return [...lonLatOfMercator(minX, minY), ...lonLatOfMercator(maxX, maxY)]
}
