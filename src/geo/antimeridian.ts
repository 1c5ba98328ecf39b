import { type ByteGeometry, type ByteSequence, byteSequenceOf, numbersOf } from './byte_geometry.ts'
import { type Part, positionSize } from './geometry.ts'
import type { World } from './world.ts'

/** x, y and, where there is one, z. */
type Position = readonly [x: number, y: number, ...z: number[]]

/**
 * Cuts polygons at the antimeridian that run over it: rings whose next position is more than half a world away, which
 * would else be drawn as bands around the earth. Rings around a pole are led along the edge of the map. The halves
 * share edges with themselves until they are made valid. Everything else is returned as it is.
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
  // A box around the world is meant as it is.
  return jumps && count > 5
}

function cutPart(rings: Part<ByteSequence>, world: World): Part<ByteSequence>[] {
  const [outer, ...holes] = rings
  if (outer === undefined || !isCrossing(outer, world)) return [rings]
  const ring = unwrap(readRing(outer), world)
  const others = holes.map((hole) => unwrap(readRing(hole), world))
  return sheetsOf(ring, world).flatMap((sheet): Part<ByteSequence>[] => {
    const cut = toSheet(ring, sheet, world)
    if (cut.length < 4) return []
    const inner = others.flatMap((hole) => sheetsOf(hole, world).map((of) => toSheet(hole, of, world)))
    return [[cut, ...inner.filter((hole) => hole.length >= 4 && isBeside(hole, cut))].map(writeRing)]
  })
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

/** Lays a ring out without jumps, beyond the edges of the map; one around a pole is closed along the map's end. */
function unwrap(ring: readonly Position[], { width, top }: World): Position[] {
  let turns = 0
  const laid = ring.map(([x, y, ...z], index): Position => {
    const before = ring[index - 1]?.[0] ?? x
    if (x - before > width / 2) turns -= 1
    else if (before - x > width / 2) turns += 1
    return [x + turns * width, y, ...z]
  })
  const [first] = laid
  const last = laid.at(-1)
  if (turns === 0 || first === undefined || last === undefined) return laid
  const pole = laid.reduce((sum, [, y]) => sum + y, 0) < 0 ? -top : top
  return [...laid, atHeight(last, pole), atHeight(first, pole), first]
}

function atHeight([x, , ...z]: Position, y: number): Position {
  return [x, y, ...z]
}

/** Numbers of the worlds side by side that a ring laid out touches; 0 is the map itself. */
function sheetsOf(ring: readonly Position[], { width }: World): number[] {
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

/** The part of a ring on one of the worlds side by side, moved onto the map. */
function toSheet(ring: readonly Position[], sheet: number, { width }: World): Position[] {
  const west = (sheet - 0.5) * width
  const eastern = clip(ring, (x) => x - west)
  const both = clip(eastern, (x) => west + width - x)
  return both.map(([x, y, ...z]): Position => [x - sheet * width, y, ...z])
}

/** Sutherland and Hodgman's clip of a closed ring by a meridian; `inside` is 0 or more on the side that stays. */
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

/** Tells whether a hole lies between the edges of a ring: on which half it belongs. */
function isBeside(hole: readonly Position[], ring: readonly Position[]): boolean {
  const [inner, outer] = [edgesOf(hole), edgesOf(ring)]
  return inner.west >= outer.west && inner.east <= outer.east
}
