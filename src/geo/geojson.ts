import { type GeometryFamily, planarGeometryTypes } from '../contract/geometry.ts'
import { problem } from '../contract/problems.ts'
import { isObject } from '../core/is_object.ts'
import { LongNumber } from '../core/long_number.ts'
import { checkPart, type Geometry, type Part, type Sequence } from './geometry.ts'

/**
 * Parses a GeoJSON geometry object. A third coordinate is z; other members are ignored.
 *
 * @throws {Problem} feature/invalid with the reason
 * @see RFC 7946 clause 3.1
 */
export function parseGeojsonGeometry(value: unknown): Geometry {
  if (!isObject(value)) throw invalid('expected an object with type and coordinates')
  const { type, coordinates } = value
  const known = planarGeometryTypes.find((name) => name === String(type).toUpperCase())
  if (known === undefined) throw invalid(`${JSON.stringify(type)} is not a supported geometry type`)
  const isMulti = known.startsWith('MULTI')
  const family = (isMulti ? known.slice(5) : known) as GeometryFamily
  const all = isMulti ? parseList(coordinates) : [coordinates]
  const sizes = new Set<number>()
  const read = all.filter((part) => !isEmpty(part)).map((part) => parsePart(part, family, sizes))
  if (sizes.size > 1) throw invalid('some positions have two coordinates, others three')
  const [size = 2] = sizes
  return { family, isMulti, hasZ: size === 3, parts: read.map((part) => checkPart({ family, part, size })) }
}

/** @param sizes receives the number of coordinates of the positions */
function parsePart(value: unknown, family: GeometryFamily, sizes: Set<number>): Part {
  const sequenceOf = (positions: readonly unknown[]): Sequence =>
    positions.flatMap((position) => parsePosition(position, sizes))
  if (family === 'POINT') return [sequenceOf([value])]
  const sequences = family === 'LINESTRING' ? [value] : parseList(value)
  return sequences.map((sequence) => sequenceOf(parseList(sequence)))
}

function parsePosition(value: unknown, sizes: Set<number>): Sequence {
  const numbers = parseList(value).map((element) => {
    const item = element instanceof LongNumber ? Number(element.digits) : element
    if (typeof item !== 'number' || !Number.isFinite(item))
      throw invalid(`${JSON.stringify(item)} is not a number`)
    return item
  })
  if (numbers.length < 2 || numbers.length > 3) throw invalid('a position must have two or three coordinates')
  sizes.add(numbers.length)
  return numbers
}

function parseList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw invalid('coordinates are not nested as the geometry type requires')
}

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0

const invalid = (reason: string) => problem('feature/invalid', `invalid GeoJSON geometry: ${reason}`)
