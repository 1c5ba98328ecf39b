import { type ByteGeometry, type ByteSequence, byteSequenceOf, numbersOf } from './byte_geometry.ts'
import { type Part, positionSize } from './geometry.ts'
import type { World } from './world.ts'

/** x, y and, if present, z. */
type Position = readonly [x: number, y: number, ...z: number[]]

/**
 * Splits polygons that cross the antimeridian: rings with adjacent positions more than half a world apart, which would
 * be drawn as bands around the earth. Rings around a pole are extended along the edge of the map. The resulting polygons
 * may have edges that overlap themselves and need to be made valid. Other geometries are returned unchanged.
 *
 * @see RFC 7946 clause 3.1.9
 */
export function cutAtAntimeridian(geometry: ByteGeometry, world: World): ByteGeometry {
  if (!geometry.parts.some((part) => part.some((ring) => isCrossing(ring, world)))) return geometry
  const parts = geometry.parts.flatMap((part) => cutPart(part, world))
  return parts.length === 0 ? geometry : { ...geometry, parts, isMulti: true }
}

function isCrossing({ data: { view }, at, step, count }: ByteSequence, { width }: World): boolean {
  let last = view.getFloat64(at, true)
  let jumps = false
  for (let index = 1; index < count && !jumps; index++) {
    const x = view.getFloat64(at + index * step, true)
    jumps = Math.abs(x - last) > width / 2
    last = x
  }
  // A box around the world is not split.
  return jumps && count > 5
}

function cutPart(rings: Part<ByteSequence>, world: World): Part<ByteSequence>[] {
  const [first] = rings
  if (first === undefined || !isCrossing(first, world)) return [rings]
  const [outer = [], ...others] = rings.map((ring) => unwrap(readRing(ring), world))
  const isAround = (ring: readonly Position[]) =>
    Math.abs((ring.at(-1)?.[0] ?? 0) - (ring[0]?.[0] ?? 0)) > world.width / 2
  const areas = isAround(outer) ? areasAround([outer, ...others.filter(isAround)], world) : [outer]
  const holes = others.filter((ring) => !isAround(ring))
  return areas.flatMap((ring) =>
    worldsOf(ring, world).flatMap((copy): Part<ByteSequence>[] => {
      const cut = clipToWorld(ring, copy, world)
      if (cut.length < 4) return []
      const inner = holes.flatMap((hole) => worldsOf(hole, world).map((of) => clipToWorld(hole, of, world)))
      return [[cut, ...inner.filter((hole) => hole.length >= 4 && isBeside(hole, cut))].map(writeRing)]
    }),
  )
}

/**
 * Returns the areas of a polygon whose rings go around the world: those between adjacent rings, from north to south. The
 * area of a remaining single ring extends to the edge of the map, on the side of its pole.
 */
function areasAround(rings: readonly (readonly Position[])[], world: World): Position[][] {
  const curves = rings.map((ring) => unroll(ring, world))
  const [west, east] = [curves[0]?.[0], curves[0]?.at(-1)]
  if (curves.length % 2 === 1 && west !== undefined && east !== undefined) {
    const pole = curves.reduce((sum, curve) => sum + meanY(curve), 0) < 0 ? -world.top : world.top
    curves.push([withY(west, pole), withY(east, pole)])
  }
  curves.sort((a, b) => meanY(b) - meanY(a))
  return curves.flatMap((upper, at) => {
    const lower = curves[at + 1]
    const [first] = upper
    return at % 2 === 1 || lower === undefined || first === undefined
      ? []
      : [[...upper, ...lower.toReversed(), first]]
  })
}

const meanY = (curve: readonly Position[]) => curve.reduce((sum, [, y]) => sum + y, 0) / curve.length

