import type { FesFilter } from '../filter/fes_filter.ts'
import { readFilter } from '../filter/read_filter.ts'
import { boxRing } from '../gml/read_gml.ts'
import type { Parameters } from '../key_value_pairs.ts'
import { invalidParameter, OwsFault, shown } from '../ows_fault.ts'
import { readXmlNode } from '../xml_tree.ts'
import { negotiateVersion, readVersion } from './wfs_protocol.ts'
import {
  type FeatureQuery,
  type GetFeature,
  getFeatureById,
  maxQueries,
  maxSortKeys,
  type SortKey,
  type WfsRequest,
} from './wfs_request.ts'

/**
 * Parses a request of keyword-value pairs.
 *
 * @throws {OwsFault}
 * @see OGC 02-058 clause 13, OGC 04-094 clause 14, OGC 09-025r2 annex B
 */
export function parseKvp(parameters: Parameters): WfsRequest {
  const get = (name: string) => parameters.get(name)?.trim() || undefined
  const name = get('REQUEST')
  if (name === undefined) throw missing('request')
  const service = get('SERVICE')
  if (service !== undefined && service.toUpperCase() !== 'WFS')
    throw invalidParameter('service', `The service is WFS, not ${shown(service)}.`)
  const operation = operations[name.toLowerCase()]
  if (operation === 'GetCapabilities') {
    if (service === undefined) throw missing('service')
    const accepted = splitList(get('ACCEPTVERSIONS'))
    return { operation, protocol: negotiateVersion({ accepted, version: get('VERSION') }) }
  }
  const protocol = readVersion(get('VERSION'))
  switch (operation) {
    case 'DescribeFeatureType':
      return { operation, protocol, typeNames: splitList(get('TYPENAME') ?? get('TYPENAMES')) }
    case 'GetFeature':
    case 'GetPropertyValue':
      return parseGetFeature(parameters, protocol, operation)
    case 'ListStoredQueries':
      return { operation, protocol }
    case 'DescribeStoredQueries':
      return { operation, protocol, ids: splitList(get('STOREDQUERY_ID')) }
    default:
      throw unsupportedOperation(name)
  }
}

const operations: Readonly<Record<string, WfsRequest['operation'] | 'GetPropertyValue'>> = {
  getcapabilities: 'GetCapabilities',
  describefeaturetype: 'DescribeFeatureType',
  getfeature: 'GetFeature',
  getpropertyvalue: 'GetPropertyValue',
  liststoredqueries: 'ListStoredQueries',
  describestoredqueries: 'DescribeStoredQueries',
}

/** Creates the fault of an operation that the service does not have. */
export function unsupportedOperation(name: string): OwsFault {
  const reasons: Readonly<Record<string, string>> = {
    LOCKFEATURE: 'This service does not lock features.',
    GETFEATUREWITHLOCK: 'This service does not lock features; use GetFeature.',
    TRANSACTION: 'Send a transaction as XML in the body of a POST request.',
  }
  const upper = name.toUpperCase()
  const reason = Object.hasOwn(reasons, upper) ? reasons[upper] : undefined
  return new OwsFault(
    'OperationNotSupported',
    reason ?? `The operation ${shown(name)} is not supported.`,
    name.slice(0, 80),
  )
}

function parseGetFeature(
  parameters: Parameters,
  protocol: GetFeature['protocol'],
  operation: 'GetFeature' | 'GetPropertyValue',
): GetFeature {
  const get = (name: string) => parameters.get(name)?.trim() || undefined
  const storedQuery = get('STOREDQUERY_ID') ?? get('STOREDQUERYID')
  const valueReference = get('VALUEREFERENCE')
  if (operation === 'GetPropertyValue' && valueReference === undefined) throw missing('valueReference')
  return {
    operation: 'GetFeature',
    protocol,
    queries:
      storedQuery === undefined
        ? parseQueries(parameters)
        : [queryById(storedQuery, get('ID'), get('SRSNAME'))],
    count: readCount('count', get('COUNT') ?? get('MAXFEATURES')),
    startIndex: readCount('startIndex', get('STARTINDEX')) ?? 0,
    resultType: readResultType(get('RESULTTYPE')),
    outputFormat: get('OUTPUTFORMAT'),
    valueReference: operation === 'GetPropertyValue' ? valueReference : undefined,
    isSingle: operation === 'GetFeature' && storedQuery !== undefined,
  }
}

/**
 * Returns the query of a stored query. There is one: it finds a feature by its identifier.
 *
 * @throws {OwsFault}
 */
export function queryById(name: string, id: string | undefined, srsName: string | undefined): FeatureQuery {
  if (name.toLowerCase() !== getFeatureById.toLowerCase())
    throw invalidParameter(
      'storedQuery_Id',
      `There is no stored query ${shown(name)}; use ${getFeatureById}.`,
    )
  if (id === undefined || id === '') throw missing('ID')
  const [typeName = ''] = typesOfIds([id])
  const filter = { kind: 'ids', ids: [id] } as const
  return { typeName, properties: undefined, srsName, filter, sortBy: [] }
}

