import { type ByteGeometry, type ByteSequence, byteSequenceOf, numbersOf } from './byte_geometry.ts'
import { type Geometry, type Part, positionSize, type Sequence } from './geometry.ts'
import {
  countInside,
  crossing,
  type Position,
  type PositionList,
  type Rings,
  splitLine,
  splitPolygon,
} from './split_polygon.ts'
import type { World } from './world.ts'

/**
 * Moves a geometry onto the map whose coordinates continue beyond the antimeridian, such as longitudes from 170 to 190: it is
 * split there, and its parts are moved by the width of the world. Other geometries are returned unchanged.
 *
 * @see RFC 7946 clause 3.1.9
 */
export function wrapToWorld(geometry: Geometry, world: World): Geometry {
  const size = positionSize(geometry.hasZ)
  const isBeyond = geometry.parts.some((part) => part.some((sequence) => continues(sequence, size, world)))
  if (!isBeyond) return geometry
  const parts = geometry.parts.flatMap((part) =>
    wrapPart(
      geometry.family,
      part.map((sequence) => positionsOf(sequence, size)),
      world,
    ),
  )
  return withParts(
    geometry,
    parts.map((part) => part.map((positions) => positions.flat())),
  )
}

/** Moves a geometry in a byte buffer onto the map, as `wrapToWorld` does. */
export function wrapBytesToWorld(geometry: ByteGeometry, world: World): ByteGeometry {
  if (!geometry.parts.some((part) => part.some((sequence) => bytesContinue(sequence, world)))) return geometry
  return withParts(
    geometry,
    geometry.parts.flatMap((part) =>
      wrapPart(geometry.family, part.map(readPositions), world).map((found) => found.map(writePositions)),
    ),
  )
}

/**
 * Splits lines and polygons that cross the antimeridian: those that continue beyond it, and those with adjacent positions
 * more than half a world apart, which would be drawn as bands around the earth. Rings around a pole are extended along the
 * edge of the map. Boxes and parallels have edges of any length; they are not split. Invalid polygons remain invalid.
 *
 * @see RFC 7946 clause 3.1.9
 */
export function cutAtAntimeridian(geometry: ByteGeometry, world: World): ByteGeometry {
  const wrapped = wrapBytesToWorld(geometry, world)
  const { family } = geometry
  if (family === 'POINT' || !wrapped.parts.some(([first]) => first !== undefined && isCrossing(first, world)))
    return wrapped
  return withParts(
    wrapped,
    wrapped.parts.flatMap((part) => {
      const [first] = part
      if (first === undefined || !isCrossing(first, world)) return [part]
      const lists = part.map((sequence) => unwrap(readPositions(sequence), world))
      const cut = family === 'LINESTRING' ? cutPart(family, lists, world) : cutRings(lists, world)
      return cut.map((found) => found.map(writePositions))
    }),
  )
}

function withParts<S>(geometry: Geometry<S>, parts: readonly Part<S>[]): Geometry<S> {
  // A geometry without area would lose all its parts.
  if (parts.length === 0) return geometry
  return { ...geometry, parts, isMulti: geometry.isMulti || parts.length > 1 }
}

/** Rounding errors of positions on the antimeridian, as a part of the width of the world: a few centimetres. */
const tolerance = 1e-9

/** Returns whether a coordinate lies beyond the antimeridian, in the next copy of the world. */
function isBeyond(x: number, { width }: World): boolean {
  return Math.abs(x) > width / 2 && Math.abs(x) <= 1.5 * width
}

function continues(sequence: Sequence, size: number, world: World): boolean {
  let found = false
  for (let at = 0; at < sequence.length; at += size) {
    const x = sequence[at] ?? 0
    // Farther away, coordinates are wrong.
    if (!(Math.abs(x) <= 1.5 * world.width)) return false
    found ||= isBeyond(x, world)
  }
  return found
}

function bytesContinue({ data: { view }, at, step, count }: ByteSequence, world: World): boolean {
  let found = false
  for (let index = 0; index < count; index++) {
    const x = view.getFloat64(at + index * step, true)
    if (!(Math.abs(x) <= 1.5 * world.width)) return false
    found ||= isBeyond(x, world)
  }
  return found
}

function wrapPart(family: Geometry['family'], part: Rings, world: World): readonly Rings[] {
  const half = world.width / 2
  const snapped = part.map((positions) =>
    positions.map(
      (position): Position =>
        isBeyond(position[0], world) && Math.abs(position[0]) - half <= tolerance * world.width
          ? withX(position, Math.sign(position[0]) * half)
          : position,
    ),
  )
  return cutPart(family, snapped, world)
}

