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
  const [first] = rings
  if (first === undefined || !isCrossing(first, world)) return [rings]
  const [outer = [], ...others] = rings.map((ring) => unwrap(readRing(ring), world))
  const isAround = (ring: readonly Position[]) =>
    Math.abs((ring.at(-1)?.[0] ?? 0) - (ring[0]?.[0] ?? 0)) > world.width / 2
  const areas = isAround(outer) ? areasAround([outer, ...others.filter(isAround)], world) : [outer]
  const holes = others.filter((ring) => !isAround(ring))
  return areas.flatMap((ring) =>
    sheetsOf(ring, world).flatMap((sheet): Part<ByteSequence>[] => {
      const cut = toSheet(ring, sheet, world)
      if (cut.length < 4) return []
      const inner = holes.flatMap((hole) => sheetsOf(hole, world).map((of) => toSheet(hole, of, world)))
      return [[cut, ...inner.filter((hole) => hole.length >= 4 && isBeside(hole, cut))].map(writeRing)]
    }),
  )
}

/**
 * Returns the areas of a polygon whose rings go around the world: those between one ring and the next, from north to
 * south. A single remaining ring reaches to the end of the map, on the side of its pole.
 */
function areasAround(rings: readonly (readonly Position[])[], world: World): Position[][] {
  const curves = rings.map((ring) => spread(ring, world))
  const [west, east] = [curves[0]?.[0], curves[0]?.at(-1)]
  if (curves.length % 2 === 1 && west !== undefined && east !== undefined) {
    const pole = curves.reduce((sum, curve) => sum + heightOf(curve), 0) < 0 ? -world.top : world.top
    curves.push([atHeight(west, pole), atHeight(east, pole)])
  }
  curves.sort((a, b) => heightOf(b) - heightOf(a))
  return curves.flatMap((upper, at) => {
    const lower = curves[at + 1]
    const [first] = upper
    return at % 2 === 1 || lower === undefined || first === undefined
      ? []
      : [[...upper, ...lower.toReversed(), first]]
  })
}

const heightOf = (curve: readonly Position[]) => curve.reduce((sum, [, y]) => sum + y, 0) / curve.length

/** Lays a ring around the world out from the western end of the map to the eastern one. */
function spread(ring: readonly Position[], { width }: World): Position[] {
  const east = width / 2
  const eastward = (ring.at(-1)?.[0] ?? 0) > (ring[0]?.[0] ?? 0) ? ring : ring.toReversed()
  const sheet = Math.floor((eastward[0]?.[0] ?? 0) / width + 0.5)
  const laid = moved(eastward, -sheet * width)
  const at = laid.findIndex(([x]) => x >= east)
  const [before, after] = [laid[at - 1], laid[at]]
  if (laid[0]?.[0] === -east || before === undefined || after === undefined) return laid
  const [, y, ...z] = between(before, after, (east - before[0]) / (after[0] - before[0]))
  const beyond = laid.slice(after[0] === east ? at + 1 : at, -1)
  return [[-east, y, ...z], ...moved(beyond, -width), ...laid.slice(0, at), [east, y, ...z]]
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

/** Lays a ring out without jumps, beyond the edges of the map; one around a pole ends a world from where it starts. */
function unwrap(ring: readonly Position[], { width }: World): Position[] {
  let turns = 0
  return ring.map(([x, y, ...z], index): Position => {
    const before = ring[index - 1]?.[0] ?? x
    if (x - before > width / 2) turns -= 1
    else if (before - x > width / 2) turns += 1
    return [x + turns * width, y, ...z]
  })
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
  return moved(both, -sheet * width)
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

/** Returns whether a hole lies between the edges of a ring: on which half it belongs. */
function isBeside(hole: readonly Position[], ring: readonly Position[]): boolean {
  const [inner, outer] = [edgesOf(hole), edgesOf(ring)]
  return inner.west >= outer.west && inner.east <= outer.east
}
