import type { GeometryFamily } from '../contract/geometry.ts'
import { type GeometryParts, type GeometryType, geometryParts, geometryTypeOf } from '../contract/geometry.ts'
import { problem } from '../contract/problems.ts'

/**
 * Positions in order, as numbers one after the other: x, y and, where the geometry has it, z. One position for a point,
 * at least two for a line, at least four for a ring, the last like the first.
 */
export type Sequence = readonly number[]

/** One point, line or polygon. A point or line has one sequence, a polygon one for each ring, the outer first. */
export type Part<S = Sequence> = readonly S[]

/**
 * A geometry of any type that layers have; without parts it is empty. Imports and exports keep the sequences where they
 * stand in bytes (`ByteSequence`), all others are lists of numbers.
 */
export interface Geometry<S = Sequence> extends GeometryParts {
  readonly parts: readonly Part<S>[]
}

/** Returns how many numbers a position has. */
export function positionSize(hasZ: boolean): 2 | 3 {
  return hasZ ? 3 : 2
}

/** How a geometry may be changed so that it fits. */
export interface FitOptions {
  /** Whether Z is dropped where the layer has none, and is 0 where the geometry has none. */
  readonly fitsZ?: boolean | undefined
}

/**
 * Makes a geometry fit the type of a layer: single becomes multi where the layer asks for it.
 *
 * @throws {Problem} feature/invalid where family, number of parts or Z differ
 */
export function fitGeometry(
  geometry: Geometry,
  type: GeometryType,
  { fitsZ = false }: FitOptions = {},
): Geometry {
  const wanted = geometryParts(type)
  // Nothing has no Z to add or drop.
  const isFree = fitsZ || geometry.parts.length === 0
  const shaped = isFree && geometry.hasZ !== wanted.hasZ ? turnZ(geometry) : geometry
  const promoted = { ...shaped, isMulti: shaped.isMulti || wanted.isMulti }
  if (geometryTypeOf(promoted) === type) return promoted
  const differsInZ = geometryTypeOf({ ...promoted, hasZ: wanted.hasZ }) === type
  const hint = `Add geom_fit_z=true to the query: Z ${wanted.hasZ ? 'becomes 0' : 'is dropped'}.`
  throw problem(
    'feature/invalid',
    `a geometry of type ${geometryTypeOf(geometry)} does not fit a layer of type ${type}`,
    differsInZ ? { hint } : {},
  )
}

/** Drops Z where there is one, and adds one of 0 where there is none. */
function turnZ({ parts, hasZ, ...geometry }: Geometry): Geometry {
  const turn = (sequence: Sequence): Sequence =>
    hasZ
      ? sequence.filter((_, at) => at % 3 < 2)
      : sequence.flatMap((value, at) => (at % 2 === 0 ? [value] : [value, 0]))
  return { ...geometry, hasZ: !hasZ, parts: parts.map((part) => part.map(turn)) }
}

/** A part as it was read from text. */
export interface ReadPart {
  readonly family: GeometryFamily
  readonly part: Part
  /** Numbers of a position. */
  readonly size: number
}

/**
 * Checks a part as it was read: closes rings that are open.
 *
 * @throws {Problem} feature/invalid where it has too few positions
 */
export function checkPart({ family, part, size }: ReadPart): Part {
  if (family === 'POINT') return part
  if (family === 'POLYGON') return part.map((ring) => closeRing(ring, size))
  if (part.some((line) => line.length < 2 * size)) throw tooFew('a line needs at least two positions')
  return part
}

function closeRing(ring: Sequence, size: number): Sequence {
  if (ring.length === 0) throw tooFew('a ring of a polygon is empty')
  const last = ring.length - size
  const isClosed = ring[0] === ring[last] && ring[1] === ring[last + 1]
  const closed = isClosed ? ring : [...ring, ...ring.slice(0, size)]
  if (closed.length < 4 * size) throw tooFew('a ring needs at least three positions and the first again')
  return closed
}

const tooFew = (reason: string) => problem('feature/invalid', `invalid geometry: ${reason}`)
