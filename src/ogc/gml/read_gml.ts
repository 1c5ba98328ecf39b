import type { GeometryFamily } from '../../contract/geometry.ts'
import { isProblem } from '../../core/problem.ts'
import { checkPart, type Geometry, type Part, type Sequence } from '../../geo/geometry.ts'
import { invalidParameter, type OwsFault, shown } from '../ows_fault.ts'
import { findChild, trimmedText, type XmlNode } from '../xml_tree.ts'

/** A geometry of a request, with its coordinates in the order of the request. */
export interface GmlGeometry {
  readonly geometry: Geometry
  /** Name of its reference system; undefined if the request does not state it. */
  readonly srsName: string | undefined
}

/** Maximum number of coordinates of a geometry. */
const maxCoordinates = 4_000_000

/**
 * Reads a geometry of GML 2, 3.1 or 3.2: points, lines and polygons, their collections, curves and surfaces of linear
 * segments, boxes and envelopes. A box becomes a polygon.
 *
 * @throws {OwsFault} for other geometries, such as arcs, and for coordinates that are not numbers
 * @see OGC 02-069 clause 4, OGC 03-105r1, OGC 07-036
 */
export function readGml(node: XmlNode): GmlGeometry {
  const srsName = findSrsName(node)
  const parts = readParts(node, dimensionOf(node, undefined))
  const [first] = parts
  const kind = kinds[node.name]
  if (kind === undefined) throw unsupported(node)
  const size = first?.size ?? 2
  if (parts.some((one) => one.size !== size))
    throw fault('A geometry mixes positions of two and three coordinates.')
  const isMulti = kind.members !== undefined
  const { family = kind.family ?? 'POINT' } = first ?? {}
  if (parts.some((one) => one.family !== family)) throw fault('A geometry mixes points, lines and polygons.')
  const geometry = { family, isMulti, hasZ: size === 3, parts: parts.map(({ part }) => part) }
  return { geometry, srsName }
}

/** Tells whether an element is a geometry. */
export function isGeometryNode({ name }: XmlNode): boolean {
  return Object.hasOwn(kinds, name)
}

interface SizedPart {
  readonly family: GeometryFamily
  readonly part: Part
  readonly size: number
}

interface GeometryKind {
  readonly family?: GeometryFamily
  /** Elements that hold the members of a collection. */
  readonly members?: readonly string[]
  read?(node: XmlNode, dimension: number | undefined): SizedPart
}

const kinds: Readonly<Record<string, GeometryKind>> = {
  Point: { family: 'POINT', read: readPoint },
  LineString: { family: 'LINESTRING', read: readLine },
  LinearRing: { family: 'LINESTRING', read: readLine },
  Curve: { family: 'LINESTRING', read: readCurve },
  Polygon: { family: 'POLYGON', read: readPolygon },
  PolygonPatch: { family: 'POLYGON', read: readPolygon },
  Rectangle: { family: 'POLYGON', read: readPolygon },
  Surface: { family: 'POLYGON', read: readSurface },
  Box: { family: 'POLYGON', read: readBox },
  Envelope: { family: 'POLYGON', read: readBox },
  MultiPoint: { family: 'POINT', members: ['pointMember', 'pointMembers'] },
  MultiLineString: { family: 'LINESTRING', members: ['lineStringMember'] },
  MultiCurve: { family: 'LINESTRING', members: ['curveMember', 'curveMembers'] },
  MultiPolygon: { family: 'POLYGON', members: ['polygonMember'] },
  MultiSurface: { family: 'POLYGON', members: ['surfaceMember', 'surfaceMembers'] },
}

function readParts(node: XmlNode, dimension: number | undefined): SizedPart[] {
  const kind = Object.hasOwn(kinds, node.name) ? kinds[node.name] : undefined
  if (kind === undefined) throw unsupported(node)
  if (kind.read !== undefined) return [closed(kind.read(node, dimension))]
  const members = node.children.filter(({ name }) => kind.members?.includes(name))
  return members.flatMap((member) => member.children.flatMap((child) => readMember(child, dimension)))
}

