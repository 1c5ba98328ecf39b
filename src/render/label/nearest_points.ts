import type { OrientedBox } from './oriented_box.ts'

/** The shortest line from a box to a geometry. */
export interface ShortestLine {
  readonly length: number
  readonly from: readonly [x: number, y: number]
  readonly to: readonly [x: number, y: number]
}

type Position = readonly [x: number, y: number]

/**
 * Finds the shortest line from a box to a line or to a single position, given as x and y of its positions; of length 0 where
 * they meet.
 */
export function findShortest(box: OrientedBox, line: ArrayLike<number>): ShortestLine | undefined {
  const { cos, sin, x, y } = box
  // In the directions of the sides of the box, from its centre.
  const local = (at: number): Position => {
    const [dx, dy] = [(line[at] ?? Number.NaN) - x, (line[at + 1] ?? Number.NaN) - y]
    return [dx * cos + dy * sin, dy * cos - dx * sin]
  }
  let best: ShortestLine | undefined
  let before = local(0)
  for (let at = line.length > 2 ? 2 : 0; at + 1 < line.length; at += 2) {
    const after = local(at)
    const found = shortestToSegment(box, before, after)
    if (found.length < (best?.length ?? Number.POSITIVE_INFINITY)) best = found
    before = after
  }
  const placed = ([u, v]: Position): Position => [x + u * cos - v * sin, y + u * sin + v * cos]
  return best && { length: best.length, from: placed(best.from), to: placed(best.to) }
}

function shortestToSegment({ halfWidth, halfHeight }: OrientedBox, a: Position, b: Position): ShortestLine {
  const inBox = ([x, y]: Position): Position => [clamp(x, halfWidth), clamp(y, halfHeight)]
  const corners: readonly Position[] = [
    [-halfWidth, -halfHeight],
    [halfWidth, -halfHeight],
    [halfWidth, halfHeight],
    [-halfWidth, halfHeight],
  ]
  const candidates = [
    ...[a, b].map((to) => lineBetween(inBox(to), to)),
    ...corners.map((from) => lineBetween(from, nearestOn(a, b, from))),
  ]
  // A segment through the box passes one of its diagonals.
  const crossing = crossingOf(a, b, corners)
  if (crossing !== undefined) return { length: 0, from: crossing, to: crossing }
  return candidates.reduce((best, one) => (one.length < best.length ? one : best))
}

const clamp = (value: number, half: number) => Math.max(-half, Math.min(half, value))

const lineBetween = (from: Position, to: Position): ShortestLine => ({
  length: Math.hypot(to[0] - from[0], to[1] - from[1]),
  ...{ from, to },
})

function nearestOn([ax, ay]: Position, [bx, by]: Position, [x, y]: Position): Position {
  const [dx, dy] = [bx - ax, by - ay]
  const squared = dx * dx + dy * dy
  const part = squared > 0 ? Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / squared)) : 0
  return [ax + part * dx, ay + part * dy]
}

function crossingOf(a: Position, b: Position, corners: readonly Position[]): Position | undefined {
  for (const at of [0, 1]) {
    const found = crossSegments([a, b], [corners[at] ?? a, corners[at + 2] ?? b])
    if (found !== undefined) return found
  }
  return undefined
}

type Segment = readonly [start: Position, end: Position]

function crossSegments([p, q]: Segment, [r, s]: Segment): Position | undefined {
  const [ux, uy, vx, vy] = [q[0] - p[0], q[1] - p[1], s[0] - r[0], s[1] - r[1]]
  const cross = ux * vy - uy * vx
  if (cross === 0) return undefined
  const [wx, wy] = [r[0] - p[0], r[1] - p[1]]
  const [along, across] = [(wx * vy - wy * vx) / cross, (wx * uy - wy * ux) / cross]
  const isInside = along >= 0 && along <= 1 && across >= 0 && across <= 1
  return isInside ? [p[0] + along * ux, p[1] + along * uy] : undefined
}
