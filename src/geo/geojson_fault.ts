import { isObject } from '../core/is_object.ts'

/** What is wrong with a GeoJSON object, and where. */
export interface GeojsonFault {
  /** Names and indexes that lead to the invalid value. */
  readonly path: readonly (string | number)[]
  readonly reason: string
}

type Found = GeojsonFault | undefined
type Check = (value: unknown) => Found

/**
 * Finds the first fault in the structure of a GeoJSON object. Empty collections and empty coordinates are valid.
 *
 * @see RFC 7946 clause 3
 */
export function findGeojsonFault(value: unknown): Found {
  if (!isObject(value)) return fault(`expected a GeoJSON object, got ${describe(value)}`)
  if (value.type === 'FeatureCollection')
    return findBboxFault(value) ?? memberFault(value, 'features', features)
  if (value.type === 'Feature') return findFeatureFault(value)
  return geometryTypes.includes(String(value.type))
    ? findGeometryFault(value)
    : typeFault(value, ['FeatureCollection', 'Feature', ...geometryTypes])
}

/** Finds the first fault in a feature. @see RFC 7946 clause 3.2 */
export function findFeatureFault(value: unknown): Found {
  if (!isObject(value)) return fault(`expected a feature, got ${describe(value)}`)
  const { type, id } = value
  if (type !== 'Feature') return typeFault(value, ['Feature'])
  if (!['string', 'number', 'undefined'].includes(typeof id))
    return within('id', fault(`expected a string or a number, got ${describe(id)}`))
  return (
    memberFault(value, 'geometry', orNull(findGeometryFault)) ??
    memberFault(value, 'properties', orNull(object)) ??
    findBboxFault(value)
  )
}

function findGeometryFault(value: unknown): Found {
  if (!isObject(value)) return fault(`expected a geometry, got ${describe(value)}`)
  if (value.type === 'GeometryCollection')
    return memberFault(value, 'geometries', listOf(findGeometryFault, 'geometries')) ?? findBboxFault(value)
  const check = Object.hasOwn(coordinates, String(value.type)) ? coordinates[String(value.type)] : undefined
  if (check === undefined || typeof value.type !== 'string') return typeFault(value, geometryTypes)
  return memberFault(value, 'coordinates', orEmpty(check)) ?? findBboxFault(value)
}

const position: Check = (value) => {
  if (!Array.isArray(value)) return fault(`expected a position, got ${describe(value)}`)
  const wrong = value.findIndex((item) => typeof item !== 'number' || !Number.isFinite(item))
  if (wrong >= 0) return within(wrong, fault(`expected a number, got ${describe(value[wrong])}`))
  return value.length < 2
    ? fault(`a position has two or more numbers, this one has ${value.length}`)
    : undefined
}

const positions = listOf(position, 'positions')

const lineString: Check = (value) =>
  positions(value) ??
  (lengthOf(value) < 2
    ? fault(`a line has two or more positions, this one has ${lengthOf(value)}`)
    : undefined)

const linearRing: Check = (value) => {
  const found = positions(value)
  if (found !== undefined) return found
  const ring = value as readonly (readonly number[])[]
  if (ring.length < 4) return fault(`a linear ring has four or more positions, this one has ${ring.length}`)
  const [first, last] = [ring[0], ring.at(-1)]
  const isClosed = first?.every((number, at) => number === last?.[at])
  return isClosed ? undefined : fault('the first and the last position of a linear ring must be equal')
}

const polygon = listOf(linearRing, 'linear rings')

/** Checks of the coordinates, by type of geometry. */
const coordinates: Readonly<Record<string, Check>> = {
  Point: position,
  MultiPoint: positions,
  LineString: lineString,
  MultiLineString: listOf(lineString, 'lines'),
  Polygon: polygon,
  MultiPolygon: listOf(polygon, 'polygons'),
}

const geometryTypes = [...Object.keys(coordinates), 'GeometryCollection']

const features = listOf(findFeatureFault, 'features')

const object: Check = (value) =>
  isObject(value) ? undefined : fault(`expected an object, got ${describe(value)}`)

/** @see RFC 7946 clause 5 */
function findBboxFault({ bbox }: Readonly<Record<string, unknown>>): Found {
  if (bbox === undefined) return undefined
  const found = listOf(number, 'numbers')(bbox)
  if (found !== undefined) return within('bbox', found)
  const length = lengthOf(bbox)
  const isPair = length >= 4 && length % 2 === 0
  return isPair
    ? undefined
    : within('bbox', fault(`a bounding box has two positions, this one has ${length} numbers`))
}

const number: Check = (value) =>
  typeof value === 'number' ? undefined : fault(`expected a number, got ${describe(value)}`)

function listOf(check: Check, content: string): Check {
  return (value) => {
    if (!Array.isArray(value)) return fault(`expected an array of ${content}, got ${describe(value)}`)
    for (let at = 0; at < value.length; at += 1) {
      const found = check(value[at])
      if (found !== undefined) return within(at, found)
    }
    return undefined
  }
}

const orNull =
  (check: Check): Check =>
  (value) =>
    value === null ? undefined : check(value)

/** Readers may take empty coordinates as a null geometry. @see RFC 7946 clause 3.1 */
const orEmpty =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.length === 0 ? undefined : check(value)

function memberFault(owner: Readonly<Record<string, unknown>>, name: string, check: Check): Found {
  if (!Object.hasOwn(owner, name)) return fault(`the member "${name}" is missing`)
  const found = check(owner[name])
  return found === undefined ? undefined : within(name, found)
}

function typeFault(owner: Readonly<Record<string, unknown>>, expected: readonly string[]): GeojsonFault {
  if (!Object.hasOwn(owner, 'type')) return fault('the member "type" is missing')
  const { type } = owner
  const shown = typeof type === 'string' ? JSON.stringify(type.slice(0, 40)) : describe(type)
  return within('type', fault(`expected ${expected.join(', ')}, got ${shown}`))
}

const fault = (reason: string): GeojsonFault => ({ path: [], reason })

const within = (token: string | number, { path, reason }: GeojsonFault): GeojsonFault => ({
  path: [token, ...path],
  reason,
})

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0)

function describe(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number that is too large'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
