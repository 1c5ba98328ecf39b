import type { GeometryFamily } from '../contract/geometry.ts'
import { type GeometryParts, type GeometryType, geometryParts, geometryTypeOf } from '../contract/geometry.ts'
import { problem } from '../contract/problems.ts'

/**
 * Coordinates of positions, in order: x, y and, if the geometry has it, z. One position for a point, at least two for a
 * line, at least four for a ring, whose last position equals the first.
 */
export type Sequence = readonly number[]

/** A point, line or polygon. A point or line has one sequence, a polygon one per ring, the outer first. */
export type Part<S = Sequence> = readonly S[]

/**
 * A geometry of any type that layers support; without parts it is empty. Imports and exports use sequences in byte
 * buffers (`ByteSequence`), everything else lists of numbers.
 */
export interface Geometry<S = Sequence> extends GeometryParts {
  readonly parts: readonly Part<S>[]
}

/** Returns the number of coordinates of a position. */
export function positionSize(hasZ: boolean): 2 | 3 {
  return hasZ ? 3 : 2
}

/** Counts the positions of a geometry. */
export function countPositions({ parts, hasZ }: Geometry): number {
  const size = positionSize(hasZ)
  return parts.flat().reduce((count, sequence) => count + sequence.length / size, 0)
}

/** Allowed changes to a geometry. */
export interface FitOptions {
  /** Whether Z is dropped or set to 0 to match the layer. */
  readonly fitsZ?: boolean | undefined
}

/**
 * Converts a geometry to the type of a layer: promotes single to multi if the layer requires it.
 *
 * @throws {Problem} feature/invalid if family, number of parts or Z differ
 */
export function fitGeometry(
  geometry: Geometry,
  type: GeometryType,
  { fitsZ = false }: FitOptions = {},
): Geometry {
  const wanted = geometryParts(type)
  // An empty geometry has no Z to add or drop.
  const isFree = fitsZ || geometry.parts.length === 0
  const fitted = isFree && geometry.hasZ !== wanted.hasZ ? toggleZ(geometry) : geometry
  const promoted = { ...fitted, isMulti: fitted.isMulti || wanted.isMulti }
  if (geometryTypeOf(promoted) === type) return promoted
  const differsInZ = geometryTypeOf({ ...promoted, hasZ: wanted.hasZ }) === type
  const hint = `Add geom_fit_z=true to the query to ${wanted.hasZ ? 'set Z to 0' : 'drop Z'}.`
  throw problem(
    'feature/invalid',
    `geometry type ${geometryTypeOf(geometry)} does not match layer type ${type}`,
    differsInZ ? { hint } : {},
  )
}

/** Drops Z, or adds a Z of 0. */
function toggleZ({ parts, hasZ, ...geometry }: Geometry): Geometry {
  const toggle = (sequence: Sequence): Sequence =>
    hasZ
      ? sequence.filter((_, at) => at % 3 < 2)
      : sequence.flatMap((value, at) => (at % 2 === 0 ? [value] : [value, 0]))
  return { ...geometry, hasZ: !hasZ, parts: parts.map((part) => part.map(toggle)) }
}

/** A part as parsed from text. */
export interface ReadPart {
  readonly family: GeometryFamily
  readonly part: Part
  /** Coordinates per position. */
  readonly size: number
}

/**
 * Checks the length of sequences, and closes open rings.
 *
 * @throws {Problem} feature/invalid if a line or ring has too few positions
 */
export function checkPart({ family, part, size }: ReadPart): Part {
  if (family === 'POINT') return part
  if (family === 'POLYGON') return part.map((ring) => closeRing(ring, size))
  if (part.some((line) => line.length < 2 * size)) throw tooFew('a line must have at least two positions')
  return part
}

function closeRing(ring: Sequence, size: number): Sequence {
  if (ring.length === 0) throw tooFew('a ring of a polygon is empty')
  const last = ring.length - size
  const isClosed = ring[0] === ring[last] && ring[1] === ring[last + 1]
  const closed = isClosed ? ring : [...ring, ...ring.slice(0, size)]
  if (closed.length < 4 * size)
    throw tooFew('a ring must have at least four positions, the last equal to the first')
  return closed
}

const tooFew = (reason: string) => problem('feature/invalid', `invalid geometry: ${reason}`)