/** Splits a part at the edges of the copies of the world that it extends to, and moves the pieces onto the map. */
function cutPart(family: Geometry['family'], part: Rings, world: World): readonly Rings[] {
  if (family === 'POLYGON' && !part.every(isRing)) return [part]
  const [outer = []] = part
  if (family === 'POLYGON' && part.length === 1 && isBox(outer) && isAround(outer, world))
    return [[boxAround(outer, world)]]
  const courses = family === 'POLYGON' ? coursesAround(outer, world) : undefined
  if (courses !== undefined) return cutAround(courses, part.slice(1), world)
  return splitPart(family, part, world).map(({ copy, piece }) =>
    copy === 0 ? piece : piece.map((positions) => moved(positions, -copy * world.width)),
  )
}

/** A piece of a part, and the copy of the world that it lies in; 0 is the map itself. */
interface Piece {
  readonly copy: number
  readonly piece: Rings
}

function splitPart(family: Geometry['family'], part: Rings, world: World): Piece[] {
  const { west, east } = edgesOf(part.flat())
  const lines = [-1.5, -0.5, 0.5, 1.5].map((worlds) => worlds * world.width)
  let pieces: readonly Rings[] = [part]
  for (const line of lines.filter((x) => x > west && x < east))
    pieces = pieces.flatMap((piece) => splitAt(family, piece, line))
  return pieces.map((piece) => ({ copy: copyOf(piece.flat(), world), piece }))
}

function splitAt(family: Geometry['family'], part: Rings, line: number): Rings[] {
  if (family !== 'POLYGON') {
    const { west, east } = splitLine(part[0] ?? [], line)
    return [...west, ...east].map((piece) => [piece])
  }
  const { west, east } = splitPolygon(part, line)
  return [...west, ...east]
}

/** Returns the number of the copy of the world that positions lie in; the map itself for those on its edges. */
function copyOf(positions: PositionList, { width }: World): number {
  const { west, east } = edgesOf(positions)
  const middle = (west + east) / 2 / width
  const copy = Math.ceil(Math.abs(middle) - 0.5)
  return copy === 0 ? 0 : Math.sign(middle) * copy
}

function isRing(ring: PositionList): boolean {
  const [first] = ring
  const last = ring.at(-1)
  return first !== undefined && ring.length >= 4 && first[0] === last?.[0] && first[1] === last[1]
}

/** Returns whether a ring has four corners, and sides along the axes. */
function isBox(ring: PositionList): boolean {
  return (
    ring.length === 5 &&
    ring.every(([x, y], at) => at === 0 || (x === ring[at - 1]?.[0]) !== (y === ring[at - 1]?.[1]))
  )
}

/** Returns whether the ends of an unwrapped ring, or the sides of a box, are as far apart as the world is wide. */
function isAround(ring: PositionList, { width }: World): boolean {
  const { west, east } = edgesOf(ring)
  return east - west >= width * (1 - tolerance)
}

/** Returns a box around the world between the edges of the map, in whichever copy of the world it begins. */
function boxAround(box: PositionList, { width }: World): PositionList {
  const { west } = edgesOf(box)
  return box.map((position) => withX(position, position[0] === west ? -width / 2 : width / 2))
}

/**
 * Divides a ring between a meridian and the same one a full turn farther into its courses there and back, so that it is not cut
 * at this meridian; undefined for other rings.
 */
function coursesAround(ring: PositionList, world: World): PositionList[] | undefined {
  const { west, east } = edgesOf(ring)
  const reach = tolerance * world.width
  if (Math.abs(east - west - world.width) > reach) return undefined
  const open = ring.slice(0, -1)
  const start = sideAt(open, west, reach)
  if (start === undefined) return undefined
  const turned = [...open.slice(start + 1), ...open.slice(0, start + 1)]
  const end = sideAt(turned, east, reach)
  if (end === undefined) return undefined
  const courses = [turned.slice(0, end + 1), turned.slice(end + 1)]
  return courses.every((course) => course[0]?.[1] === course.at(-1)?.[1]) ? courses : undefined
}

/** Returns the index of the only two positions after each other that an open ring has on a meridian. */
function sideAt(open: PositionList, meridian: number, reach: number): number | undefined {
  const isOn = (position: Position | undefined) =>
    position !== undefined && Math.abs(position[0] - meridian) <= reach
  const first = open.findIndex((position, at) => isOn(position) && isOn(open[(at + 1) % open.length]))
  return first >= 0 && open.filter(isOn).length === 2 ? first : undefined
}

/** Cuts a polygon with rings that were unwrapped. */
function cutRings([outer = [], ...others]: Rings, world: World): readonly Rings[] {
  const turns = (ring: PositionList) =>
    Math.abs((ring.at(-1)?.[0] ?? 0) - (ring[0]?.[0] ?? 0)) > world.width / 2
  if (!turns(outer))
    return cutPart('POLYGON', [outer, ...others.map((hole) => moveInto(outer, hole, world))], world)
  return cutAround(
    [outer, ...others.filter(turns)],
    others.filter((ring) => !turns(ring)),
    world,
  )
}

