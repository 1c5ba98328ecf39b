import { trimOffset } from './offset_trim.ts'
import type { StrokeLine } from './stroke.ts'

/** Maximum distance of a corner of the offset line from its vertex, as a multiple of the offset. */
const miterLimit = 2

/**
 * Returns a line moved to the right of its direction (to the left for a negative offset), without loops: several lines where
 * a bend is narrower than the offset. Corners are extended up to twice the offset, and cut there, as QGIS does.
 *
 * @throws what `addWork` throws
 */
export function offsetLine(
  { coordinates, isClosed }: StrokeLine,
  offset: number,
  addWork: (work: number) => void = () => undefined,
): StrokeLine[] {
  const line = withoutRepeats(coordinates, isClosed)
  const count = line.length / 2
  if (offset === 0 || !Number.isFinite(offset) || count < 2) return [{ coordinates: line, isClosed }]
  const moved: number[] = []
  for (let at = 0; at < count; at += 1) {
    const before = at > 0 || isClosed ? normalAt(line, (at + count - 1) % count) : undefined
    const after = at < count - 1 || isClosed ? normalAt(line, at) : undefined
    for (const [x, y] of cornerNormals(before, after, Math.sign(offset)))
      moved.push((line[2 * at] ?? 0) + x * offset, (line[2 * at + 1] ?? 0) + y * offset)
  }
  return trimOffset(
    { coordinates: Float64Array.from(moved), isClosed },
    { coordinates: line, isClosed },
    { offset, addWork },
  )
}

type Vector = readonly [x: number, y: number]

/** Returns the unit vector to the right of the segment that starts at a position. */
function normalAt(line: Float64Array, at: number): Vector {
  const next = (2 * at + 2) % line.length
  const [dx, dy] = [(line[next] ?? 0) - (line[2 * at] ?? 0), (line[next + 1] ?? 0) - (line[2 * at + 1] ?? 0)]
  const length = Math.hypot(dx, dy) || 1
  return [-dy / length, dx / length]
}

/** Positions of the offset line at a vertex, in multiples of the offset. */
function cornerNormals(before: Vector | undefined, after: Vector | undefined, side: number): Vector[] {
  if (before === undefined || after === undefined) return [before ?? after ?? [0, 0]]
  const along = before[0] * after[0] + before[1] * after[1]
  if (2 <= miterLimit * miterLimit * (1 + along))
    return [[(before[0] + after[0]) / (1 + along), (before[1] + after[1]) / (1 + along)]]
  const turn = (before[0] * after[1] - before[1] * after[0]) * side
  return turn > 0 ? [before, after] : cutCorner(before, after)
}

/** Extends both sides of a corner until the cut between them, at right angles to the corner. */
function cutCorner(before: Vector, after: Vector): Vector[] {
  const sum = Math.hypot(before[0] + after[0], before[1] + after[1])
  // A line that turns back has no direction between its sides.
  const middle: Vector =
    sum < 1e-6 ? [before[1], -before[0]] : [(before[0] + after[0]) / sum, (before[1] + after[1]) / sum]
  const along = middle[0] * before[0] + middle[1] * before[1]
  const side = Math.sqrt(Math.max(0, 1 - along * along))
  const reach = side < 1e-6 ? 0 : (miterLimit - along) / side
  const turn = Math.sign(before[0] * middle[1] - before[1] * middle[0]) || 1
  return [
    [before[0] - before[1] * reach * turn, before[1] + before[0] * reach * turn],
    [after[0] + after[1] * reach * turn, after[1] - after[0] * reach * turn],
  ]
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
