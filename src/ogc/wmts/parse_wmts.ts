import { type TileAddress, tileExists } from '../../geo/tile.ts'
import type { Parameters } from '../key_value_pairs.ts'
import { invalidParameter, OwsFault, shown } from '../ows_fault.ts'
import { readInfoFormat, readMapFormat } from '../wms/parse_wms.ts'
import { WmsFault } from '../wms/wms_fault.ts'
import { type InfoFormat, infoFormats, type MapFormat, mapFormats, styleName } from '../wms/wms_service.ts'
import { matrixSets, maxMatrix } from './matrix_set.ts'

/** A tile of a layer. */
export interface TilePlace {
  readonly layer: string
  readonly address: TileAddress
  /** Side in pixels. */
  readonly tileSize: number
}

/** A request. */
export type WmtsRequest =
  | { readonly operation: 'GetCapabilities' }
  | ({ readonly operation: 'GetTile'; readonly format: MapFormat } & TilePlace)
  | ({
      readonly operation: 'GetFeatureInfo'
      readonly format: InfoFormat
      readonly pixel: readonly [column: number, row: number]
    } & TilePlace)

/** Version of WMTS. */
export const wmtsVersion = '1.0.0'

/**
 * Parses a request of keyword-value pairs. Unknown parameters are ignored.
 *
 * @throws {OwsFault}
 * @see OGC 07-057r7 clause 8
 */
export function parseWmts(parameters: Parameters): WmtsRequest {
  const get = (name: string) => parameters.get(name)?.trim() || undefined
  const name = get('REQUEST')
  if (name === undefined) throw missing('request')
  const service = get('SERVICE')
  if (service !== undefined && service.toUpperCase() !== 'WMTS')
    throw invalidParameter('service', `The service is WMTS, not ${shown(service)}.`)
  const version = get('VERSION')
  switch (name.toLowerCase()) {
    case 'getcapabilities':
      checkAccepted(get('ACCEPTVERSIONS'))
      return { operation: 'GetCapabilities' }
    case 'gettile':
      checkVersion(version)
      return { operation: 'GetTile', ...readPlace(get), format: readTileFormat(get('FORMAT')) }
    case 'getfeatureinfo': {
      checkVersion(version)
      const place = readPlace(get)
      const pixel = readPixel(place, { i: need(get, 'I'), j: need(get, 'J') })
      return { operation: 'GetFeatureInfo', ...place, pixel, format: readInfo(get('INFOFORMAT')) }
    }
    default:
      throw new OwsFault(
        'OperationNotSupported',
        `The operation ${shown(name)} is not supported.`,
        name.slice(0, 80),
      )
  }
}

type Get = (name: string) => string | undefined

function need(get: Get, name: string): string {
  const text = get(name)
  if (text === undefined) throw missing(name)
  return text
}

function missing(name: string): OwsFault {
  return new OwsFault('MissingParameterValue', `The parameter ${name} is missing.`, name)
}

function checkAccepted(text: string | undefined): void {
  const versions = text?.split(',').map((version) => version.trim()) ?? []
  if (versions.length === 0 || versions.includes(wmtsVersion)) return
  throw new OwsFault(
    'VersionNegotiationFailed',
    `None of the versions ${versions.map(shown).join(', ')} is supported; use ${wmtsVersion}.`,
    'acceptVersions',
  )
}

function checkVersion(text: string | undefined): void {
  if (text === undefined || text === wmtsVersion) return
  throw invalidParameter('version', `Version ${shown(text)} is not supported; use ${wmtsVersion}.`)
}

function readPlace(get: Get): TilePlace {
  return placeOf({
    layer: need(get, 'LAYER'),
    style: get('STYLE') ?? styleName,
    set: need(get, 'TILEMATRIXSET'),
    matrix: need(get, 'TILEMATRIX'),
    row: need(get, 'TILEROW'),
    column: need(get, 'TILECOL'),
  })
}

interface PlaceTexts {
  readonly layer: string
  readonly style: string
  readonly set: string
  readonly matrix: string
  readonly row: string
  readonly column: string
}

