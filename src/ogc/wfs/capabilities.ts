import { announcedSystems } from '../reference_system.ts'
import { element, optionalElement, textElement, type XmlAttributes, xmlDeclaration } from '../xml_text.ts'
import { type FeatureType, typePrefix } from './feature_type.ts'
import { constraint, filterCapabilities } from './filter_capabilities.ts'
import type { WfsProtocol } from './wfs_protocol.ts'
import { defaultCount, qualified, type WfsService, xsi } from './wfs_service.ts'

/** Format of features in JSON, as requests and capabilities name it. */
export const jsonFormat = 'application/json'

/**
 * Writes the capabilities of a service in a version.
 *
 * @see OGC 02-058 clause 12, OGC 04-094 clause 13, OGC 09-025r2 clause 8
 */
export function capabilitiesDocument(service: WfsService, protocol: WfsProtocol): string {
  const { version, edition, namespaces, schemas, filterPrefix } = protocol
  const isFirst = edition === '1.0'
  const root: XmlAttributes = {
    version,
    [isFirst ? 'xmlns' : 'xmlns:wfs']: namespaces.wfs,
    ...(isFirst ? {} : { xmlns: namespaces.wfs, 'xmlns:ows': namespaces.ows, 'xmlns:gml': namespaces.gml }),
    [`xmlns:${filterPrefix}`]: namespaces.filter,
    [`xmlns:${typePrefix}`]: service.namespace,
    'xmlns:xlink': 'http://www.w3.org/1999/xlink',
    'xmlns:xsi': xsi,
    'xsi:schemaLocation': `${namespaces.wfs} ${schemas.capabilities}`,
  }
  const parts = isFirst ? parts10(service) : partsOws(service, protocol)
  return `${xmlDeclaration}${element('WFS_Capabilities', root, ...parts, filterCapabilities(protocol))}`
}

function parts10({ title, abstract, url, types }: WfsService): string[] {
  const get = element('HTTP', {}, element('Get', { onlineResource: `${url}?` }))
  const post = element('HTTP', {}, element('Post', { onlineResource: url }))
  const both = [element('DCPType', {}, get), element('DCPType', {}, post)]
  const schema = element('SchemaDescriptionLanguage', {}, element('XMLSCHEMA', {}))
  const formats = element('ResultFormat', {}, element('GML2', {}))
  const isWritable = types.some((type) => type.isWritable)
  const request = element(
    'Request',
    {},
    element('GetCapabilities', {}, ...both),
    element('DescribeFeatureType', {}, schema, ...both),
    element('GetFeature', {}, formats, ...both),
    ...(isWritable ? [element('Transaction', {}, element('DCPType', {}, post))] : []),
  )
  const operations = (names: readonly string[]) =>
    element('Operations', {}, ...names.map((name) => element(name, {})))
  return [
    element(
      'Service',
      {},
      textElement('Name', 'WFS'),
      textElement('Title', title),
      optionalElement('Abstract', abstract),
      textElement('OnlineResource', url),
    ),
    element('Capability', {}, request),
    element('FeatureTypeList', {}, operations(['Query']), ...types.map((type) => type10(type, operations))),
  ]
}

function type10(type: FeatureType, operations: (names: readonly string[]) => string): string {
  const { name, title, abstract, layer, extent, isWritable } = type
  const [minx, miny, maxx, maxy] = extent ?? []
  return element(
    'FeatureType',
    {},
    textElement('Name', qualified(name)),
    textElement('Title', title),
    optionalElement('Abstract', abstract),
    textElement('SRS', `EPSG:${layer.srs}`),
    isWritable ? operations(['Query', 'Insert', 'Update', 'Delete']) : '',
    extent === undefined ? '' : element('LatLongBoundingBox', { minx, miny, maxx, maxy }),
  )
}

function partsOws(service: WfsService, protocol: WfsProtocol): string[] {
  const { title, abstract, types, systems } = service
  const isLatest = protocol.edition === '2.0'
  const identification = element(
    'ows:ServiceIdentification',
    {},
    textElement('ows:Title', title),
    optionalElement('ows:Abstract', abstract),
    textElement('ows:ServiceType', 'WFS'),
    ...(isLatest ? ['2.0.2', '2.0.0', '1.1.0', '1.0.0'] : ['1.1.0']).map((one) =>
      textElement('ows:ServiceTypeVersion', one),
    ),
  )
  const provider = element(
    'ows:ServiceProvider',
    {},
    textElement('ows:ProviderName', 'landform'),
    element('ows:ServiceContact', {}),
  )
  return [
    identification,
    provider,
    operationsMetadata(service, protocol),
    element('FeatureTypeList', {}, ...types.map((type) => typeOws({ ...type, systems }, protocol))),
  ]
}

/** Names and values of a parameter. */
type Parameter = readonly [name: string, values: readonly string[]]

