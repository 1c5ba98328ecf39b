import {
  type GeometryFamily,
  type GeometryType,
  geometryParts,
  geometryTypeOf,
} from '../contract/geometry.ts'
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
  const turn = ([x = 0, y = 0]: Position): Position => (hasZ ? [x, y] : [x, y, 0])
  return { ...geometry, hasZ: !hasZ, parts: parts.map((part) => part.map((line) => line.map(turn))) }
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
