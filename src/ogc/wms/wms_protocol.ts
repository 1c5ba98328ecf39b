import { shown } from '../ows_fault.ts'
import { WmsFault } from './wms_fault.ts'

/** Versions of WMS that services support. */
export const wmsVersions = ['1.1.1', '1.3.0'] as const

/** Version of WMS. */
export type WmsVersion = (typeof wmsVersions)[number]

/** Names and forms of a version. @see OGC 01-068r3, OGC 06-042 */
export interface WmsProtocol {
  readonly version: WmsVersion
  /** Whether coordinates follow the axes of the reference system, such as latitude first in EPSG:4326. */
  readonly followsAuthority: boolean
  /** Parameter of the reference system. */
  readonly crsName: 'CRS' | 'SRS'
  /** Parameters of a pixel. */
  readonly pixelNames: readonly [column: string, row: string]
  /** Media type of exception reports. */
  readonly exceptionType: string
  /** Values of EXCEPTIONS. */
  readonly exceptions: Readonly<Record<'xml' | 'image' | 'blank', string>>
}

/** The names and forms of each version. */
export const wmsProtocols: Readonly<Record<WmsVersion, WmsProtocol>> = {
  '1.1.1': {
    version: '1.1.1',
    followsAuthority: false,
    crsName: 'SRS',
    pixelNames: ['X', 'Y'],
    exceptionType: 'application/vnd.ogc.se_xml',
    exceptions: {
      xml: 'application/vnd.ogc.se_xml',
      image: 'application/vnd.ogc.se_inimage',
      blank: 'application/vnd.ogc.se_blank',
    },
  },
  '1.3.0': {
    version: '1.3.0',
    followsAuthority: true,
    crsName: 'CRS',
    pixelNames: ['I', 'J'],
    exceptionType: 'text/xml; charset=utf-8',
    exceptions: { xml: 'XML', image: 'INIMAGE', blank: 'BLANK' },
  },
}

const latest = wmsProtocols['1.3.0']

function findProtocol(text: string | undefined): WmsProtocol | undefined {
  const version = wmsVersions.find((one) => one === text?.trim())
  return version && wmsProtocols[version]
}

/**
 * Negotiates the version of the capabilities: the one that the client states, or the next lower one, or the lowest; the
 * latest one if the client states none.
 *
 * @throws {WmsFault}
 * @see OGC 06-042 clause 6.2.4
 */
export function negotiateWmsVersion(text: string | undefined): WmsProtocol {
  if (text === undefined || text.trim() === '') return latest
  if (!/^\s*\d{1,4}(\.\d{1,4}){0,3}\s*$/.test(text)) throw unsupportedVersion(text)
  const [major = 0, minor = 0] = text.trim().split('.').map(Number)
  return major > 1 || (major === 1 && minor >= 3) ? latest : wmsProtocols['1.1.1']
}

/**
 * Returns the version of a request other than GetCapabilities; the latest one if the request does not state it.
 *
 * @throws {WmsFault}
 */
export function readWmsVersion(text: string | undefined): WmsProtocol {
  if (text === undefined || text.trim() === '') return latest
  const found = findProtocol(text)
  if (found !== undefined) return found
  throw unsupportedVersion(text)
}

/** Returns the version in which to report a fault; the latest one if the request does not state a supported one. */
export function faultWmsVersion(text: string | undefined): WmsProtocol {
  return findProtocol(text) ?? latest
}

function unsupportedVersion(text: string): WmsFault {
  return new WmsFault(
    'InvalidParameterValue',
    `Version ${shown(text)} is not supported; use ${wmsVersions.join(' or ')}.`,
    'VERSION',
  )
}