function operationsMetadata(
  { url, types }: WfsService,
  { edition, outputFormat, gmlVersion }: WfsProtocol,
): string {
  const isLatest = edition === '2.0'
  const list = ([name, values]: Parameter) => {
    const items = values.map((value) => textElement('ows:Value', value))
    return element(
      'ows:Parameter',
      { name },
      ...(isLatest ? [element('ows:AllowedValues', {}, ...items)] : items),
    )
  }
  const operation = (name: string, options: OperationOptions = {}) => {
    const { parameters = [], isPostOnly = false, constraints = [] } = options
    const get = isPostOnly ? '' : element('ows:Get', { 'xlink:href': `${url}?` })
    const http = element('ows:HTTP', {}, get, element('ows:Post', { 'xlink:href': url }))
    const lists = parameters.map(list)
    return element('ows:Operation', { name }, element('ows:DCP', {}, http), ...lists, ...constraints)
  }
  const features: Parameter = ['outputFormat', [outputFormat, jsonFormat]]
  const schemas: Parameter = [
    'outputFormat',
    [isLatest ? outputFormat : `text/xml; subtype=gml/${gmlVersion}`],
  ]
  const versions: Parameter = ['AcceptVersions', ['2.0.2', '2.0.0', '1.1.0', '1.0.0']]
  const counts = isLatest ? [constraint('ows', 'CountDefault', countOf(types))] : []
  const resultTypes: Parameter = ['resultType', ['results', 'hits']]
  return element(
    'ows:OperationsMetadata',
    {},
    operation('GetCapabilities', { parameters: [versions, ['AcceptFormats', ['text/xml']]] }),
    operation('DescribeFeatureType', { parameters: [schemas] }),
    operation('GetFeature', { parameters: [resultTypes, features], constraints: counts }),
    ...(isLatest
      ? ['GetPropertyValue', 'ListStoredQueries', 'DescribeStoredQueries'].map((name) => operation(name))
      : []),
    ...(types.some((type) => type.isWritable) ? [operation('Transaction', { isPostOnly: true })] : []),
    ...(isLatest ? conformance(types) : []),
  )
}

interface OperationOptions {
  readonly parameters?: readonly Parameter[]
  readonly constraints?: readonly string[]
  readonly isPostOnly?: boolean
}

/** The smallest number of features that a response has at most. */
function countOf(types: readonly FeatureType[]): number {
  return Math.min(defaultCount, ...types.map(({ maxFeatures }) => maxFeatures ?? defaultCount))
}

function conformance(types: readonly FeatureType[]): string[] {
  const supported: Readonly<Record<string, boolean>> = {
    ImplementsSimpleWFS: true,
    ImplementsBasicWFS: true,
    ImplementsTransactionalWFS: types.some((type) => type.isWritable),
    ImplementsLockingWFS: false,
    KVPEncoding: true,
    XMLEncoding: true,
    SOAPEncoding: false,
    ImplementsInheritance: false,
    ImplementsRemoteResolve: false,
    ImplementsResultPaging: true,
    ImplementsStandardJoins: false,
    ImplementsSpatialJoins: false,
    ImplementsTemporalJoins: false,
    ImplementsFeatureVersioning: false,
    ManageStoredQueries: false,
  }
  return Object.entries(supported).map(([name, isSupported]) => constraint('ows', name, isSupported))
}

type OfferedType = FeatureType & Pick<WfsService, 'systems'>

function typeOws(type: OfferedType, { edition, outputFormat }: WfsProtocol): string {
  const { name, title, abstract, layer, extent, isWritable, systems } = type
  const isLatest = edition === '2.0'
  const word = isLatest ? 'CRS' : 'SRS'
  const urn = (code: number) => `urn:ogc:def:crs:EPSG::${code}`
  const operations = ['Query', ...(isWritable ? ['Insert', 'Update', 'Delete'] : [])]
  return element(
    'FeatureType',
    {},
    textElement('Name', qualified(name)),
    textElement('Title', title),
    optionalElement('Abstract', abstract),
    textElement(`Default${word}`, urn(layer.srs)),
    ...announcedSystems(systems)
      .filter((code) => code !== layer.srs)
      .map((code) => textElement(`Other${word}`, urn(code))),
    isLatest
      ? ''
      : element('Operations', {}, ...operations.map((operation) => textElement('Operation', operation))),
    element(
      'OutputFormats',
      {},
      ...[outputFormat, jsonFormat].map((format) => textElement('Format', format)),
    ),
    extent === undefined
      ? ''
      : element(
          'ows:WGS84BoundingBox',
          {},
          textElement('ows:LowerCorner', `${extent[0]} ${extent[1]}`),
          textElement('ows:UpperCorner', `${extent[2]} ${extent[3]}`),
        ),
  )
}
