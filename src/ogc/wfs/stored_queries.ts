import { invalidParameter, shown } from '../ows_fault.ts'
import { element, textElement, xmlDeclaration } from '../xml_text.ts'
import type { WfsProtocol } from './wfs_protocol.ts'
import { getFeatureById } from './wfs_request.ts'
import { qualified, type WfsService } from './wfs_service.ts'

const title = 'Get a feature by its identifier'

/** Writes the list of stored queries. @see OGC 09-025r2 clause 14.3 */
export function storedQueryList({ namespace, types }: WfsService, { namespaces }: WfsProtocol): string {
  const names = types.map(({ name }) => textElement('ReturnFeatureType', qualified(name)))
  return `${xmlDeclaration}${element(
    'ListStoredQueriesResponse',
    { xmlns: namespaces.wfs, 'xmlns:svc': namespace },
    element('StoredQuery', { id: getFeatureById }, textElement('Title', title), ...names),
  )}`
}

/**
 * Writes the descriptions of stored queries.
 *
 * @throws {OwsFault} for unknown ones
 * @see OGC 09-025r2 clause 14.4
 */
export function storedQueryDescriptions(
  { namespace, types }: WfsService,
  { namespaces }: WfsProtocol,
  ids: readonly string[],
): string {
  const unknown = ids.find((id) => id !== getFeatureById)
  if (unknown !== undefined)
    throw invalidParameter(
      'storedQuery_Id',
      `There is no stored query ${shown(unknown)}; use ${getFeatureById}.`,
    )
  const expression = element('QueryExpressionText', {
    isPrivate: 'true',
    language: 'urn:ogc:def:queryLanguage:OGC-WFS::WFS_QueryExpression',
    returnFeatureTypes: types.map(({ name }) => qualified(name)).join(' '),
  })
  return `${xmlDeclaration}${element(
    'DescribeStoredQueriesResponse',
    { xmlns: namespaces.wfs, 'xmlns:svc': namespace, 'xmlns:xsd': 'http://www.w3.org/2001/XMLSchema' },
    element(
      'StoredQueryDescription',
      { id: getFeatureById },
      textElement('Title', title),
      element('Parameter', { name: 'ID', type: 'xsd:string' }),
      expression,
    ),
  )}`
}