function parseQueries(parameters: Parameters): FeatureQuery[] {
  const get = (name: string) => parameters.get(name)?.trim() || undefined
  const ids = splitList(get('RESOURCEID') ?? get('FEATUREID'))
  const typeNames = readTypeNames(get('TYPENAMES') ?? get('TYPENAME'), get('VERSION')) ?? typesOfIds(ids)
  if (typeNames.length === 0) throw missing('typeName')
  if (typeNames.length > maxQueries)
    throw invalidParameter(
      'typeName',
      `The request has ${typeNames.length} queries; the limit is ${maxQueries}.`,
    )
  const filters = splitGroups(get('FILTER')).map((text) => readFilter(readXmlNode(text)))
  const properties = splitGroups(get('PROPERTYNAME')).map(readProperties)
  const sorts = splitGroups(get('SORTBY')).map(readSortBy)
  const bbox = get('BBOX')
  const selections = [ids.length > 0, bbox !== undefined, filters.length > 0].filter(Boolean)
  if (selections.length > 1)
    throw invalidParameter(
      'filter',
      'Use one of the parameters FILTER, BBOX and RESOURCEID (FEATUREID), not several.',
    )
  const shared = bbox === undefined ? idFilter(ids) : boxFilter(bbox)
  for (const [name, list] of [
    ['filter', filters],
    ['propertyName', properties],
    ['sortBy', sorts],
  ] as const)
    if (list.length > 1 && list.length !== typeNames.length)
      throw invalidParameter(name, `The number of values differs from the number of feature types.`)
  return typeNames.map((typeName, at) => ({
    typeName,
    properties: itemAt(properties, at),
    srsName: get('SRSNAME'),
    filter: shared ?? itemAt(filters, at),
    sortBy: itemAt(sorts, at) ?? [],
  }))
}

/** Returns the item of a query; a single one counts for all queries. */
function itemAt<T>(items: readonly T[], at: number): T | undefined {
  return items.length === 1 ? items[0] : items[at]
}

function readTypeNames(text: string | undefined, version = '2.0.0'): string[] | undefined {
  if (text === undefined) return undefined
  const groups = splitGroups(text)
  if (groups.length > 1 || text.startsWith('(')) return groups
  const names = splitList(text)
  if (names.length > 1 && version.startsWith('2'))
    throw new OwsFault(
      'OptionNotSupported',
      'Joins are not supported; write several queries as (a)(b).',
      'typeNames',
    )
  return names
}

/** Returns the names of the types of feature identifiers, each once. */
function typesOfIds(ids: readonly string[]): string[] {
  return [...new Set(ids.map((id) => id.slice(0, Math.max(0, id.lastIndexOf('.')))))]
}

function idFilter(ids: readonly string[]): FesFilter | undefined {
  return ids.length === 0 ? undefined : { kind: 'ids', ids }
}

/** Reads a box: two or three coordinates of each corner, then optionally the reference system. */
function boxFilter(text: string): FesFilter {
  const parts = text.split(',').map((part) => part.trim())
  const isNumber = (part: string) => part !== '' && Number.isFinite(Number(part))
  const count = parts.findIndex((part) => !isNumber(part))
  const numbers = (count < 0 ? parts : parts.slice(0, count)).map(Number)
  const [srsName, ...rest] = parts.slice(numbers.length)
  const size = numbers.length / 2
  const [left = 0, bottom = 0] = numbers
  const [right = 0, top = 0] = numbers.slice(size)
  if ((size !== 2 && size !== 3) || rest.length > 0 || left > right || bottom > top)
    throw invalidParameter('bbox', `Expected the lower and the upper corner as numbers, got ${shown(text)}.`)
  const ring = boxRing([left, bottom, right, top])
  const geometry = { family: 'POLYGON', isMulti: false, hasZ: false, parts: [[ring]] } as const
  return { kind: 'spatial', operator: 'intersects', property: undefined, target: { geometry, srsName } }
}

function readProperties(text: string): string[] | undefined {
  const names = splitList(text)
  return names.includes('*') ? undefined : names
}

function readSortBy(text: string): SortKey[] {
  const keys = splitList(text).map((item) => {
    const [property = '', order = 'ASC', ...rest] = item.split(/[\s+]+/)
    return sortKey(property, rest.length === 0 ? order : item)
  })
  return checkSortKeys(keys)
}

/**
 * Returns a property to sort by.
 *
 * @throws {OwsFault} for an order that is neither ascending nor descending
 */
export function sortKey(property: string, order: string): SortKey {
  if (!/^(A|ASC|D|DESC)$/i.test(order))
    throw invalidParameter('sortBy', `${shown(order)} is not an order; use ASC or DESC.`)
  return { property, isDescending: /^D/i.test(order) }
}

/**
 * Checks the number of properties to sort by.
 *
 * @throws {OwsFault}
 */
export function checkSortKeys(keys: SortKey[]): SortKey[] {
  if (keys.length <= maxSortKeys) return keys
  throw invalidParameter('sortBy', `sortBy has ${keys.length} properties; the limit is ${maxSortKeys}.`)
}

/**
 * Reads a number of features.
 *
 * @throws {OwsFault}
 */
export function readCount(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw invalidParameter(name, `${name} is ${shown(text)}, expected a number of features.`)
}

/**
 * Reads the type of the result.
 *
 * @throws {OwsFault}
 */
export function readResultType(text = 'results'): GetFeature['resultType'] {
  const type = text.toLowerCase()
  if (type === 'results' || type === 'hits') return type
  throw invalidParameter('resultType', `resultType is ${shown(text)}, expected results or hits.`)
}

/** Splits `(a)(b)` into its groups; text without parentheses is one group. @see OGC 04-094 clause 14.2.2 */
function splitGroups(text: string | undefined): string[] {
  if (text === undefined) return []
  const trimmed = text.trim()
  if (!trimmed.startsWith('(') || !trimmed.endsWith(')')) return [trimmed]
  return trimmed.slice(1, -1).split(/\)\s*\(/)
}

function splitList(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

function missing(name: string): OwsFault {
  return new OwsFault('MissingParameterValue', `The parameter ${name} is missing.`, name)
}