/** Returns the areas between courses around the world, without the holes that lie in any copy of it. */
function cutAround(courses: readonly PositionList[], others: Rings, world: World): readonly Rings[] {
  const holes = others.flatMap((hole) =>
    splitPart('POLYGON', [hole], world).map(({ copy }) => moved(hole, -copy * world.width)),
  )
  return areasAround(courses, world).flatMap((area) =>
    splitPart('POLYGON', [area, ...holes.filter((hole) => countInside(area, hole) > 0)], world)
      .filter(({ copy }) => copy === 0)
      .map(({ piece }) => piece),
  )
}

/** Moves a hole into the copy of the world in which it lies between the sides of its polygon. */
function moveInto(outer: PositionList, hole: PositionList, { width }: World): PositionList {
  const [around, inner] = [edgesOf(outer), edgesOf(hole)]
  const copy = [0, 1, -1].find(
    (number) => inner.west + number * width >= around.west && inner.east + number * width <= around.east,
  )
  return copy === undefined || copy === 0 ? hole : moved(hole, copy * width)
}

function isCrossing(sequence: ByteSequence, { width }: World): boolean {
  const { data, at, step, count } = sequence
  const { view } = data
  let last = view.getFloat64(at, true)
  let jumps = false
  for (let index = 1; index < count && !jumps; index++) {
    const x = view.getFloat64(at + index * step, true)
    jumps = Math.abs(x - last) > width / 2
    last = x
  }
  if (!jumps || count > 5) return jumps
  const positions = readPositions(sequence)
  const isParallel = count === 2 && positions[0]?.[1] === positions[1]?.[1]
  return !isParallel && !isBox(positions)
}

/**
 * Returns the areas of a polygon whose rings go around the world: those between adjacent rings, from north to south. The
 * area of a remaining single ring extends to the edge of the map, on the side of its pole.
 */
function areasAround(rings: readonly PositionList[], world: World): PositionList[] {
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

const meanY = (curve: PositionList) => curve.reduce((sum, [, y]) => sum + y, 0) / curve.length

/** Unrolls a ring around the world from the western edge of the map to the eastern one. */
function unroll(ring: PositionList, { width }: World): PositionList {
  const east = width / 2
  const eastward = (ring.at(-1)?.[0] ?? 0) > (ring[0]?.[0] ?? 0) ? ring : ring.toReversed()
  const copy = Math.floor((eastward[0]?.[0] ?? 0) / width + 0.5)
  const unrolled = moved(eastward, -copy * width)
  const at = unrolled.findIndex(([x]) => x >= east)
  const [before, after] = [unrolled[at - 1], unrolled[at]]
  if (unrolled[0]?.[0] === -east || before === undefined || after === undefined) return unrolled
  const middle = crossing(before, after, east)
  const beyond = unrolled.slice(after[0] === east ? at + 1 : at, -1)
  return [withX(middle, -east), ...moved(beyond, -width), ...unrolled.slice(0, at), middle]
}

/** Unwraps a line or ring beyond the edges of the map, so that it has no jumps. A ring around a pole ends one world further. */
function unwrap(list: PositionList, { width }: World): PositionList {
  let turns = 0
  return list.map((position, index): Position => {
    const [x] = position
    const before = list[index - 1]?.[0] ?? x
    if (x - before > width / 2) turns -= 1
    else if (before - x > width / 2) turns += 1
    return withX(position, x + turns * width)
  })
}

const moved = (list: PositionList, by: number) => list.map((position) => withX(position, position[0] + by))

function withX([, y, ...z]: Position, x: number): Position {
  return [x, y, ...z]
}

function withY([x, , ...z]: Position, y: number): Position {
  return [x, y, ...z]
}

function edgesOf(list: PositionList): { readonly west: number; readonly east: number } {
  let west = Number.POSITIVE_INFINITY
  let east = Number.NEGATIVE_INFINITY
  for (const [x] of list) {
    west = Math.min(west, x)
    east = Math.max(east, x)
  }
  return { west, east }
}

function positionsOf(numbers: Sequence, size: number): Position[] {
  return Array.from({ length: numbers.length / size }, (_, index) => {
    const [x = 0, y = 0, ...z] = numbers.slice(size * index, size * (index + 1))
    return [x, y, ...z]
  })
}

/** Reads positions; the first one is repeated at the end of an open ring. */
function readPositions(sequence: ByteSequence): Position[] {
  return positionsOf(numbersOf(sequence), positionSize(sequence.zAt >= 0))
}

function writePositions(list: PositionList): ByteSequence {
  return byteSequenceOf(list.flat(), positionSize((list[0]?.length ?? 2) > 2))
}
