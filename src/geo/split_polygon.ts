/** x, y and, if present, z. */
export type Position = readonly [x: number, y: number, ...z: number[]]

/** A line, or a closed ring. */
export type PositionList = readonly Position[]

/** The rings of a polygon, the outer first. */
export type Rings = readonly PositionList[]

/** The parts of a geometry on both sides of a meridian. */
export interface Sides<T> {
  readonly west: readonly T[]
  readonly east: readonly T[]
}

/** The course of a ring on one side of a meridian, from a position on the meridian to another. */
interface Path {
  readonly positions: PositionList
  /** Paths that start and end at the same y are next to each other on the meridian. */
  readonly ends: readonly [start: number, end: number]
}

/**
 * Splits a polygon at a meridian. The parts of a valid polygon are valid: its area is inside between the first and the
 * second position on the meridian, the third and the fourth, and so on.
 */
export function splitPolygon(rings: Rings, meridian: number): Sides<Rings> {
  return {
    west: polygonsOf(rings, { meridian, holds: (x) => x < meridian }),
    east: polygonsOf(rings, { meridian, holds: (x) => x >= meridian }),
  }
}

interface Side {
  readonly meridian: number
  readonly holds: (x: number) => boolean
}

function polygonsOf(rings: Rings, side: Side): Rings[] {
  const whole: PositionList[] = []
  const paths: Path[] = []
  const holes: PositionList[] = []
  for (const [at, ring] of rings.entries()) {
    const inside = ring.filter(([x]) => side.holds(x)).length
    if (inside === ring.length) (at === 0 ? whole : holes).push(ring)
    else if (inside > 0) paths.push(...pathsOf(ring, side))
  }
  const outers = [...whole, ...joinPaths(paths).filter(hasArea)]
  const outerOf = (hole: PositionList) =>
    outers.length === 1
      ? outers[0]
      : outers.toSorted((a, b) => countInside(b, hole) - countInside(a, hole))[0]
  const places = Map.groupBy(holes, outerOf)
  return outers.map((outer) => [outer, ...(places.get(outer) ?? [])])
}

/** Returns the courses of a ring on one side. Positions on the meridian itself are those of the eastern side. */
function pathsOf(ring: PositionList, { meridian, holds }: Side): Path[] {
  const open = ring.slice(0, -1)
  const first = open.findIndex(([x], at) => holds(x) && !holds(open.at(at - 1)?.[0] ?? x))
  const turned = [...open.slice(first), ...open.slice(0, first)]
  const paths: Path[] = []
  let current: Position[] = []
  for (const [at, position] of turned.entries()) {
    const [before, after] = [turned.at(at - 1), turned[(at + 1) % turned.length]]
    if (before === undefined || after === undefined || !holds(position[0])) continue
    if (!holds(before[0])) current = [crossing(before, position, meridian)]
    current.push(position)
    if (holds(after[0])) continue
    current.push(crossing(position, after, meridian))
    paths.push({ positions: current.filter(isNew), ends: [current[0]?.[1] ?? 0, current.at(-1)?.[1] ?? 0] })
  }
  return paths
}

/** Returns the position of an edge on a meridian that it crosses or touches. */
export function crossing(from: Position, to: Position, meridian: number): Position {
  // The same for both directions of an edge, so that adjacent polygons have the same position.
  const [start, end] = from[0] < to[0] ? [from, to] : [to, from]
  if (start[0] === meridian) return start
  const part = (meridian - start[0]) / (end[0] - start[0])
  const [, y, ...z] = start.map((value, at) => value + part * ((end[at] ?? value) - value))
  return end[0] === meridian ? end : [meridian, y ?? 0, ...z]
}

function isNew([x, y]: Position, at: number, all: PositionList): boolean {
  const before = all[at - 1]
  return before === undefined || before[0] !== x || before[1] !== y
}

/** Joins paths to closed rings, along the pieces of the meridian that lie inside of the polygon. */
function joinPaths(paths: readonly Path[]): PositionList[] {
  const ends = paths.flatMap(({ ends: [start, end] }, path) => [
    { path, isStart: true, y: start, other: end },
    { path, isStart: false, y: end, other: start },
  ])
  // Of paths that touch, that from the south is followed by that to the north.
  ends.sort((a, b) => a.y - b.y || a.other - b.other)
  const partners = new Map(ends.map(({ path, isStart }, at) => [2 * path + (isStart ? 0 : 1), ends[at ^ 1]]))
  const rings: PositionList[] = []
  const joined = new Set<number>()
  for (const first of paths.keys()) {
    const ring: Position[] = []
    for (let at: number | undefined = first, isForward = true; at !== undefined && !joined.has(at); ) {
      const positions: PositionList = paths[at]?.positions ?? []
      joined.add(at)
      ring.push(...(isForward ? positions : positions.toReversed()))
      const next = partners.get(2 * at + (isForward ? 1 : 0))
      isForward = next?.isStart ?? true
      at = next?.path
    }
    const [start] = ring
    if (start !== undefined) rings.push([...ring, start].filter(isNew))
  }
  return rings
}

function hasArea(ring: PositionList): boolean {
  const [first] = ring
  return first !== undefined && ring.length >= 4 && ring.some(([x]) => x !== first[0])
}

/** Positions of a hole that decide on its place: one may lie on the outline of the polygon. */
const decisivePositions = 5

/** Counts the first positions of a hole that lie in a ring. */
export function countInside(ring: PositionList, hole: PositionList): number {
  return hole.slice(0, decisivePositions).filter((position) => isInside(ring, position)).length
}

/** Returns whether a position lies in a ring, by the even-odd rule. */
function isInside(ring: PositionList, [x, y]: Position): boolean {
  let isOdd = false
  for (const [at, [x1, y1]] of ring.entries()) {
    const [x0, y0] = ring[at - 1] ?? [x1, y1]
    if (y0 > y !== y1 > y && x < x0 + ((y - y0) / (y1 - y0)) * (x1 - x0)) isOdd = !isOdd
  }
  return isOdd
}

/** Splits a line at a meridian. */
export function splitLine(line: PositionList, meridian: number): Sides<PositionList> {
  const west: PositionList[] = []
  const east: PositionList[] = []
  let current: Position[] = []
  let side = 0
  const end = () => (side > 0 ? east : west).push(current)
  for (const position of line) {
    const next = Math.sign(position[0] - meridian)
    const before = current.at(-1)
    if (before !== undefined && next !== 0 && side !== 0 && next !== side) {
      const split = crossing(before, position, meridian)
      if (before[0] !== meridian) current.push(split)
      end()
      current = [split]
    }
    if (next !== 0) side = next
    current.push(position)
  }
  end()
  return { west, east }
}
