import type { Parameters } from '../key_value_pairs.ts'
import { shown } from '../ows_fault.ts'
import { parseSrsName } from '../reference_system.ts'
import { type Get, readPixelRatio } from './pixel_ratio.ts'
import { invalidValue, missingParameter, WmsFault } from './wms_fault.ts'
import { negotiateWmsVersion, readWmsVersion, type WmsProtocol } from './wms_protocol.ts'
import type { GetFeatureInfo, ImageForm, MapView, WmsRequest } from './wms_request.ts'
import {
  type InfoFormat,
  infoFormats,
  type MapFormat,
  mapFormats,
  maxMapSize,
  styleName,
} from './wms_service.ts'

/** Maximum number of layers in a request. */
export const maxRequestLayers = 100

/** Number of features of a layer that a client may request. */
const maxFeatureCount = 1000

/** Tolerance in pixels: unless the client states one, and at most. */
const tolerances = { usual: 5, most: 50 }

/** Maximum absolute coordinate: many times the size of the world. */
const maxCoordinate = 1e9

/**
 * Parses a request of keyword-value pairs. Unknown parameters are ignored.
 *
 * @throws {WmsFault}
 * @see OGC 01-068r3 clauses 7.1 to 7.3, OGC 06-042 clauses 7.2 to 7.4, OGC 05-078r4 clause 12
 */
export function parseWms(parameters: Parameters): WmsRequest {
  const get = getterOf(parameters)
  const name = get('REQUEST')
  if (name === undefined) throw missingParameter('REQUEST')
  const service = get('SERVICE')
  if (service !== undefined && service.toUpperCase() !== 'WMS') throw invalidValue('SERVICE', service, 'WMS')
  const operation = operations[name.toLowerCase()]
  if (operation === 'GetCapabilities') {
    if (service === undefined) throw missingParameter('SERVICE')
    return { operation, protocol: negotiateWmsVersion(get('VERSION') ?? get('WMTVER')) }
  }
  const protocol = readWmsVersion(get('VERSION'))
  switch (operation) {
    case 'GetMap':
      return {
        operation,
        protocol,
        layers: readLayers(get),
        view: readView(get, protocol),
        image: readImage(get),
      }
    case 'GetFeatureInfo':
      return parseFeatureInfo(get, protocol)
    case 'GetLegendGraphic':
      return {
        operation,
        protocol,
        layer: need(get, 'LAYER'),
        image: readImage(get),
        pixelRatio: readPixelRatio(get),
      }
    default:
      throw new WmsFault('OperationNotSupported', `The operation ${shown(name)} is not supported.`, 'REQUEST')
  }
}

const operations: Readonly<Record<string, WmsRequest['operation']>> = {
  getcapabilities: 'GetCapabilities',
  // Of version 1.0, and of clients of 1.1.1 that use its names.
  capabilities: 'GetCapabilities',
  getmap: 'GetMap',
  getfeatureinfo: 'GetFeatureInfo',
  getlegendgraphic: 'GetLegendGraphic',
}

function getterOf(parameters: Parameters): Get {
  return (name) => parameters.get(name)?.trim() || undefined
}

function need(get: Get, name: string): string {
  const text = get(name)
  if (text === undefined) throw missingParameter(name)
  return text
}

function parseFeatureInfo(get: Get, protocol: WmsProtocol): GetFeatureInfo {
  const view = readView(get, protocol)
  return {
    operation: 'GetFeatureInfo',
    protocol,
    layers: readNames('QUERY_LAYERS', need(get, 'QUERY_LAYERS')),
    view,
    format: readInfoFormat(get('INFO_FORMAT')),
    featureCount: readCount(get('FEATURE_COUNT')),
    pixel: readPixel(get, protocol, view),
    tolerance: readTolerance(get('TOLERANCE') ?? get('BUFFER')),
  }
}

