import type { Datatype } from '../../contract/geometry.ts'
import { type CopyRow, takeValue } from '../../core/copy_rows.ts'
import { readWkb } from '../../geo/wkb.ts'
import { type GmlFormat, gmlText } from '../gml/write_gml.ts'
import { escapeXml, startTag, type XmlAttributes, xmlDeclaration } from '../xml_text.ts'
import { type FeatureProperty, type FeatureType, featureIdOf, typePrefix } from './feature_type.ts'
import type { WfsProtocol } from './wfs_protocol.ts'
import { qualified, schemaUrl, type WfsService, xsi } from './wfs_service.ts'

/** Counts and links of a collection. */
export interface CollectionHead {
  /** Number of features that match, in the document or not; undefined if it was not counted. */
  readonly matched: number | undefined
  /** Number of features in the document. */
  readonly returned: number
  /** Addresses of the next and the previous page. */
  readonly next?: string | undefined
  readonly previous?: string | undefined
  /** Time of the response, ISO 8601. */
  readonly timeStamp: string
}

/** Start and end of a document, and of each member. */
export interface CollectionFrame {
  readonly start: string
  readonly end: string
  readonly memberStart: string
  readonly memberEnd: string
}

/** What a collection holds. */
export interface CollectionContent {
  readonly types: readonly FeatureType[]
  readonly head: CollectionHead
  /** Values of a property instead of features. */
  readonly isValues: boolean
}

/**
 * Returns the frame of a document of features.
 *
 * @see OGC 02-058 clause 9.3, OGC 04-094 clause 9.3, OGC 09-025r2 clause 7.7.4, 10.3
 */
export function collectionFrame(
  service: WfsService,
  protocol: WfsProtocol,
  { types, head, isValues }: CollectionContent,
): CollectionFrame {
  const name = isValues ? 'wfs:ValueCollection' : 'wfs:FeatureCollection'
  const member = protocol.edition === '2.0' ? 'wfs:member' : 'gml:featureMember'
  const attributes = { ...rootAttributes(service, protocol, types), ...headAttributes(protocol, head) }
  // The schema of GML 2 requires an extent, which is not known before the last feature.
  const bounds =
    protocol.edition === '1.0' ? '<gml:boundedBy><gml:null>unknown</gml:null></gml:boundedBy>' : ''
  return {
    start: `${xmlDeclaration}${startTag(name, attributes)}${bounds}\n`,
    end: `</${name}>\n`,
    memberStart: `<${member}>`,
    memberEnd: `</${member}>\n`,
  }
}

/** Returns the frame of the collection of one of several queries. @see OGC 09-025r2 clause 7.7.4.3 */
export function innerFrame(protocol: WfsProtocol, head: CollectionHead): CollectionFrame {
  const collection = startTag('wfs:FeatureCollection', headAttributes(protocol, head))
  return {
    start: `<wfs:member>${collection}\n`,
    end: '</wfs:FeatureCollection></wfs:member>\n',
    memberStart: '<wfs:member>',
    memberEnd: '</wfs:member>\n',
  }
}

/** Returns the frame of a document with a single feature as its root. */
export function singleFrame(): CollectionFrame {
  return { start: xmlDeclaration, end: '', memberStart: '', memberEnd: '\n' }
}

/** Returns the attributes of the root element: namespaces and schemas. */
export function rootAttributes(
  service: WfsService,
  protocol: WfsProtocol,
  types: readonly FeatureType[],
): XmlAttributes {
  const { namespaces, schemas, gmlVersion } = protocol
  const gml = gmlVersion === '3.2.1' ? ` ${namespaces.gml} ${schemas.gml}` : ''
  const own = `${service.namespace} ${schemaUrl(service, protocol, types)}`
  return {
    'xmlns:wfs': namespaces.wfs,
    'xmlns:gml': namespaces.gml,
    [`xmlns:${typePrefix}`]: service.namespace,
    'xmlns:xsi': xsi,
    'xsi:schemaLocation': `${namespaces.wfs} ${schemas.features}${gml} ${own}`,
  }
}

function headAttributes({ edition }: WfsProtocol, head: CollectionHead): XmlAttributes {
  const { matched, returned, next, previous, timeStamp } = head
  if (edition === '1.0') return {}
  if (edition === '1.1') return { timeStamp, numberOfFeatures: matched }
  return { timeStamp, numberMatched: matched ?? 'unknown', numberReturned: returned, next, previous }
}

/** What is written of each feature. */
export interface FeatureContent {
  readonly type: FeatureType
  readonly hasGeometry: boolean
  readonly properties: readonly FeatureProperty[]
  readonly format: GmlFormat
  /** Attributes of the feature's element, for a feature that is the root. */
  readonly attributes?: XmlAttributes
}

/** Creates a function that writes a row as a feature: its id, geometry and values. */
export function createFeatureWriter(content: FeatureContent): (row: CopyRow) => string {
  const { type, properties, format } = content
  const name = qualified(type.name)
  const idName = format.version === '2.1.2' ? 'fid' : 'gml:id'
  const own = startTag(name, content.attributes ?? {}).slice(0, -1)
  const writeGeometry = geometryWriter(content)
  const writers = properties.map(valueWriter)
  return (row) => {
    const id = featureIdOf(type, readText(row) ?? '')
    let text = `${own} ${idName}="${id}">${writeGeometry(row, id)}`
    for (const write of writers) text += write(row)
    return `${text}</${name}>`
  }
}

/** Creates a function that writes the value of a row, without the element of its property. */
export function createValueWriter(content: FeatureContent): (row: CopyRow) => string {
  const { type, properties, hasGeometry } = content
  const [property] = properties
  return (row) => {
    const id = featureIdOf(type, readText(row) ?? '')
    const geometry = readGeometry(row)
    if (hasGeometry) return geometry === undefined ? '' : gmlText(geometry, content.format, `${id}.geometry`)
    return property === undefined ? '' : escapeXml(readText(row) ?? '')
  }
}

function geometryWriter({ type, format }: FeatureContent): (row: CopyRow, id: string) => string {
  const name = qualified(type.geometryName)
  return (row, id) => {
    const geometry = readGeometry(row)
    if (geometry === undefined) return ''
    return `<${name}>${gmlText(geometry, format, `${id}.geometry`)}</${name}>`
  }
}

/** Reads the geometry of a row. GML cannot represent an empty one: it is left out, like null. */
function readGeometry(row: CopyRow) {
  const { at, length } = takeValue(row)
  if (length < 0) return undefined
  const geometry = readWkb(row, at)
  const isSupported = geometry.family !== 'COLLECTION' && geometry.family !== 'UNSUPPORTED'
  return isSupported && geometry.parts.length > 0 ? geometry : undefined
}

/** Datatypes whose values have no characters that are escaped. */
const plainTypes: readonly Datatype[] = ['INTEGER', 'BIGINT', 'REAL', 'DATE', 'TIME', 'DATETIME']

function valueWriter({ name, field }: FeatureProperty): (row: CopyRow) => string {
  const start = `<${qualified(name)}>`
  const end = `</${qualified(name)}>`
  const encode = plainTypes.includes(field.datatype) ? String : escapeXml
  return (row) => {
    const text = readText(row)
    return text === undefined ? '' : `${start}${encode(text)}${end}`
  }
}

function readText(row: CopyRow): string | undefined {
  const { at, length } = takeValue(row)
  return length < 0 ? undefined : row.bytes.toString('utf8', at, at + length)
}
