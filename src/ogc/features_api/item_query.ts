import { problem } from '../../contract/problems.ts'
import type { Problem } from '../../core/problem.ts'
import { findHint } from '../../core/suggest.ts'
import { bboxGeometry, splitAtAntimeridian } from '../../geo/bbox_geometry.ts'
import type { Geometry } from '../../geo/geometry.ts'
import type { FilterExpression } from '../../store/feature/filter_expression.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import { type Cql2Property, parseCql2 } from '../cql2/cql2_parse.ts'
import { type NamedSrs, parseSrsName } from '../reference_system.ts'
import { isSwapped, placeGeometry } from '../wfs/resolve_filter.ts'
import { type Collection, crs84, crsListOf, geometryQueryable } from './feature_api.ts'

/** Number of features in a response: by default, and at most. */
export const pageSize = { default: 100, max: 10_000 }

/** Maximum number of features that a request may skip. */
const maxOffset = 2 ** 53 - 1

/** A request for features whose names are resolved. */
export interface ItemQuery {
  readonly limit: number
  readonly offset: number
  readonly srs: NamedSrs
  /** Whether coordinates have y first. */
  readonly isSwapped: boolean
  readonly filter: FilterExpression | undefined
  /** Keynames, in the order of the layer. */
  readonly properties: readonly string[]
  readonly hasGeometry: boolean
  /** Keynames, with `-` for descending order. */
  readonly orderBy: readonly string[]
}

/** What the parameters of a request are read with. */
export interface ItemScope {
  readonly collection: Collection
  /** EPSG codes whose first axis points north. */
  readonly northFirst: ReadonlySet<number>
}

type Parameters = ReadonlyMap<string, string>

/** Names of parameters other than those of queryables. */
const known = [
  'f',
  'limit',
  'offset',
  'bbox',
  'bbox-crs',
  'crs',
  'datetime',
  'filter',
  'filter-lang',
  'filter-crs',
  'properties',
  'skipGeometry',
  'sortby',
]

/**
 * Reads the parameters of a request for features.
 *
 * @throws {Problem} request/invalid for unknown parameters, properties and reference systems
 * @see OGC 17-069r4 clause 7.15, OGC 18-058r1 clause 6.3, OGC 19-079r2 clause 7
 */
export function readItemQuery(parameters: Parameters, scope: ItemScope): ItemQuery {
  const { layer, maxFeatures } = scope.collection
  const conditions = [
    ...readQueryables(parameters, layer),
    ...readBbox(parameters, scope),
    ...readDatetime(parameters, layer),
    ...readFilter(parameters, scope),
  ]
  const limit = readWhole(parameters, 'limit', { min: 1, max: Number.MAX_SAFE_INTEGER })
  return {
    limit: Math.min(limit ?? pageSize.default, pageSize.max, maxFeatures ?? pageSize.max),
    offset: readWhole(parameters, 'offset', { min: 0, max: maxOffset }) ?? 0,
    ...readCrs(parameters, scope),
    ...readProperties(parameters, layer),
    filter: conditions.length === 0 ? undefined : { kind: 'and', items: conditions },
    orderBy: readSortBy(parameters, layer),
  }
}

function invalid(name: string, message: string, hint?: string): Problem {
  return problem('request/invalid', `${name}: ${message}`, { hint, data: { location: ['query', name] } })
}

interface Range {
  readonly min: number
  readonly max: number
}

function readWhole(parameters: Parameters, name: string, { min, max }: Range): number | undefined {
  const text = parameters.get(name)
  if (text === undefined) return undefined
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= min && value <= max) return value
  throw invalid(name, `expected a whole number of at least ${min}, got "${text.slice(0, 80)}".`)
}