function readLayers(get: Get): string[] {
  const names = readNames('LAYERS', need(get, 'LAYERS'))
  const styles = get('STYLES')?.split(',') ?? []
  for (const style of styles)
    if (style.trim() !== '' && style.trim() !== styleName)
      throw new WmsFault(
        'StyleNotDefined',
        `There is no style ${shown(style)}; leave STYLES empty or use ${styleName}.`,
        'STYLES',
      )
  if (styles.length > names.length && styles.length > 1)
    throw new WmsFault(
      'StyleNotDefined',
      `STYLES has ${styles.length} names, LAYERS has ${names.length}.`,
      'STYLES',
    )
  if (get('SLD') !== undefined || get('SLD_BODY') !== undefined)
    throw new WmsFault('OperationNotSupported', 'Styles of the client are not supported.', 'SLD')
  return names
}

function readNames(parameter: string, text: string): string[] {
  const names = text.split(',').map((name) => name.trim())
  if (names.length > maxRequestLayers)
    throw new WmsFault(
      'InvalidParameterValue',
      `${parameter} has ${names.length} names; the limit is ${maxRequestLayers}.`,
      parameter,
    )
  return names
}

function readView(get: Get, protocol: WmsProtocol): MapView {
  const name = get(protocol.crsName) ?? get(protocol.crsName === 'CRS' ? 'SRS' : 'CRS')
  if (name === undefined) throw missingParameter(protocol.crsName)
  const { srs, isPlain } = readCrs(name, protocol)
  return {
    srs,
    crs: name,
    followsAuthority: protocol.followsAuthority && !isPlain,
    bbox: readBbox(need(get, 'BBOX')),
    width: readSize('WIDTH', need(get, 'WIDTH')),
    height: readSize('HEIGHT', need(get, 'HEIGHT')),
    pixelRatio: readPixelRatio(get),
  }
}

/** Numbers of EPSG:3857 before it had one. */
const oldMercator = new Set([900_913, 102_100, 3785])

function readCrs(name: string, { crsName }: WmsProtocol) {
  const named = parseSrsName(name)
  if (named === undefined)
    throw new WmsFault(
      'InvalidCRS',
      `${crsName} is ${shown(name)}, expected a name such as EPSG:3857.`,
      crsName,
    )
  const srs = oldMercator.has(named.srs) ? 3857 : named.srs
  return { srs, isPlain: !/EPSG/i.test(name) }
}

function readBbox(text: string): MapView['bbox'] {
  const expected = 'four numbers: the lower corner, then the upper one'
  const parts = text.split(',')
  const numbers = parts.map((part) => (part.trim() === '' ? Number.NaN : Number(part)))
  const [a = Number.NaN, b = Number.NaN, c = Number.NaN, d = Number.NaN] = numbers
  if (numbers.length !== 4 || !numbers.every(Number.isFinite)) throw invalidValue('BBOX', text, expected)
  if (a >= c || b >= d)
    throw new WmsFault(
      'InvalidParameterValue',
      `BBOX ${shown(text)} has no area; expected ${expected}.`,
      'BBOX',
    )
  if (numbers.some((number) => Math.abs(number) > maxCoordinate))
    throw invalidValue('BBOX', text, `numbers from -${maxCoordinate} to ${maxCoordinate}`)
  return [a, b, c, d]
}

function readSize(name: string, text: string): number {
  const size = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (size >= 1 && size <= maxMapSize) return size
  throw invalidValue(name, text, `a number of pixels from 1 to ${maxMapSize}`)
}

const formatNames: Readonly<Record<string, MapFormat>> = {
  'image/jpg': 'image/jpeg',
  png: 'image/png',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
}

/**
 * Reads the format of an image. Variants such as `image/png; mode=8bit` are the plain format.
 *
 * @throws {WmsFault}
 */
export function readMapFormat(text: string): MapFormat {
  const name = text.replace(/\s*;.*$/s, '').toLowerCase()
  const found = mapFormats.find((format) => format === name) ?? formatNames[name]
  if (found !== undefined) return found
  if (/^image\/png\d+$/.test(name)) return 'image/png'
  throw new WmsFault(
    'InvalidFormat',
    `The format ${shown(text)} is not supported; use ${mapFormats.join(', ')}.`,
    'FORMAT',
  )
}

function readImage(get: Get): ImageForm {
  return {
    format: readMapFormat(get('FORMAT') ?? 'image/png'),
    isTransparent: readBoolean('TRANSPARENT', get('TRANSPARENT')),
    background: readColor(get('BGCOLOR')),
  }
}