function readMember(node: XmlNode, dimension: number | undefined): SizedPart[] {
  if (kinds[node.name]?.members !== undefined) throw unsupported(node)
  return readParts(node, dimensionOf(node, dimension))
}

function closed({ family, part, size }: SizedPart): SizedPart {
  try {
    return { family, part: checkPart({ family, part, size }), size }
  } catch (error) {
    throw isProblem(error) ? fault(error.message) : error
  }
}

interface Positions {
  readonly numbers: Sequence
  readonly size: number
}

function readPoint(node: XmlNode, dimension: number | undefined): SizedPart {
  const { numbers, size } = readPositions(node, dimension)
  if (numbers.length !== size) throw fault('A point must have one position.')
  return { family: 'POINT', part: [numbers], size }
}

function readLine(node: XmlNode, dimension: number | undefined): SizedPart {
  const { numbers, size } = readPositions(node, dimension)
  return { family: 'LINESTRING', part: [numbers], size }
}

function readCurve(node: XmlNode, dimension: number | undefined): SizedPart {
  const segments = findChild(node, 'segments')?.children ?? []
  const [first] = segments
  if (first === undefined || segments.length > 1 || first.name !== 'LineStringSegment')
    throw unsupported(first ?? node)
  return readLine(first, dimensionOf(first, dimension))
}

function readSurface(node: XmlNode, dimension: number | undefined): SizedPart {
  const patches = findChild(node, 'patches', 'polygonPatches')?.children ?? []
  const [first] = patches
  if (first === undefined || patches.length > 1) throw unsupported(node)
  return readPolygon(first, dimensionOf(first, dimension))
}

const ringNames = ['exterior', 'outerBoundaryIs', 'interior', 'innerBoundaryIs']

function readPolygon(node: XmlNode, dimension: number | undefined): SizedPart {
  const boundaries = node.children
    .filter(({ name }) => ringNames.includes(name))
    .sort((a, b) => ringNames.indexOf(a.name) - ringNames.indexOf(b.name))
  const rings = boundaries.map((boundary) => {
    const [ring] = boundary.children
    if (ring?.name !== 'LinearRing') throw unsupported(ring ?? boundary)
    return readPositions(ring, dimensionOf(ring, dimension))
  })
  const [first] = rings
  if (first === undefined) throw fault(`<${node.name}> has no exterior.`)
  if (rings.some(({ size }) => size !== first.size))
    throw fault('A geometry mixes positions of two and three coordinates.')
  return { family: 'POLYGON', part: rings.map(({ numbers }) => numbers), size: first.size }
}

/** Returns a box as a polygon of its four corners; heights are ignored. */
function readBox(node: XmlNode, dimension: number | undefined): SizedPart {
  const corners = ['lowerCorner', 'upperCorner'].flatMap((name) => findChild(node, name) ?? [])
  const positions = corners.length === 2 ? corners.map(readCorner) : cornersOf(readPositions(node, dimension))
  const [lower, upper] = positions
  if (positions.length !== 2 || lower === undefined || upper === undefined)
    throw fault(`<${node.name}> must have two corners.`)
  return { family: 'POLYGON', part: [boxRing([...lower, ...upper])], size: 2 }
}

function readCorner(node: XmlNode): readonly number[] {
  const numbers = parseNumbers(node.text)
  if (numbers.length !== 2 && numbers.length !== 3) throw fault(`<${node.name}> must have two coordinates.`)
  return numbers.slice(0, 2)
}

function cornersOf({ numbers, size }: Positions): number[][] {
  return Array.from({ length: numbers.length / size }, (_, at) => numbers.slice(size * at, size * at + 2))
}

/** Returns the ring of a box from the coordinates of its lower and upper corner. */
export function boxRing([left = 0, bottom = 0, right = 0, top = 0]: readonly number[]): Sequence {
  return [left, bottom, right, bottom, right, top, left, top, left, bottom]
}

