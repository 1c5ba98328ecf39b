import { countPositions } from '../../geo/geometry.ts'
import type { Comparison, SpatialOperator } from '../../store/feature/filter_expression.ts'
import { isGeometryNode, readGml } from '../gml/read_gml.ts'
import { invalidParameter, OwsFault, shown } from '../ows_fault.ts'
import { findChild, trimmedText, type XmlNode } from '../xml_tree.ts'
import type { FesFilter, FesOperand } from './fes_filter.ts'

/** Maximum number of operators and identifiers of a filter. */
const maxOperators = 10_000

/** Maximum number of positions in all geometries of a filter: each feature is compared with all of them. */
const maxPositions = 50_000

/** Maximum nesting depth of logical operators. */
const maxDepth = 50

/** Special characters of a pattern. */
interface PatternSyntax {
  readonly wildCard: string
  readonly singleChar: string
  readonly escapeChar: string
}

const literal = (character: string) => (/[%_\\]/.test(character) ? `\\${character}` : character)

/**
 * Reads a `Filter` element of filter encoding 1.0, 1.1 or 2.0. The versions differ in names only.
 *
 * @throws {OwsFault} for unknown operators, and for filters that are too deep or too large
 * @see OGC 02-059, OGC 04-095, OGC 09-026r2
 */
export function readFilter(node: XmlNode): FesFilter {
  if (node.name !== 'Filter') throw refuse(`Expected <Filter>, got <${node.name}>.`)
  const state: ReadState = { left: { operators: maxOperators, positions: maxPositions }, depth: 0 }
  const items = node.children.map((child) => readOperator(child, state))
  const ids = items.flatMap((item) => (item.kind === 'ids' ? item.ids : []))
  const [first] = items
  if (first === undefined) throw refuse('The filter is empty.')
  if (items.every((item) => item.kind === 'ids')) return { kind: 'ids', ids }
  if (items.length > 1) throw refuse('The filter has several operators; combine them with And or Or.')
  return first
}

interface ReadState {
  /** Numbers of operators, and of positions of geometries, that may follow. */
  readonly left: { operators: number; positions: number }
  readonly depth: number
}

function readOperator(node: XmlNode, state: ReadState): FesFilter {
  state.left.operators -= 1
  if (state.left.operators < 0) throw refuse(`The filter has more than ${maxOperators} operators.`)
  if (state.depth > maxDepth) throw refuse(`The filter nests operators more than ${maxDepth} levels deep.`)
  const { name } = node
  if (name === 'And' || name === 'Or') return readLogical(node, state)
  if (name === 'Not') return readNot(node, state)
  if (Object.hasOwn(comparisons, name)) return readComparison(node)
  if (name === 'PropertyIsBetween') return readBetween(node)
  if (name === 'PropertyIsLike') return readLike(node)
  if (name === 'PropertyIsNull' || name === 'PropertyIsNil')
    return { kind: 'null', property: propertyOf(node) }
  if (Object.hasOwn(idAttributes, name)) return { kind: 'ids', ids: [idOf(node)] }
  if (name === 'BBOX' || Object.hasOwn(spatial, name)) return readSpatial(node, state)
  if (name === 'DWithin' || name === 'Beyond') return readDistance(node, state)
  throw new OwsFault('OperationNotSupported', `The filter operator <${name}> is not supported.`, name)
}

/** Reads the items of a logical operator. All of them share the limits. */
function readItems({ children }: XmlNode, { left, depth }: ReadState): FesFilter[] {
  return children.map((child) => readOperator(child, { left, depth: depth + 1 }))
}

function readLogical(node: XmlNode, state: ReadState): FesFilter {
  const items = readItems(node, state)
  // One operand is accepted: clients compose filters in loops.
  if (items.length === 0) throw refuse(`<${node.name}> has no operands.`)
  return { kind: node.name === 'And' ? 'and' : 'or', items }
}

function readNot(node: XmlNode, state: ReadState): FesFilter {
  const [item, ...rest] = readItems(node, state)
  if (item === undefined || rest.length > 0) throw refuse('<Not> must have one operand.')
  return { kind: 'not', item }
}

const comparisons: Readonly<Record<string, Comparison>> = {
  PropertyIsEqualTo: '=',
  PropertyIsNotEqualTo: '<>',
  PropertyIsLessThan: '<',
  PropertyIsGreaterThan: '>',
  PropertyIsLessThanOrEqualTo: '<=',
  PropertyIsGreaterThanOrEqualTo: '>=',
}

function readComparison(node: XmlNode): FesFilter {
  const [left, right, ...rest] = node.children.map(readOperand)
  if (left === undefined || right === undefined || rest.length > 0)
    throw refuse(`<${node.name}> must have two operands.`)
  if (!('property' in left) && !('property' in right)) throw refuse(`<${node.name}> compares two literals.`)
  const operator = comparisons[node.name] ?? '='
  return { kind: 'compare', operator, left, right, matchCase: node.attributes.get('matchCase') !== 'false' }
}

const propertyNames: readonly string[] = ['PropertyName', 'ValueReference']

function readOperand(node: XmlNode): FesOperand {
  if (propertyNames.includes(node.name)) return { property: trimmedText(node) }
  // Literals keep their white space, which may be part of a string.
  if (node.name === 'Literal') return { literal: node.text }
  const message = `The expression <${node.name}> is not supported; use a property and a literal.`
  throw new OwsFault('OperationNotSupported', message, node.name)
}