function readBoolean(name: string, text = 'false'): boolean {
  if (/^(true|1)$/i.test(text)) return true
  if (/^(false|0)$/i.test(text)) return false
  throw invalidValue(name, text, 'TRUE or FALSE')
}

function readColor(text = '0xFFFFFF'): string {
  const digits = /^(?:0x|#)?([\da-f]{6})$/i.exec(text)?.[1]
  if (digits === undefined) throw invalidValue('BGCOLOR', text, 'a colour such as 0xFFFFFF')
  return `#${digits.toLowerCase()}`
}

const infoNames: Readonly<Record<string, InfoFormat>> = {
  'text/xml': 'application/vnd.ogc.gml',
  'application/gml+xml': 'application/vnd.ogc.gml',
  'application/geojson': 'application/json',
  'application/geo+json': 'application/json',
  'application/vnd.geo+json': 'application/json',
  'text/json': 'application/json',
}

/**
 * Reads the format of features; plain text unless the client states one.
 *
 * @throws {WmsFault}
 */
export function readInfoFormat(text = 'text/plain'): InfoFormat {
  const name = text.replace(/\s*;.*$/s, '').toLowerCase()
  // A plus sign in a query string is decoded as a space.
  const found = infoFormats.find((format) => format === name) ?? infoNames[name.replaceAll(' ', '+')]
  if (found !== undefined) return found
  throw new WmsFault(
    'InvalidFormat',
    `The format ${shown(text)} is not supported; use ${infoFormats.join(', ')}.`,
    'INFO_FORMAT',
  )
}

function readCount(text = '1'): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (count >= 1) return Math.min(count, maxFeatureCount)
  throw invalidValue('FEATURE_COUNT', text, 'a number of features from 1')
}

function readTolerance(text = String(tolerances.usual)): number {
  const pixels = /^\d{1,3}(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN
  if (pixels <= tolerances.most) return pixels
  throw invalidValue('TOLERANCE', text, `a number of pixels from 0 to ${tolerances.most}`)
}

function readPixel(get: Get, { pixelNames }: WmsProtocol, { width, height }: MapView): [number, number] {
  const others = pixelNames[0] === 'I' ? ['X', 'Y'] : ['I', 'J']
  const read = (at: 0 | 1, size: number) => {
    const name = pixelNames[at]
    const text = get(name) ?? get(others[at] ?? '')
    if (text === undefined) throw missingParameter(name)
    const pixel = /^\d{1,9}$/.test(text) ? Number(text) : -1
    if (pixel >= 0 && pixel < size) return pixel
    const range = `a pixel of the map, from 0 to ${size - 1}`
    throw new WmsFault('InvalidPoint', `${name} is ${shown(text)}, expected ${range}.`, name)
  }
  return [read(0, width), read(1, height)]
}

/** How a client wants failures of GetMap reported. */
export interface ExceptionForm {
  readonly kind: 'xml' | 'image' | 'blank'
  readonly width: number
  readonly height: number
  readonly image: ImageForm
}

const exceptionKinds = [
  [/^(?:application\/vnd\.ogc\.se_)?inimage$/i, 'image'],
  [/^(?:application\/vnd\.ogc\.se_)?blank$/i, 'blank'],
] as const

/** Reads how failures are reported. Never fails: what cannot be read has its default. */
export function readExceptionForm(parameters: Parameters): ExceptionForm {
  const get = getterOf(parameters)
  const attempt = <T>(read: () => T, otherwise: T): T => {
    try {
      return read()
    } catch {
      return otherwise
    }
  }
  const form = get('EXCEPTIONS') ?? ''
  const isMap = get('REQUEST')?.toLowerCase() === 'getmap'
  return {
    kind: isMap ? (exceptionKinds.find(([pattern]) => pattern.test(form))?.[1] ?? 'xml') : 'xml',
    width: attempt(() => readSize('WIDTH', get('WIDTH') ?? ''), 256),
    height: attempt(() => readSize('HEIGHT', get('HEIGHT') ?? ''), 256),
    image: attempt(() => readImage(get), {
      format: 'image/png',
      isTransparent: false,
      background: '#ffffff',
    }),
  }
}