function readPositions(node: XmlNode, dimension: number | undefined): Positions {
  const numbers: number[] = []
  let size: number | undefined
  for (const child of node.children) {
    const read = readPositionNode(child, dimensionOf(child, dimension))
    if (read === undefined) continue
    if (size !== undefined && size !== read.size)
      throw fault('A geometry mixes positions of two and three coordinates.')
    size = read.size
    for (const number of read.numbers) numbers.push(number)
    if (numbers.length > maxCoordinates)
      throw fault(`A geometry has more than ${maxCoordinates} coordinates.`)
  }
  if (size === undefined) throw fault(`<${node.name}> has no coordinates.`)
  return { numbers, size }
}

function readPositionNode(node: XmlNode, dimension: number | undefined): Positions | undefined {
  switch (node.name) {
    case 'pos':
      return sized(parseNumbers(node.text), undefined)
    case 'posList':
      return sized(parseNumbers(node.text), dimension ?? 2)
    case 'coordinates':
      return readCoordinates(node)
    case 'coord':
      return sized(
        node.children.flatMap((child) => (/^[XYZ]$/.test(child.name) ? parseNumbers(child.text) : [])),
        undefined,
      )
    case 'pointProperty':
    case 'pointRep':
      return node.children[0] && readPositions(node.children[0], dimension)
    default:
      return undefined
  }
}

/** Checks the number of coordinates; without a dimension, the numbers are one position. */
function sized(numbers: readonly number[], dimension: number | undefined): Positions {
  const size = dimension ?? numbers.length
  if (size !== 2 && size !== 3) throw fault(`A position has ${size} coordinates; expected 2 or 3.`)
  if (numbers.length % size !== 0)
    throw fault(`${numbers.length} coordinates do not make positions of ${size} coordinates each.`)
  return { numbers, size }
}

/** @see OGC 02-069 clause 4.3.2 */
function readCoordinates(node: XmlNode): Positions {
  const { attributes } = node
  const decimal = attributes.get('decimal') ?? '.'
  const separator = attributes.get('cs') ?? ','
  const tuple = attributes.get('ts') ?? ' '
  const split = (text: string, by: string) =>
    (by.trim() === '' ? text.trim().split(/\s+/) : text.trim().split(by)).filter((one) => one.trim() !== '')
  const tuples = split(trimmedText(node), tuple).map((one) => split(one, separator))
  const size = tuples[0]?.length ?? 2
  if (tuples.some(({ length }) => length !== size))
    throw fault('<coordinates> mixes positions of different sizes.')
  const texts = tuples.flat()
  return sized(
    texts.map((text) => parseNumber(decimal === '.' ? text : text.replace(decimal, '.'))),
    size,
  )
}

function parseNumbers(text: string): number[] {
  const trimmed = text.trim()
  return trimmed === '' ? [] : trimmed.split(/\s+/).map(parseNumber)
}

function parseNumber(text: string): number {
  const number = Number(text)
  if (text.trim() === '' || !Number.isFinite(number)) throw fault(`${shown(text)} is not a coordinate.`)
  return number
}

function dimensionOf({ attributes }: XmlNode, inherited: number | undefined): number | undefined {
  const text = attributes.get('srsDimension') ?? attributes.get('dimension')
  return text === undefined ? inherited : Number(text)
}

/** Finds the reference system of a geometry, which its members may state as well. */
function findSrsName(node: XmlNode): string | undefined {
  const own = node.attributes.get('srsName')
  if (own !== undefined) return own
  for (const child of node.children) {
    const found = findSrsName(child)
    if (found !== undefined) return found
  }
  return undefined
}

function unsupported({ name }: XmlNode): OwsFault {
  return fault(`Geometries of the type <${name}> are not supported.`)
}

function fault(message: string): OwsFault {
  return invalidParameter('geometry', message)
}
