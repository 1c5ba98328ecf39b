import { element, textElement, type XmlAttributes, xmlDeclaration } from '../xml_text.ts'
import type { WfsProtocol } from './wfs_protocol.ts'

/** Features that an action has created. */
export interface InsertResult {
  readonly handle: string | undefined
  /** Identifiers, such as `roads.1`, in the order of the request. */
  readonly featureIds: readonly string[]
}

/** What a transaction has done. */
export interface TransactionResult {
  readonly inserted: readonly InsertResult[]
  readonly updated: number
  readonly replaced: number
  readonly deleted: number
}

/**
 * Writes the response of a transaction.
 *
 * @see OGC 02-058 clause 11.3, OGC 04-094 clause 12.3, OGC 09-025r2 clause 15.3
 */
export function transactionResponse(result: TransactionResult, protocol: WfsProtocol): string {
  const { edition, version, namespaces, schemas, filterPrefix } = protocol
  const root: XmlAttributes = {
    version,
    'xmlns:wfs': namespaces.wfs,
    [`xmlns:${filterPrefix}`]: namespaces.filter,
    'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
    'xsi:schemaLocation': `${namespaces.wfs} ${schemas.transaction}`,
  }
  if (edition === '1.0') {
    const inserted = result.inserted.map(({ handle, featureIds }) =>
      element('wfs:InsertResult', { handle }, ...featureIds.map((fid) => element('ogc:FeatureId', { fid }))),
    )
    const status = element('wfs:Status', {}, element('wfs:SUCCESS', {}))
    const outcome = element('wfs:TransactionResult', {}, status)
    return `${xmlDeclaration}${element('wfs:WFS_TransactionResponse', root, ...inserted, outcome)}`
  }
  const idOf = (id: string) =>
    edition === '2.0' ? element('fes:ResourceId', { rid: id }) : element('ogc:FeatureId', { fid: id })
  const features = result.inserted.flatMap(({ handle, featureIds }) =>
    featureIds.map((id) => element('wfs:Feature', { handle }, idOf(id))),
  )
  const inserted = features.length === 0 ? '' : element('wfs:InsertResults', {}, ...features)
  return `${xmlDeclaration}${element('wfs:TransactionResponse', root, summary(result, edition), inserted)}`
}

function summary(
  { inserted, updated, replaced, deleted }: TransactionResult,
  edition: WfsProtocol['edition'],
): string {
  const insertedCount = inserted.reduce((sum, { featureIds }) => sum + featureIds.length, 0)
  return element(
    'wfs:TransactionSummary',
    {},
    textElement('wfs:totalInserted', insertedCount),
    textElement('wfs:totalUpdated', updated),
    edition === '2.0' ? textElement('wfs:totalReplaced', replaced) : '',
    textElement('wfs:totalDeleted', deleted),
  )
}
