import type { Bbox } from '../geo/bbox.ts'

/** An area of a WMS, as pixels. */
export interface WmsView {
  /** EPSG code. */
  readonly srs: number
  /** Whether the first axis of the reference system points north. */
  readonly isNorthFirst: boolean
  /** With x first. */
  readonly box: Bbox
  readonly width: number
  readonly height: number
}

/** What is requested from a WMS. */
export interface WmsRequest {
  /** URL of the service, which may have parameters of its own. */
  readonly url: string
  readonly version: string
  /** Names of the layers, separated by commas. */
  readonly layers: string
  /** Media type of the image. */
  readonly format: string
  /** Further parameters, which replace optional ones. */
  readonly vendor: Readonly<Record<string, string>>
  readonly view: WmsView
}

/**
 * Returns the URL of a GetMap request.
 *
 * @see OGC 06-042 clause 7.3.3, OGC 01-068r3 clause 7.2.3
 */
export function getMapUrl(request: WmsRequest): URL {
  const isTransparent = !/jpe?g/i.test(request.format)
  return requestUrl(request, {
    ...viewParameters(request, 'GetMap'),
    TRANSPARENT: isTransparent ? 'TRUE' : 'FALSE',
  })
}

/** A pixel of a view, and how its features are described. */
export interface FeatureInfoQuery {
  readonly column: number
  readonly row: number
  /** Media type. */
  readonly infoFormat: string
  readonly limit: number
}

/**
 * Returns the URL of a GetFeatureInfo request.
 *
 * @see OGC 06-042 clause 7.4.3, OGC 01-068r3 clause 7.3.3
 */
export function getFeatureInfoUrl(
  request: WmsRequest,
  { column, row, infoFormat, limit }: FeatureInfoQuery,
): URL {
  const [x, y] = request.version === '1.3.0' ? ['I', 'J'] : ['X', 'Y']
  return requestUrl(request, {
    ...viewParameters(request, 'GetFeatureInfo'),
    QUERY_LAYERS: request.layers,
    INFO_FORMAT: infoFormat,
    FEATURE_COUNT: String(limit),
    [x]: String(column),
    [y]: String(row),
  })
}

/** A layer of a WMS whose legend is requested. */
export interface LegendGraphicQuery extends Pick<WmsRequest, 'url' | 'version' | 'vendor'> {
  readonly layer: string
}

/**
 * Returns the URL of a GetLegendGraphic request for a PNG.
 *
 * @see OGC 05-078r4 clause 12, OGC 02-070 clause 12
 */
export function getLegendGraphicUrl({ layer, ...request }: LegendGraphicQuery): URL {
  const { version } = request
  return requestUrl(request, {
    SERVICE: 'WMS',
    VERSION: version,
    REQUEST: 'GetLegendGraphic',
    ...(version === '1.3.0' ? { SLD_VERSION: '1.1.0' } : {}),
    LAYER: layer,
    STYLE: '',
    FORMAT: 'image/png',
    EXCEPTIONS: version === '1.3.0' ? 'XML' : 'application/vnd.ogc.se_xml',
  })
}

type Parameters = Readonly<Record<string, string>>

function viewParameters({ version, layers, format, view }: WmsRequest, request: string): Parameters {
  const { srs, isNorthFirst, box, width, height } = view
  const [minX, minY, maxX, maxY] = box
  const isNew = version === '1.3.0'
  const numbers = isNew && isNorthFirst ? [minY, minX, maxY, maxX] : box
  return {
    SERVICE: 'WMS',
    VERSION: version,
    REQUEST: request,
    LAYERS: layers,
    STYLES: '',
    FORMAT: format,
    [isNew ? 'CRS' : 'SRS']: `EPSG:${srs}`,
    BBOX: numbers.map(plainNumber).join(','),
    WIDTH: String(width),
    HEIGHT: String(height),
    EXCEPTIONS: isNew ? 'XML' : 'application/vnd.ogc.se_xml',
  }
}

// Not all services read exponents.
const plainNumber = (value: number) => (String(value).includes('e') ? value.toFixed(12) : String(value))

/** Adds parameters to a URL: those of the vendor replace ours, which replace those of the URL. */
function requestUrl({ url, vendor }: Pick<WmsRequest, 'url' | 'vendor'>, parameters: Parameters): URL {
  const added = new Map(Object.entries(parameters))
  for (const [name, value] of Object.entries(vendor)) {
    const known = [...added.keys()].find((one) => one.toUpperCase() === name.toUpperCase())
    added.set(known ?? name, value)
  }
  const names = new Set([...added.keys()].map((name) => name.toUpperCase()))
  const result = new URL(url)
  const kept = result.search
    .slice(1)
    .split('&')
    .filter((part) => part !== '' && !names.has(nameOf(part)))
  const encoded = [...added].map(([name, value]) => `${encodeURIComponent(name)}=${encode(value)}`)
  result.search = [...kept, ...encoded].join('&')
  result.hash = ''
  return result
}

// Commas, colons and slashes need no encoding in a query, and some services do not decode them.
const encode = (value: string) =>
  encodeURIComponent(value).replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%2F', '/')

function nameOf(parameter: string): string {
  const [name = ''] = new URLSearchParams(parameter).keys()
  return name.toUpperCase()
}
