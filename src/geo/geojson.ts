import { type GeometryFamily, planarGeometryTypes } from '../contract/geometry.ts'
import { problem } from '../contract/problems.ts'
import { LongNumber } from '../core/long_number.ts'
import { checkPart, type Geometry, type Part, type Sequence } from './geometry.ts'

/**
 * Reads the geometry object of GeoJSON. A third number of a position is z; members that are not of a geometry are
 * ignored.
 *
 * @throws {Problem} feature/invalid saying what is wrong
 * @see RFC 7946 clause 3.1
 */
export function parseGeojsonGeometry(value: unknown): Geometry {
  if (!isObject(value)) throw invalid('expected an object with type and coordinates')
  const { type, coordinates } = value
  const known = planarGeometryTypes.find((name) => name === String(type).toUpperCase())
  if (known === undefined) throw invalid(`${JSON.stringify(type)} is not a type that layers have`)
  const isMulti = known.startsWith('MULTI')
  const family = (isMulti ? known.slice(5) : known) as GeometryFamily
  const all = isMulti ? parseList(coordinates) : [coordinates]
  const sizes = new Set<number>()
  const read = all.filter((part) => !isEmpty(part)).map((part) => parsePart(part, family, sizes))
  if (sizes.size > 1) throw invalid('some positions have two numbers, others three')
  const [size = 2] = sizes
  return { family, isMulti, hasZ: size === 3, parts: read.map((part) => checkPart({ family, part, size })) }
}

/** @param sizes get how many numbers the positions have */
function parsePart(value: unknown, family: GeometryFamily, sizes: Set<number>): Part {
  const sequenceOf = (positions: readonly unknown[]): Sequence =>
    positions.flatMap((position) => parsePosition(position, sizes))
  if (family === 'POINT') return [sequenceOf([value])]
  const sequences = family === 'LINESTRING' ? [value] : parseList(value)
  return sequences.map((sequence) => sequenceOf(parseList(sequence)))
}

function parsePosition(value: unknown, sizes: Set<number>): Sequence {
  const numbers = parseList(value).map((given) => {
    const item = given instanceof LongNumber ? Number(given.digits) : given
    if (typeof item !== 'number' || !Number.isFinite(item))
      throw invalid(`${JSON.stringify(item)} is not a number`)
    return item
  })
  if (numbers.length < 2 || numbers.length > 3) throw invalid('a position has two or three numbers')
  sizes.add(numbers.length)
  return numbers
}

function parseList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw invalid('coordinates are not lists of the depth that the type asks for')
}

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const invalid = (reason: string) => problem('feature/invalid', `bad GeoJSON geometry: ${reason}`)
