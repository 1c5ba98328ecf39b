import { readFilter } from '../filter/read_filter.ts'
import { invalidParameter, OwsFault, shown } from '../ows_fault.ts'
import { findChild, trimmedText, type XmlNode } from '../xml_tree.ts'
import {
  checkSortKeys,
  queryById,
  readCount,
  readResultType,
  sortKey,
  unsupportedOperation,
} from './parse_kvp.ts'
import { negotiateVersion, readVersion } from './wfs_protocol.ts'
import {
  type FeatureQuery,
  type GetFeature,
  maxQueries,
  type SortKey,
  type WfsRequest,
} from './wfs_request.ts'

/**
 * Parses a request as XML, except for a transaction.
 *
 * @throws {OwsFault}
 * @see OGC 02-058 annex A, OGC 04-094 annex A, OGC 09-025r2
 */
export function parseXmlRequest(node: XmlNode): WfsRequest {
  const { name, attributes, children } = node
  checkService(node)
  if (name === 'GetCapabilities') {
    const accepted = (findChild(node, 'AcceptVersions')?.children ?? []).map(trimmedText)
    return { operation: name, protocol: negotiateVersion({ accepted, version: attributes.get('version') }) }
  }
  const protocol = readVersion(attributes.get('version'))
  switch (name) {
    case 'DescribeFeatureType': {
      const typeNames = children.filter((child) => child.name === 'TypeName').map(trimmedText)
      return { operation: name, protocol, typeNames }
    }
    case 'GetFeature':
    case 'GetPropertyValue':
      return parseGetFeature(node, protocol)
    case 'ListStoredQueries':
      return { operation: name, protocol }
    case 'DescribeStoredQueries': {
      const ids = children.filter((child) => child.name === 'StoredQueryId').map(trimmedText)
      return { operation: name, protocol, ids }
    }
    default:
      throw unsupportedOperation(name)
  }
}

/**
 * Checks the `service` attribute of a request.
 *
 * @throws {OwsFault}
 */
export function checkService({ attributes }: XmlNode): void {
  const service = attributes.get('service')
  if (service !== undefined && service.toUpperCase() !== 'WFS')
    throw invalidParameter('service', `The service is WFS, not ${shown(service)}.`)
}

function parseGetFeature(node: XmlNode, protocol: GetFeature['protocol']): GetFeature {
  const { attributes, children } = node
  const stored = findChild(node, 'StoredQuery')
  const queries = stored === undefined ? children.filter(({ name }) => name === 'Query').map(parseQuery) : []
  if (stored !== undefined) queries.push(parseStoredQuery(stored))
  if (queries.length === 0) throw new OwsFault('MissingParameterValue', 'The request has no query.', 'Query')
  if (queries.length > maxQueries)
    throw invalidParameter('Query', `The request has ${queries.length} queries; the limit is ${maxQueries}.`)
  const isValue = node.name === 'GetPropertyValue'
  const valueReference = attributes.get('valueReference')
  if (isValue && valueReference === undefined)
    throw new OwsFault('MissingParameterValue', 'The attribute valueReference is missing.', 'valueReference')
  return {
    operation: 'GetFeature',
    protocol,
    queries,
    count: readCount('count', attributes.get('count') ?? attributes.get('maxFeatures')),
    startIndex: readCount('startIndex', attributes.get('startIndex')) ?? 0,
    resultType: readResultType(attributes.get('resultType')),
    outputFormat: attributes.get('outputFormat'),
    valueReference: isValue ? valueReference : undefined,
    isSingle: !isValue && stored !== undefined,
  }
}

function parseQuery(node: XmlNode): FeatureQuery {
  const { attributes, children } = node
  const [typeName, ...others] = (attributes.get('typeNames') ?? attributes.get('typeName') ?? '')
    .split(/[\s,]+/)
    .filter((name) => name !== '')
  if (typeName === undefined)
    throw new OwsFault('MissingParameterValue', 'A query has no typeName.', 'typeName')
  if (others.length > 0) throw new OwsFault('OptionNotSupported', 'Joins are not supported.', 'typeNames')
  const filter = findChild(node, 'Filter')
  const names = children.filter(({ name }) => name === 'PropertyName').map(trimmedText)
  const sortBy = findChild(node, 'SortBy')
  return {
    typeName,
    properties: names.length === 0 ? undefined : names,
    srsName: attributes.get('srsName'),
    filter: filter && readFilter(filter),
    sortBy: sortBy === undefined ? [] : checkSortKeys(sortBy.children.map(readSortProperty)),
  }
}

function readSortProperty(node: XmlNode): SortKey {
  const property = findChild(node, 'PropertyName', 'ValueReference')
  if (property === undefined) throw invalidParameter('sortBy', '<SortProperty> has no property name.')
  const order = findChild(node, 'SortOrder')
  return sortKey(trimmedText(property), order === undefined ? 'ASC' : trimmedText(order))
}

function parseStoredQuery(node: XmlNode): FeatureQuery {
  const parameters = node.children.filter(({ name }) => name === 'Parameter')
  const id = parameters.find(({ attributes }) => attributes.get('name')?.toUpperCase() === 'ID')
  return queryById(node.attributes.get('id') ?? '', id && trimmedText(id), undefined)
}
