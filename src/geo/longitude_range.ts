/** Western and eastern end in degrees. */
export type LongitudeRange = readonly [west: number, east: number]

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
