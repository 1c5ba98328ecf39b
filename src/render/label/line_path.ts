/** A line that is followed by distance. */
export interface LinePath {
  readonly length: number
  readonly isClosed: boolean
  /** Returns the position in a distance from the start; a line that is not closed goes on straight beyond its ends. */
  readonly pointAt: (distance: number) => readonly [x: number, y: number]
}

/** Prepares a line, given by x and y of its positions; undefined if it has no length. */
export function createPath(coordinates: ArrayLike<number>, isClosed = false): LinePath | undefined {
  const { points, distances } = measureLine(coordinates)
  const length = distances.at(-1) ?? 0
  if (!(length > 0) || !Number.isFinite(length)) return undefined
  const pointAt = (distance: number): readonly [number, number] => {
    const along = isClosed ? distance - length * Math.floor(distance / length) : distance
    const at = segmentAt(distances, along)
    const [start = 0, end = 0] = [distances[at], distances[at + 1]]
    const part = (along - start) / (end - start)
    const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = points.slice(2 * at, 2 * at + 4)
    return [x0 + part * (x1 - x0), y0 + part * (y1 - y0)]
  }
  return { length, isClosed, pointAt }
}

/** Positions without repeats, and the distance of each from the start. */
function measureLine(coordinates: ArrayLike<number>): { points: number[]; distances: number[] } {
  const points: number[] = []
  const distances: number[] = []
  let distance = 0
  for (let at = 0; at < coordinates.length; at += 2) {
    const [x = 0, y = 0] = [coordinates[at], coordinates[at + 1]]
    const step = distances.length === 0 ? 0 : Math.hypot(x - (points.at(-2) ?? 0), y - (points.at(-1) ?? 0))
    if (distances.length > 0 && !(step > 0)) continue
    distance += step
    points.push(x, y)
    distances.push(distance)
  }
  return { points, distances }
}

/** Returns the segment that a distance lies on; the first or last one for distances beyond the ends. */
function segmentAt(distances: readonly number[], distance: number): number {
  let [low, high] = [0, distances.length - 2]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((distances[middle] ?? 0) <= distance) low = middle
    else high = middle - 1
  }
  return low
}