/** Reads conditions such as `name=Oslo`. */
function readQueryables(parameters: Parameters, { fields }: Layer): FilterExpression[] {
  const keynames = fields.map(({ keyname }) => keyname)
  return [...parameters].flatMap(([name, literal]): FilterExpression[] => {
    if (known.includes(name)) return []
    if (name === 'id' && !keynames.includes('id')) return [{ kind: 'ids', ids: [readId(literal)] }]
    if (keynames.includes(name))
      return [{ kind: 'compare', operator: '=', left: { field: name }, right: { literal }, matchCase: true }]
    throw invalid(name, 'unknown parameter.', findHint(name, [...known, ...keynames]))
  })
}

function readId(text: string): string {
  if (/^-?\d{1,18}$/.test(text)) return text
  throw invalid('id', `expected a whole number, got "${text.slice(0, 80)}".`)
}

/**
 * Reads the reference system of the coordinates in a response.
 *
 * @throws {Problem} request/invalid if the collection does not offer it
 */
export function readCrs(
  parameters: Parameters,
  { collection, northFirst }: ItemScope,
): Pick<ItemQuery, 'srs' | 'isSwapped'> {
  const name = parameters.get('crs') ?? crs84
  const srs = crsListOf(collection).includes(name) ? parseSrsName(name) : undefined
  if (srs === undefined)
    throw invalid('crs', `the collection is not offered in "${name.slice(0, 80)}".`, hintOf(collection))
  return { srs, isSwapped: isSwapped(srs, northFirst) }
}

const hintOf = (collection: Collection) => `Use ${crsListOf(collection).join(' or ')}.`

/** Reads the reference system of coordinates in a parameter. */
function readSrs(parameters: Parameters, name: string): NamedSrs {
  const text = parameters.get(name) ?? crs84
  const srs = parseSrsName(text)
  if (srs !== undefined) return srs
  throw invalid(name, `"${text.slice(0, 80)}" does not name an EPSG reference system.`, `Use ${crs84}.`)
}

const placerOf =
  (srs: NamedSrs, { northFirst }: ItemScope) =>
  (geometry: Geometry) =>
    placeGeometry({ geometry, srsName: undefined }, { defaultSrs: srs, northFirst })

function readBbox(parameters: Parameters, scope: ItemScope): FilterExpression[] {
  const text = parameters.get('bbox')
  if (text === undefined) return []
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)))
  const corners = numbers.length === 6 ? [0, 1, 3, 4].map((at) => numbers[at]) : numbers
  const [minX = 0, minY = 0, maxX = 0, maxY = 0] = corners
  if (corners.length !== 4 || !numbers.every(Number.isFinite))
    throw invalid('bbox', `expected four or six numbers, got "${text.slice(0, 80)}".`)
  const srs = readSrs(parameters, 'bbox-crs')
  const isNorthFirst = isSwapped(srs, scope.northFirst)
  if (isNorthFirst ? minX > maxX : minY > maxY)
    throw invalid('bbox', 'the lower edge is above the upper edge.')
  const isInDegrees = srs.srs === 4326 && !isNorthFirst
  if (!isInDegrees && (isNorthFirst ? minY > maxY : minX > maxX))
    throw invalid('bbox', 'the left edge is right of the right edge.')
  // Boxes of the whole world are not transformed: their corners do not exist in many reference systems.
  if (isInDegrees && minX <= -180 && minY <= -90 && maxX >= 180 && maxY >= 90) return []
  const boxes = isInDegrees
    ? splitAtAntimeridian([minX, minY, maxX, maxY])
    : [[minX, minY, maxX, maxY] as const]
  const place = placerOf(srs, scope)
  return [
    {
      kind: 'or',
      items: boxes.map((box) => ({
        kind: 'spatial' as const,
        operator: 'intersects' as const,
        ...place(bboxGeometry(box)),
      })),
    },
  ]
}