function placeOf({ layer, style, set, matrix, row, column }: PlaceTexts): TilePlace {
  if (style !== styleName)
    throw invalidParameter('Style', `There is no style ${shown(style)}; use ${styleName}.`)
  const found = matrixSets.find(({ name }) => name === set)
  if (found === undefined) {
    const names = matrixSets.map(({ name }) => name).join(' or ')
    throw invalidParameter('TileMatrixSet', `There is no matrix set ${shown(set)}; use ${names}.`)
  }
  // Some clients write the name of the set before the matrix.
  const zoomText = matrix.startsWith(`${set}:`) ? matrix.slice(set.length + 1) : matrix
  const z = /^\d{1,2}$/.test(zoomText) ? Number(zoomText) : -1
  if (z < 0 || z > maxMatrix)
    throw invalidParameter('TileMatrix', `There is no matrix ${shown(matrix)}; use 0 to ${maxMatrix}.`)
  const last = 2 ** z - 1
  const index = (name: string, text: string) => {
    if (!/^-?\d{1,12}$/.test(text))
      throw invalidParameter(name, `${name} is ${shown(text)}, expected a number.`)
    const value = Number(text)
    if (value >= 0 && value <= last) return value
    throw new OwsFault(
      'TileOutOfRange',
      `${name} is ${value}; matrix ${z} has tiles from 0 to ${last}.`,
      name,
    )
  }
  const address = { z, x: index('TileCol', column), y: index('TileRow', row) }
  if (!tileExists(address)) throw new OwsFault('TileOutOfRange', 'There is no such tile.', 'TileMatrix')
  return { layer, address, tileSize: found.tileSize }
}

function readTileFormat(text = 'image/png'): MapFormat {
  return asOws('Format', () => readMapFormat(text))
}

function readInfo(text: string | undefined): InfoFormat {
  return asOws('InfoFormat', () => readInfoFormat(text))
}

function asOws<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof WmsFault ? invalidParameter(name, error.message) : error
  }
}

function readPixel(
  { tileSize }: TilePlace,
  texts: { readonly i: string; readonly j: string },
): readonly [number, number] {
  const read = (name: string, text: string) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : -1
    if (value >= 0 && value < tileSize) return value
    const range = `a pixel of the tile, from 0 to ${tileSize - 1}`
    throw new OwsFault('PointIJOutOfRange', `${name} is ${shown(text)}, expected ${range}.`, name)
  }
  return [read('I', texts.i), read('J', texts.j)]
}

/** Extensions of paths by format. */
const extensions: Readonly<Record<string, MapFormat>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
}

const infoExtensions: Readonly<Record<string, InfoFormat>> = {
  txt: 'text/plain',
  html: 'text/html',
  json: 'application/json',
  gml: 'application/vnd.ogc.gml',
}

/** Templates of the addresses of tiles, and of the features at a pixel, with their formats. */
export function resourceTemplates(
  url: string,
  layer: string,
): readonly (readonly [kind: 'tile' | 'FeatureInfo', format: string, template: string])[] {
  const start = `${url}/${wmtsVersion}/${encodeURIComponent(layer)}/{Style}/{TileMatrixSet}/{TileMatrix}/{TileRow}/{TileCol}`
  const find = (table: Readonly<Record<string, string>>, format: string) =>
    Object.entries(table).find(([, one]) => one === format)?.[0] ?? ''
  return [
    ...mapFormats.map((format) => ['tile', format, `${start}.${find(extensions, format)}`] as const),
    ...infoFormats.map(
      (format) => ['FeatureInfo', format, `${start}/{J}/{I}.${find(infoExtensions, format)}`] as const,
    ),
  ]
}

/**
 * Parses a request in the form of a path below the address of the service.
 *
 * @throws {OwsFault}
 * @see OGC 07-057r7 clause 10
 */
export function parseWmtsPath(path: string): WmtsRequest {
  const parts = path.split('/').filter((part) => part !== '')
  const [version, ...rest] = parts.map(decodePart)
  if (version !== wmtsVersion) throw unknownPath(path)
  if (rest.length === 1 && rest[0]?.toLowerCase() === 'wmtscapabilities.xml')
    return { operation: 'GetCapabilities' }
  const [layer = '', style = '', set = '', matrix = '', row = '', end = '', j = '', last = ''] = rest
  const isTile = rest.length === 6
  if (!isTile && rest.length !== 8) throw unknownPath(path)
  const [, name = '', extension = ''] = /^(.*)\.(\w+)$/.exec(isTile ? end : last) ?? []
  const place = placeOf({ layer, style, set, matrix, row, column: isTile ? name : end })
  const table: Readonly<Record<string, string>> = isTile ? extensions : infoExtensions
  const key = extension.toLowerCase()
  if (!Object.hasOwn(table, key))
    throw invalidParameter(
      isTile ? 'Format' : 'InfoFormat',
      `The extension ${shown(extension)} is not supported; use ${Object.keys(table).join(', ')}.`,
    )
  if (isTile) return { operation: 'GetTile', ...place, format: extensions[key] ?? 'image/png' }
  const pixel = readPixel(place, { i: name, j })
  return { operation: 'GetFeatureInfo', ...place, pixel, format: infoExtensions[key] ?? 'text/plain' }
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function unknownPath(path: string): OwsFault {
  return new OwsFault(
    'NotFound',
    `There is nothing at ${shown(path)}; see ${wmtsVersion}/WMTSCapabilities.xml.`,
  )
}