/** Unrolls a ring around the world from the western edge of the map to the eastern one. */
function unroll(ring: readonly Position[], { width }: World): Position[] {
  const east = width / 2
  const eastward = (ring.at(-1)?.[0] ?? 0) > (ring[0]?.[0] ?? 0) ? ring : ring.toReversed()
  const copy = Math.floor((eastward[0]?.[0] ?? 0) / width + 0.5)
  const unrolled = moved(eastward, -copy * width)
  const at = unrolled.findIndex(([x]) => x >= east)
  const [before, after] = [unrolled[at - 1], unrolled[at]]
  if (unrolled[0]?.[0] === -east || before === undefined || after === undefined) return unrolled
  const [, y, ...z] = between(before, after, (east - before[0]) / (after[0] - before[0]))
  const beyond = unrolled.slice(after[0] === east ? at + 1 : at, -1)
  return [[-east, y, ...z], ...moved(beyond, -width), ...unrolled.slice(0, at), [east, y, ...z]]
}

function moved(ring: readonly Position[], by: number): Position[] {
  return ring.map(([x, y, ...z]): Position => [x + by, y, ...z])
}

function readRing(ring: ByteSequence): Position[] {
  const size = positionSize(ring.zAt >= 0)
  const numbers = numbersOf({ ...ring, isOpen: false })
  return Array.from({ length: ring.count }, (_, index) => {
    const [x = 0, y = 0, ...z] = numbers.slice(size * index, size * (index + 1))
    return [x, y, ...z]
  })
}

function writeRing(ring: readonly Position[]): ByteSequence {
  return byteSequenceOf(ring.flat(), positionSize((ring[0]?.length ?? 2) > 2))
}

/** Unwraps a ring beyond the edges of the map, so that it has no jumps. A ring around a pole ends one world further. */
function unwrap(ring: readonly Position[], { width }: World): Position[] {
  let turns = 0
  return ring.map(([x, y, ...z], index): Position => {
    const before = ring[index - 1]?.[0] ?? x
    if (x - before > width / 2) turns -= 1
    else if (before - x > width / 2) turns += 1
    return [x + turns * width, y, ...z]
  })
}

function withY([x, , ...z]: Position, y: number): Position {
  return [x, y, ...z]
}

/** Returns the numbers of the adjacent copies of the world that an unwrapped ring touches; 0 is the map itself. */
function worldsOf(ring: readonly Position[], { width }: World): number[] {
  const { west, east } = edgesOf(ring)
  const from = Math.floor(west / width + 0.5)
  const to = Math.ceil(east / width + 0.5) - 1
  return Array.from({ length: Math.max(1, to - from + 1) }, (_, index) => from + index)
}

function edgesOf(ring: readonly Position[]): { readonly west: number; readonly east: number } {
  let west = Number.POSITIVE_INFINITY
  let east = Number.NEGATIVE_INFINITY
  for (const [x] of ring) {
    west = Math.min(west, x)
    east = Math.max(east, x)
  }
  return { west, east }
}

/** Returns the part of a ring on one copy of the world, moved onto the map. */
function clipToWorld(ring: readonly Position[], copy: number, { width }: World): Position[] {
  const west = (copy - 0.5) * width
  const eastern = clip(ring, (x) => x - west)
  const both = clip(eastern, (x) => west + width - x)
  return moved(both, -copy * width)
}

/** Clips a closed ring at a meridian; `inside` is 0 or more on the kept side. @see Sutherland and Hodgman 1974 */
function clip(ring: readonly Position[], inside: (x: number) => number): Position[] {
  const kept: Position[] = []
  for (const [index, position] of ring.entries()) {
    const before = ring[index - 1] ?? position
    const [now, then] = [inside(position[0]), inside(before[0])]
    if (now < 0 !== then < 0) kept.push(between(before, position, then / (then - now)))
    if (now >= 0) kept.push(position)
  }
  const [first] = kept
  const last = kept.at(-1)
  const isClosed = first !== undefined && last !== undefined && first[0] === last[0] && first[1] === last[1]
  return first === undefined || isClosed ? kept : [...kept, first]
}

function between(from: Position, to: Position, part: number): Position {
  const [x, y, ...z] = from.map((value, index) => value + part * ((to[index] ?? value) - value))
  return [x ?? 0, y ?? 0, ...z]
}

/** Returns whether a hole lies between the western and eastern edges of a ring, so that it belongs to that half. */
function isBeside(hole: readonly Position[], ring: readonly Position[]): boolean {
  const [inner, outer] = [edgesOf(hole), edgesOf(ring)]
  return inner.west >= outer.west && inner.east <= outer.east
}