function readBetween(node: XmlNode): FesFilter {
  return {
    kind: 'between',
    property: propertyOf(node),
    lower: boundaryOf(node, 'LowerBoundary'),
    upper: boundaryOf(node, 'UpperBoundary'),
  }
}

function boundaryOf(node: XmlNode, name: string): string {
  const boundary = findChild(node, name)
  if (boundary === undefined) throw refuse(`<PropertyIsBetween> has no <${name}>.`)
  return (findChild(boundary, 'Literal') ?? boundary).text
}

function readLike(node: XmlNode): FesFilter {
  const literal = findChild(node, 'Literal')
  if (literal === undefined) throw refuse('<PropertyIsLike> has no <Literal>.')
  const { attributes } = node
  const pattern = sqlPattern(literal.text, {
    wildCard: attributes.get('wildCard') ?? '*',
    singleChar: attributes.get('singleChar') ?? '?',
    escapeChar: attributes.get('escapeChar') ?? attributes.get('escape') ?? '\\',
  })
  const matchCase = attributes.get('matchCase') !== 'false'
  return { kind: 'like', property: propertyOf(node), pattern, matchCase }
}

function propertyOf(node: XmlNode): string {
  const found = findChild(node, ...propertyNames)
  if (found === undefined) throw refuse(`<${node.name}> has no property name.`)
  return trimmedText(found)
}

/** Attribute of the identifier of each element. */
const idAttributes: Readonly<Record<string, string>> = {
  FeatureId: 'fid',
  GmlObjectId: 'id',
  ResourceId: 'rid',
}

function idOf(node: XmlNode): string {
  const id = node.attributes.get(idAttributes[node.name] ?? '')
  if (id === undefined) throw refuse(`<${node.name}> has no identifier.`)
  return id
}

const spatial: Readonly<Record<string, SpatialOperator>> = {
  Equals: 'equals',
  Disjoint: 'disjoint',
  Touches: 'touches',
  Within: 'within',
  Overlaps: 'overlaps',
  Crosses: 'crosses',
  Intersects: 'intersects',
  // The name of a draft, which some clients send.
  Intersect: 'intersects',
  Contains: 'contains',
}

function readSpatial(node: XmlNode, state: ReadState): FesFilter {
  const { property, target } = readTarget(node, state)
  return { kind: 'spatial', operator: spatial[node.name] ?? 'intersects', property, target }
}

function readTarget(node: XmlNode, { left }: ReadState) {
  const geometries = node.children.filter(isGeometryNode)
  const [geometry] = geometries
  if (geometry === undefined || geometries.length > 1) {
    const other = node.children.find(({ name }) => ![...propertyNames, 'Distance'].includes(name))
    if (other !== undefined && geometry === undefined) readGml(other)
    throw refuse(`<${node.name}> must have one geometry.`)
  }
  const property = findChild(node, ...propertyNames)
  const target = readGml(geometry)
  left.positions -= countPositions(target.geometry)
  if (left.positions < 0)
    throw refuse(`The geometries of the filter have more than ${maxPositions} positions.`)
  return { property: property && trimmedText(property), target }
}

/** Meters of each unit of distances. */
const units: Readonly<Record<string, number>> = {
  m: 1,
  metre: 1,
  metres: 1,
  meter: 1,
  meters: 1,
  km: 1000,
  kilometre: 1000,
  kilometer: 1000,
  kilometers: 1000,
  ft: 0.3048,
  foot: 0.3048,
  feet: 0.3048,
  mi: 1609.344,
  mile: 1609.344,
  'statute miles': 1609.344,
  nmi: 1852,
  'nautical miles': 1852,
}

function readDistance(node: XmlNode, state: ReadState): FesFilter {
  const found = findChild(node, 'Distance')
  if (found === undefined) throw refuse(`<${node.name}> has no <Distance>.`)
  const value = Number(trimmedText(found))
  if (trimmedText(found) === '' || !Number.isFinite(value) || value < 0)
    throw refuse(`${shown(found.text)} is not a distance.`)
  const text = found.attributes.get('units') ?? found.attributes.get('uom') ?? ''
  // Units may be given as a URI: the last part is their name.
  const name = text.replace(/^.*[#/:]/, '').toLowerCase()
  const factor = Object.hasOwn(units, name) ? units[name] : undefined
  if (factor === undefined && !/^(deg|degree|degrees|)$/.test(name))
    throw refuse(`${shown(text)} is not a known unit; use m or km.`)
  const unit = factor === undefined ? 'srs' : 'metre'
  return {
    kind: 'distance',
    isWithin: node.name === 'DWithin',
    ...readTarget(node, state),
    distance: value * (factor ?? 1),
    unit,
  }
}

function refuse(message: string): OwsFault {
  return invalidParameter('filter', message)
}

/**
 * Converts a pattern to one of SQL, with a backslash as the escape character.
 *
 * @see OGC 09-026r2 clause 7.7.3.5
 */
export function sqlPattern(text: string, { wildCard, singleChar, escapeChar }: PatternSyntax): string {
  let pattern = ''
  for (let at = 0; at < text.length; ) {
    const next = (special: string) => special !== '' && text.startsWith(special, at)
    if (next(escapeChar) && at + escapeChar.length < text.length) {
      at += escapeChar.length
      pattern += literal(text[at] ?? '')
      at += 1
    } else if (next(wildCard)) {
      pattern += '%'
      at += wildCard.length
    } else if (next(singleChar)) {
      pattern += '_'
      at += singleChar.length
    } else {
      pattern += literal(text[at] ?? '')
      at += 1
    }
  }
  return pattern
}
