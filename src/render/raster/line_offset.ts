import type { StrokeLine } from './stroke.ts'

/** Maximum distance of a corner of the offset line from its vertex, as a multiple of the offset. */
const miterLimit = 2

/**
 * Returns a line moved to the right of its direction (to the left for a negative offset). Corners are extended up to twice
 * the offset. Bends narrower than the offset keep their loops.
 */
export function offsetLine({ coordinates, isClosed }: StrokeLine, offset: number): StrokeLine {
  const line = withoutRepeats(coordinates, isClosed)
  const count = line.length / 2
  if (offset === 0 || !Number.isFinite(offset) || count < 2) return { coordinates: line, isClosed }
  const moved: number[] = []
  for (let at = 0; at < count; at += 1) {
    const before = at > 0 || isClosed ? normalAt(line, (at + count - 1) % count) : undefined
    const after = at < count - 1 || isClosed ? normalAt(line, at) : undefined
    for (const [x, y] of cornerNormals(before, after))
      moved.push((line[2 * at] ?? 0) + x * offset, (line[2 * at + 1] ?? 0) + y * offset)
  }
  return { coordinates: Float64Array.from(moved), isClosed }
}

type Vector = readonly [x: number, y: number]

/** Returns the unit vector to the right of the segment that starts at a position. */
function normalAt(line: Float64Array, at: number): Vector {
  const next = (2 * at + 2) % line.length
  const [dx, dy] = [(line[next] ?? 0) - (line[2 * at] ?? 0), (line[next + 1] ?? 0) - (line[2 * at + 1] ?? 0)]
  const length = Math.hypot(dx, dy) || 1
  return [-dy / length, dx / length]
}

function cornerNormals(before: Vector | undefined, after: Vector | undefined): Vector[] {
  if (before === undefined || after === undefined) return [before ?? after ?? [0, 0]]
  const along = before[0] * after[0] + before[1] * after[1]
  if (2 > miterLimit * miterLimit * (1 + along)) return [before, after]
  return [[(before[0] + after[0]) / (1 + along), (before[1] + after[1]) / (1 + along)]]
}

function withoutRepeats(coordinates: Float64Array, isClosed: boolean): Float64Array {
  const kept: number[] = []
  for (let at = 0; at + 1 < coordinates.length; at += 2) {
    const [x, y] = [coordinates[at] ?? 0, coordinates[at + 1] ?? 0]
    const isRepeat = kept.length > 0 && kept[kept.length - 2] === x && kept[kept.length - 1] === y
    if (!isRepeat && Number.isFinite(x) && Number.isFinite(y)) kept.push(x, y)
  }
  const isLastRepeated = isClosed && kept[0] === kept[kept.length - 2] && kept[1] === kept[kept.length - 1]
  return Float64Array.from(isLastRepeated ? kept.slice(0, -2) : kept)
}