/** Reads a time or interval, which selects by the only field of dates or times; without one it selects all. */
function readDatetime(parameters: Parameters, { fields }: Layer): FilterExpression[] {
  const text = parameters.get('datetime')
  if (text === undefined) return []
  const parts = text.split('/')
  const [start = '', end = ''] = parts.length === 1 ? [text, text] : parts
  if (parts.length > 2 || ![start, end].every((part) => instant.test(part)) || (isOpen(start) && isOpen(end)))
    throw invalid('datetime', `expected a time or interval of RFC 3339, got "${text.slice(0, 80)}".`)
  const temporal = fields.filter(({ datatype }) => datatype === 'DATE' || datatype === 'DATETIME')
  const [field] = temporal
  if (field === undefined || temporal.length > 1) return []
  const bound = (operator: '>=' | '<=', part: string): FilterExpression[] =>
    isOpen(part)
      ? []
      : [
          {
            kind: 'compare',
            operator,
            left: { field: field.keyname },
            right: { literal: literalOf(part, { isEnd: operator === '<=', datatype: field.datatype }) },
            matchCase: true,
          },
        ]
  const within: FilterExpression = { kind: 'and', items: [...bound('>=', start), ...bound('<=', end)] }
  return [{ kind: 'or', items: [within, { kind: 'null', field: field.keyname }] }]
}

const instant = /^(?:\.\.|)$|^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?)?$/i
const isOpen = (part: string) => part === '' || part === '..'

/** Returns a time as a field stores it: without a zone, in UTC. A date is the whole day. */
function literalOf(
  text: string,
  { isEnd, datatype }: { readonly isEnd: boolean; readonly datatype: string },
): string {
  const isDay = text.length === 10
  const date = new Date(isDay || /Z$|[+-]\d\d:\d\d$/i.test(text) ? text : `${text}Z`)
  if (Number.isNaN(date.getTime())) throw invalid('datetime', `"${text}" is not a date.`)
  const [day = '', time = ''] = date.toISOString().slice(0, 19).split('T')
  if (datatype === 'DATE') return day
  return `${day}T${isDay && isEnd ? '23:59:59' : time}`
}

function readFilter(parameters: Parameters, scope: ItemScope): FilterExpression[] {
  const language = parameters.get('filter-lang') ?? 'cql2-text'
  if (language !== 'cql2-text')
    throw invalid('filter-lang', `"${language.slice(0, 80)}" is not supported.`, 'Use cql2-text.')
  const text = parameters.get('filter')
  if (text === undefined) return []
  const srs = readSrs(parameters, 'filter-crs')
  return [parseCql2(text, { properties: queryablesOf(scope.collection.layer), place: placerOf(srs, scope) })]
}

function queryablesOf({ fields }: Layer): Map<string, Cql2Property> {
  return new Map<string, Cql2Property>([
    ['id', 'id'],
    [geometryQueryable, 'geometry'],
    ...fields.map(({ keyname }): [string, Cql2Property] => [keyname, { field: keyname }]),
  ])
}

function readProperties(
  parameters: Parameters,
  { fields }: Layer,
): Pick<ItemQuery, 'properties' | 'hasGeometry'> {
  const keynames = fields.map(({ keyname }) => keyname)
  const skip = parameters.get('skipGeometry') ?? 'false'
  if (skip !== 'true' && skip !== 'false') throw invalid('skipGeometry', 'expected true or false.')
  const wanted = splitNames(parameters.get('properties'))
  if (wanted === undefined) return { properties: keynames, hasGeometry: skip === 'false' }
  for (const name of wanted) checkName('properties', name, [...keynames, geometryQueryable])
  return { properties: keynames.filter((name) => wanted.includes(name)), hasGeometry: skip === 'false' }
}

const splitNames = (text: string | undefined) => text?.split(',').filter((name) => name !== '')

function checkName(parameter: string, name: string, names: readonly string[]): void {
  if (names.includes(name)) return
  throw invalid(parameter, `the collection has no property "${name.slice(0, 80)}".`, findHint(name, names))
}

function readSortBy(parameters: Parameters, { fields }: Layer): string[] {
  const names = ['id', ...fields.map(({ keyname }) => keyname)]
  // A plus sign in a query is decoded as a space.
  return (splitNames(parameters.get('sortby')) ?? []).map((text) => {
    const name = text.replace(/^[-+ ]/, '')
    checkName('sortby', name, names)
    return text.startsWith('-') ? `-${name}` : name
  })
}
