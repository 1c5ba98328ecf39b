import type { PackedGeometry } from './packed_geometry.ts'

/**
 * Normalizes a geometry for encoding, in place: removes repeated positions and the last position of rings, orients outer rings
 * clockwise and holes counterclockwise on the screen, and drops collapsed lines and rings.
 */
export function tidyGeometry(geometry: PackedGeometry): PackedGeometry {
  if (geometry.family === 'POINT') tidyPoints(geometry)
  else if (geometry.family === 'LINESTRING') tidyLines(geometry)
  else tidyPolygons(geometry)
  return geometry
}

/**
 * Returns twice the signed area of a ring, first position not repeated; positive is clockwise on the screen. Computed from the
 * first position on, so that it is exact for the large numbers of positions in the world.
 */
export function doubleArea(coordinates: ArrayLike<number>, start = 0, end = coordinates.length): number {
  const startX = coordinates[start] ?? 0
  const startY = coordinates[start + 1] ?? 0
  let [sum, x, y] = [0, 0, 0]
  for (let at = start + 2; at < end; at += 2) {
    const nextX = (coordinates[at] ?? 0) - startX
    const nextY = (coordinates[at + 1] ?? 0) - startY
    sum += x * nextY - nextX * y
    x = nextX
    y = nextY
  }
  return sum
}

function tidyPoints(geometry: PackedGeometry): void {
  const { coordinates, count } = geometry
  if (count < 2) return
  const seen = new Set<string>()
  geometry.reset('POINT')
  for (let at = 0; at < 2 * count; at += 2) {
    const [x, y] = [coordinates[at] ?? 0, coordinates[at + 1] ?? 0]
    const key = `${x},${y}`
    if (seen.has(key)) continue
    seen.add(key)
    coordinates[geometry.length] = x
    coordinates[geometry.length + 1] = y
    geometry.length += 2
    geometry.endSequence(true)
  }
}

// Sequences become shorter, so that each is moved towards the start, never over the next one.
function tidyLines(geometry: PackedGeometry): void {
  const { ends, count } = geometry
  geometry.reset('LINESTRING')
  for (let line = 0, start = 0; line < count; line += 1) {
    const end = ends[line] ?? 0
    const before = geometry.length
    addDistinct(geometry, start, end)
    if (geometry.length - before >= 4) geometry.endSequence(true)
    else geometry.length = before
    start = end
  }
}

function tidyPolygons(geometry: PackedGeometry): void {
  const { ends, firsts, count } = geometry
  let isDropped = false
  geometry.reset('POLYGON')
  for (let ring = 0, start = 0; ring < count; ring += 1) {
    const end = ends[ring] ?? 0
    const isOuter = firsts[ring] === 1
    // Without its outer ring nothing is left of a polygon.
    if (isOuter || !isDropped) {
      const isLeft = addRing(geometry, { start, end, isOuter })
      if (isOuter) isDropped = !isLeft
      if (isLeft) geometry.endSequence(isOuter)
    }
    start = end
  }
}

interface Ring {
  readonly start: number
  readonly end: number
  readonly isOuter: boolean
}

/** Adds a ring with an area of the sign of an outer or inner one, first position not repeated; returns false if it has no area. */
function addRing(geometry: PackedGeometry, { start, end, isOuter }: Ring): boolean {
  const before = geometry.length
  addDistinct(geometry, start, endOfRing(geometry.coordinates, start, end))
  const isRing = geometry.length - before >= 6
  const area = isRing ? doubleArea(geometry.coordinates, before, geometry.length) : 0
  if (area === 0) geometry.length = before
  else if (area > 0 !== isOuter) reverse(geometry.coordinates, before, geometry.length)
  return area !== 0
}

function reverse(coordinates: Float64Array, start: number, end: number): void {
  for (let low = start, high = end - 2; low < high; low += 2, high -= 2) {
    const x = coordinates[low] ?? 0
    const y = coordinates[low + 1] ?? 0
    coordinates[low] = coordinates[high] ?? 0
    coordinates[low + 1] = coordinates[high + 1] ?? 0
    coordinates[high] = x
    coordinates[high + 1] = y
  }
}

/** Adds the coordinates of a sequence without repeated positions. */
function addDistinct(geometry: PackedGeometry, start: number, end: number): void {
  const { coordinates } = geometry
  let kept = geometry.length
  let [lastX, lastY] = [Number.NaN, Number.NaN]
  for (let at = start; at < end; at += 2) {
    const x = coordinates[at] ?? 0
    const y = coordinates[at + 1] ?? 0
    if (x === lastX && y === lastY) continue
    coordinates[kept] = x
    coordinates[kept + 1] = y
    kept += 2
    lastX = x
    lastY = y
  }
  geometry.length = kept
}

/** Returns where a ring ends without its last position, which may occur several times in a row. */
function endOfRing(coordinates: Float64Array, start: number, end: number): number {
  const [x, y] = [coordinates[start], coordinates[start + 1]]
  let last = end
  while (last > start + 2 && coordinates[last - 2] === x && coordinates[last - 1] === y) last -= 2
  return last
}
