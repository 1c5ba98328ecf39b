import type { Part, Sequence } from './geometry.ts'

/** Semi-major axis in metres and eccentricity of WGS 84. */
const semiMajorAxis = 6_378_137
const eccentricity = Math.sqrt(0.006_694_379_990_14)

/**
 * Returns the area of polygons in degrees, in square metres of the ellipsoid. Edges are straight in the equal-area
 * cylindrical projection, so that those of boxes follow parallels and meridians.
 *
 * @see Snyder, Map Projections: A Working Manual (1987), equation 3-12
 */
export function ellipsoidArea(parts: readonly Part[]): number {
  const areas = parts.map(([outer = [], ...holes]) => {
    const removed = holes.reduce((sum, hole) => sum + ringArea(hole), 0)
    return ringArea(outer) - removed
  })
  return areas.reduce((sum, area) => sum + area, 0)
}

function ringArea(ring: Sequence): number {
  let sum = 0
  for (let at = 2; at < ring.length; at += 2) {
    const [lon = 0, lat = 0, nextLon = 0, nextLat = 0] = ring.slice(at - 2, at + 2)
    sum += (radians(nextLon - lon) * (authalic(lat) + authalic(nextLat))) / 2
  }
  return (semiMajorAxis ** 2 / 2) * Math.abs(sum)
}

const radians = (degrees: number) => (degrees * Math.PI) / 180

/** The quantity q of Snyder, which is proportional to the area south of a latitude. */
function authalic(lat: number): number {
  const sine = Math.sin(radians(lat))
  const product = eccentricity * sine
  const logarithm = Math.log((1 - product) / (1 + product)) / (2 * eccentricity)
  return (1 - eccentricity ** 2) * (sine / (1 - product ** 2) - logarithm)
}
