import type { GmlVersion } from '../gml/write_gml.ts'
import { invalidParameter, OwsFault, shown } from '../ows_fault.ts'

/** Versions of WFS that services support. Version 2.0.2 is 2.0.0 with corrections. */
export const wfsVersions = ['1.0.0', '1.1.0', '2.0.0', '2.0.2'] as const

/** Version of WFS. */
export type WfsVersion = (typeof wfsVersions)[number]

/** Names and forms of a version. @see OGC 02-058, OGC 04-094, OGC 09-025r2 */
export interface WfsProtocol {
  readonly version: WfsVersion
  /** First two numbers of the version. */
  readonly edition: '1.0' | '1.1' | '2.0'
  readonly gmlVersion: GmlVersion
  /** Format of features, as requests and capabilities name it. */
  readonly outputFormat: string
  /** Media type of features. */
  readonly mediaType: string
  /** Other names of the format. */
  readonly otherFormats: readonly string[]
  /** Whether reference systems are named by URNs, with coordinates in the order of the authority. */
  readonly hasUrns: boolean
  /** Prefix of filter elements. */
  readonly filterPrefix: 'ogc' | 'fes'
  readonly namespaces: Readonly<Record<'wfs' | 'ows' | 'gml' | 'filter', string>>
  /** Schemas of the version, for `xsi:schemaLocation`. */
  readonly schemas: Readonly<Record<'capabilities' | 'features' | 'transaction' | 'gml', string>>
}

const schemaRoot = 'http://schemas.opengis.net'
const xml = 'text/xml; charset=utf-8'

const edition2 = {
  edition: '2.0',
  gmlVersion: '3.2.1',
  outputFormat: 'application/gml+xml; version=3.2',
  mediaType: 'application/gml+xml; version=3.2',
  otherFormats: [
    'text/xml; subtype=gml/3.2',
    'text/xml; subtype=gml/3.2.1',
    'GML32',
    'text/xml',
    'application/xml',
  ],
  hasUrns: true,
  filterPrefix: 'fes',
  namespaces: {
    wfs: 'http://www.opengis.net/wfs/2.0',
    ows: 'http://www.opengis.net/ows/1.1',
    gml: 'http://www.opengis.net/gml/3.2',
    filter: 'http://www.opengis.net/fes/2.0',
  },
  schemas: {
    capabilities: `${schemaRoot}/wfs/2.0/wfs.xsd`,
    features: `${schemaRoot}/wfs/2.0/wfs.xsd`,
    transaction: `${schemaRoot}/wfs/2.0/wfs.xsd`,
    gml: `${schemaRoot}/gml/3.2.1/gml.xsd`,
  },
} as const

/** The names and forms of each version. */
export const wfsProtocols: Readonly<Record<WfsVersion, WfsProtocol>> = {
  '1.0.0': {
    version: '1.0.0',
    edition: '1.0',
    gmlVersion: '2.1.2',
    outputFormat: 'GML2',
    mediaType: xml,
    otherFormats: ['text/xml; subtype=gml/2.1.2', 'text/xml', 'application/xml', 'XMLSCHEMA'],
    hasUrns: false,
    filterPrefix: 'ogc',
    namespaces: {
      wfs: 'http://www.opengis.net/wfs',
      ows: 'http://www.opengis.net/ows',
      gml: 'http://www.opengis.net/gml',
      filter: 'http://www.opengis.net/ogc',
    },
    schemas: {
      capabilities: `${schemaRoot}/wfs/1.0.0/WFS-capabilities.xsd`,
      features: `${schemaRoot}/wfs/1.0.0/WFS-basic.xsd`,
      transaction: `${schemaRoot}/wfs/1.0.0/WFS-transaction.xsd`,
      gml: `${schemaRoot}/gml/2.1.2/feature.xsd`,
    },
  },
  '1.1.0': {
    version: '1.1.0',
    edition: '1.1',
    gmlVersion: '3.1.1',
    outputFormat: 'text/xml; subtype=gml/3.1.1',
    mediaType: 'text/xml; subtype=gml/3.1.1; charset=utf-8',
    otherFormats: ['GML3', 'text/xml', 'application/xml', 'text/gml; subtype=gml/3.1.1'],
    hasUrns: true,
    filterPrefix: 'ogc',
    namespaces: {
      wfs: 'http://www.opengis.net/wfs',
      ows: 'http://www.opengis.net/ows',
      gml: 'http://www.opengis.net/gml',
      filter: 'http://www.opengis.net/ogc',
    },
    schemas: {
      capabilities: `${schemaRoot}/wfs/1.1.0/wfs.xsd`,
      features: `${schemaRoot}/wfs/1.1.0/wfs.xsd`,
      transaction: `${schemaRoot}/wfs/1.1.0/wfs.xsd`,
      gml: `${schemaRoot}/gml/3.1.1/base/gml.xsd`,
    },
  },
  '2.0.0': { version: '2.0.0', ...edition2 },
  '2.0.2': { version: '2.0.2', ...edition2 },
}

const latest = wfsProtocols['2.0.0']

/** Finds a supported version by its text. */
function findProtocol(text: string): WfsProtocol | undefined {
  const version = wfsVersions.find((one) => one === text.trim())
  return version && wfsProtocols[version]
}

/**
 * Returns the version of a request other than GetCapabilities; the latest one if the request does not state it.
 *
 * @throws {OwsFault}
 */
export function readVersion(text: string | undefined): WfsProtocol {
  if (text === undefined || text.trim() === '') return latest
  const found = findProtocol(text)
  if (found !== undefined) return found
  throw invalidParameter('version', `Version ${shown(text)} is not supported; use ${wfsVersions.join(', ')}.`)
}

/** Returns the version in which to report a fault of a request; the latest one if the request does not state it. */
export function faultVersion(text: string | undefined): WfsProtocol {
  return findProtocol(text ?? '') ?? latest
}

/** Versions that a client states in a GetCapabilities request. */
export interface OfferedVersions {
  /** `acceptVersions`, in order of preference. */
  readonly accepted: readonly string[]
  /** `version`, of clients of WFS 1.0. */
  readonly version: string | undefined
}

/**
 * Negotiates the version of the capabilities: the first accepted version that is supported; else the version that the
 * client states, or the next lower one, or the lowest.
 *
 * @throws {OwsFault} if no accepted version is supported
 * @see OGC 06-121r3 clause 7.3.2, OGC 02-058 clause 6.2.4
 */
export function negotiateVersion({ accepted, version }: OfferedVersions): WfsProtocol {
  const found = accepted.flatMap((one) => findProtocol(one) ?? [])[0]
  if (found !== undefined) return found
  if (accepted.length > 0)
    throw new OwsFault(
      'VersionNegotiationFailed',
      `None of the versions ${accepted.map(shown).join(', ')} is supported; use ${wfsVersions.join(', ')}.`,
      'acceptVersions',
    )
  if (version === undefined || version.trim() === '') return latest
  const wanted = parseVersion(version)
  if (wanted === undefined) return readVersion(version)
  const exact = findProtocol(version)
  if (exact !== undefined) return exact
  const lower = wfsVersions.filter(
    (one) => one !== '2.0.2' && compareVersions(parseVersion(one) ?? [], wanted) <= 0,
  )
  return wfsProtocols[lower.at(-1) ?? wfsVersions[0]]
}

function parseVersion(text: string): number[] | undefined {
  return /^\d{1,4}(\.\d{1,4}){0,3}$/.test(text.trim()) ? text.trim().split('.').map(Number) : undefined
}

function compareVersions(one: readonly number[], other: readonly number[]): number {
  for (const at of [0, 1, 2]) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
