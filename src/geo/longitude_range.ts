/** Western and eastern end in degrees. */
export type LongitudeRange = readonly [west: number, east: number]

/** Returns the parts between -180° and 180° of a range that may cross the antimeridian, or continue beyond it. */
export function longitudeParts(west: number, east: number): readonly LongitudeRange[] {
  if (east - west >= 360) return [[-180, 180]]
  const [from, to] = [wrapLongitude(west), wrapLongitude(east)]
  return from <= to
    ? [[from, to]]
    : [
        [from, 180],
        [-180, to],
      ]
}

function wrapLongitude(degrees: number): number {
  return Math.abs(degrees) <= 180 ? degrees : degrees - 360 * Math.round(degrees / 360)
}

/**
 * Returns the shortest range that contains longitudes from -180° to 180°. Its east is greater than 180° if it crosses the
 * antimeridian, as that of polygons divided there.
 */
export function longitudeRange(parts: readonly LongitudeRange[]): LongitudeRange {
  const sorted = parts.toSorted(([one], [other]) => one - other)
  let reach = sorted[0]?.[1] ?? 180
  let range: LongitudeRange = [sorted[0]?.[0] ?? -180, Math.max(reach, ...sorted.map(([, east]) => east))]
  let widest = range[0] + 360 - range[1]
  for (const [west, east] of sorted) {
    if (west - reach > widest) {
      widest = west - reach
      range = [west, reach + 360]
    }
    reach = Math.max(reach, east)
  }
  return range
}
