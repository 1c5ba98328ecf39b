import { type GeometryFamily, type GeometryType, geometryTypeOf } from '../contract/geometry.ts'
import { problem } from '../contract/problems.ts'

/** Coordinates of a point: x, y and, where the geometry has it, z. */
export type Position = readonly number[]

/** Positions in order: one for a point, at least two for a line, at least four for a ring, the last like the first. */
export type Sequence = readonly Position[]

/** One point, line or polygon. A point or line has one sequence, a polygon one for each ring, the outer first. */
export type Part = readonly Sequence[]

/** A geometry of any type; without parts it is empty. */
export interface Geometry {
  readonly family: GeometryFamily
  readonly isMulti: boolean
  readonly hasZ: boolean
  readonly parts: readonly Part[]
}

/**
 * Makes a geometry fit the type of a layer: single becomes multi where the layer asks for it.
 *
 * @throws {Problem} feature/invalid where family, number of parts or Z differ
 */
export function fitGeometry(geometry: Geometry, type: GeometryType): Geometry {
  const { isMulti, parts } = geometry
  // Nothing has no Z to add or drop.
  const hasZ = parts.length === 0 ? type.endsWith('Z') : geometry.hasZ
  const promoted = { ...geometry, isMulti: isMulti || type.startsWith('MULTI'), hasZ }
  const actual = geometryTypeOf(promoted)
  if (actual === type) return promoted
  const given = geometryTypeOf(geometry)
  throw problem('feature/invalid', `a geometry of type ${given} does not fit a layer of type ${type}`)
}

/**
 * Checks a part as it was read: closes rings that are open.
 *
 * @throws {Problem} feature/invalid where it has too few positions
 */
export function checkPart(family: GeometryFamily, part: Part): Part {
  if (family === 'POINT') return part
  if (family === 'POLYGON') return part.map(closeRing)
  if (part.some((line) => line.length < 2)) throw tooFew('a line needs at least two positions')
  return part
}

function closeRing(ring: Sequence): Sequence {
  const [first, last] = [ring[0], ring.at(-1)]
  if (first === undefined || last === undefined) throw tooFew('a ring of a polygon is empty')
  const closed = first[0] === last[0] && first[1] === last[1] ? ring : [...ring, first]
  if (closed.length < 4) throw tooFew('a ring needs at least three positions and the first again')
  return closed
}

const tooFew = (reason: string) => problem('feature/invalid', `bad geometry: ${reason}`)
