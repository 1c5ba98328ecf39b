import type { FesFilter } from '../filter/fes_filter.ts'
import { readFilter } from '../filter/read_filter.ts'
import { invalidParameter, OwsFault } from '../ows_fault.ts'
import { findChild, trimmedText, type XmlItem, type XmlNode } from '../xml_tree.ts'
import { localPart } from './feature_type.ts'

/** A value of a property to write; without an element the value is null. */
export interface WrittenProperty {
  readonly name: string
  readonly value: XmlNode | undefined
}

/** An action of a transaction. */
export type TransactionAction = {
  readonly typeName: string
  /** Name of the client for the action, which responses repeat. */
  readonly handle: string | undefined
  /** Reference system of geometries that do not name one. */
  readonly srsName: string | undefined
} & (
  | { readonly kind: 'insert'; readonly properties: readonly WrittenProperty[] }
  | {
      readonly kind: 'update' | 'replace'
      readonly properties: readonly WrittenProperty[]
      /** Undefined for all features. */
      readonly filter: FesFilter | undefined
    }
  | { readonly kind: 'delete'; readonly filter: FesFilter }
)

/** Elements of features that are part of GML: their content is not stored. */
const gmlProperties = [
  'boundedBy',
  'description',
  'descriptionReference',
  'identifier',
  'location',
  'metaDataProperty',
  'name',
]

/** Elements that hold features to insert. */
const featureContainers = ['FeatureCollection', 'featureMember', 'featureMembers', 'member']

/**
 * Checks the attributes of a transaction.
 *
 * @throws {OwsFault} if it names a lock
 */
export function checkTransaction({ attributes }: XmlNode): void {
  if (attributes.has('lockId'))
    throw new OwsFault('OptionNotSupported', 'This service does not lock features.', 'lockId')
}

/** Tells whether an element of a transaction holds actions, or features to insert. */
export function isTransactionContainer(node: XmlNode, containers: readonly XmlNode[]): boolean {
  if (containers.length === 0) return node.name === 'Transaction'
  if (containers.length === 1) return node.name === 'Insert'
  return isStandard(node) && featureContainers.includes(node.name)
}

/** Tells whether an element belongs to a standard rather than to a feature type. */
function isStandard({ namespace }: XmlNode): boolean {
  return namespace === '' || namespace.startsWith('http://www.opengis.net/')
}

/**
 * Reads an item of a transaction; undefined for items that change nothing.
 *
 * @throws {OwsFault}
 * @see OGC 02-058 clause 11, OGC 04-094 clause 12, OGC 09-025r2 clause 15
 */
export function readAction({ node, containers }: XmlItem): TransactionAction | undefined {
  const insert = containers[1]
  if (insert !== undefined) return readInsert(node, insert)
  const { name, attributes } = node
  const own = { handle: attributes.get('handle'), srsName: attributes.get('srsName') }
  const filter = findChild(node, 'Filter')
  switch (name) {
    case 'Update':
      return {
        kind: 'update',
        ...own,
        typeName: typeNameOf(node),
        properties: node.children.filter((child) => child.name === 'Property').map(readChange),
        filter: filter && readFilter(filter),
      }
    case 'Replace':
      return readReplace(node)
    case 'Delete':
      if (filter === undefined)
        throw new OwsFault('MissingParameterValue', '<Delete> has no <Filter>.', 'filter')
      return { kind: 'delete', ...own, typeName: typeNameOf(node), filter: readFilter(filter) }
    case 'Native':
      if (attributes.get('safeToIgnore') === 'true') return undefined
      throw new OwsFault('OptionNotSupported', '<Native> is not supported.', 'Native')
    case 'LockId':
      throw new OwsFault('OptionNotSupported', 'This service does not lock features.', 'LockId')
    default:
      throw new OwsFault('OperationNotSupported', `The action <${name}> is not supported.`, name)
  }
}

function typeNameOf({ name, attributes }: XmlNode): string {
  const typeName = attributes.get('typeName')
  if (typeName !== undefined) return typeName
  throw new OwsFault('MissingParameterValue', `<${name}> has no typeName.`, 'typeName')
}

function readInsert(node: XmlNode, insert: XmlNode): TransactionAction | undefined {
  if (isStandard(node) && gmlProperties.includes(node.name)) return undefined
  const idgen = insert.attributes.get('idgen') ?? 'GenerateNew'
  if (idgen !== 'GenerateNew')
    throw new OwsFault(
      'OptionNotSupported',
      `idgen="${idgen.slice(0, 80)}" is not supported; use GenerateNew.`,
      'idgen',
    )
  return {
    kind: 'insert',
    handle: insert.attributes.get('handle'),
    srsName: insert.attributes.get('srsName'),
    typeName: node.name,
    properties: readFeature(node),
  }
}

function readReplace(node: XmlNode): TransactionAction {
  const filter = findChild(node, 'Filter')
  const feature = node.children.find(({ name }) => name !== 'Filter')
  if (filter === undefined || feature === undefined)
    throw new OwsFault('MissingParameterValue', '<Replace> must have a feature and a <Filter>.', 'filter')
  return {
    kind: 'replace',
    handle: node.attributes.get('handle'),
    srsName: node.attributes.get('srsName'),
    typeName: feature.name,
    properties: readFeature(feature),
    filter: readFilter(filter),
  }
}

/** Reads the properties of a feature; `xsi:nil` means null. */
function readFeature({ children }: XmlNode): WrittenProperty[] {
  return children
    .filter(
      (child) =>
        !(child.namespace.startsWith('http://www.opengis.net/gml') && gmlProperties.includes(child.name)),
    )
    .map((child) => ({ name: child.name, value: child.attributes.get('nil') === 'true' ? undefined : child }))
}

function readChange(node: XmlNode): WrittenProperty {
  const name = findChild(node, 'Name', 'ValueReference')
  if (name === undefined) throw invalidParameter('Property', '<Property> has no name.')
  const action = name.attributes.get('action') ?? 'replace'
  if (action !== 'replace' && action !== 'remove')
    throw new OwsFault('OptionNotSupported', 'Values cannot be inserted before or after others.', 'action')
  const value = action === 'remove' ? undefined : findChild(node, 'Value')
  const isNil = value?.attributes.get('nil') === 'true'
  return { name: localPart(trimmedText(name).replace(/^.*\//, '')), value: isNil ? undefined : value }
}
