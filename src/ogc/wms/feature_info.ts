import type { Datatype } from '../../contract/geometry.ts'
import { bytesOf } from '../../core/bytes.ts'
import { readWkb } from '../../geo/wkb.ts'
import { gmlText } from '../gml/write_gml.ts'
import { srsUrn } from '../reference_system.ts'
import { type FeatureType, featureIdOf, nameAll } from '../wfs/feature_type.ts'
import { qualified } from '../wfs/wfs_service.ts'
import { element, escapeXml, textElement, xmlDeclaration, xmlNameOf } from '../xml_text.ts'
import type { InfoFormat } from './wms_service.ts'

/** A feature at a pixel. */
export interface PixelFeature {
  readonly fid: string
  /** Values of the fields in order, in the lexical form of XML Schema. */
  readonly values: readonly (string | null)[]
  /** Labels of the values, where they have one; for people, who read text and HTML. */
  readonly labels?: readonly (string | undefined)[]
  readonly geojson: string | null
  readonly wkb: Uint8Array | null
}

/** Type of the features at a pixel: that of a layer, or of what is found in an image. */
export interface PixelType extends Pick<FeatureType, 'name' | 'title' | 'geometryName'> {
  readonly properties: readonly {
    readonly name: string
    readonly field: { readonly keyname: string; readonly displayName: string; readonly datatype: Datatype }
  }[]
}

/** The features of a layer at a pixel. */
export interface PixelLayer {
  readonly type: PixelType
  readonly features: readonly PixelFeature[]
}

/** The features at a pixel of a map. */
export interface PixelInfo {
  /** Namespace of features and properties. */
  readonly namespace: string
  /** EPSG code of the geometries. */
  readonly srs: number
  readonly layers: readonly PixelLayer[]
}

/** Describes what is found in an image, by name: values of bands, or features of another service. They have no geometry. */
export function describeFound(
  { name, title }: { readonly name: string; readonly title: string },
  found: readonly Readonly<Record<string, unknown>>[],
): PixelLayer[] {
  return found.map((fields, at) => {
    const keys = Object.keys(fields)
    const names = nameAll(keys)
    const properties = keys.map((keyname, index) => {
      const datatype = typeof fields[keyname] === 'number' ? 'REAL' : 'STRING'
      return { name: names[index] ?? '', field: { keyname, displayName: keyname, datatype } as const }
    })
    const values = keys.map((keyname) => textOf(fields[keyname]))
    return {
      type: { name: xmlNameOf(name), title, geometryName: 'geom', properties },
      features: [{ fid: String(at + 1), values, geojson: null, wkb: null }],
    }
  })
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Writers of each format, with the media type of the response. */
const writers: Readonly<
  Record<InfoFormat, readonly [mediaType: string, write: (info: PixelInfo) => string]>
> = {
  'text/plain': ['text/plain; charset=utf-8', plainText],
  'text/html': ['text/html; charset=utf-8', htmlText],
  'application/json': ['application/json', geojsonText],
  'application/vnd.ogc.gml': ['application/vnd.ogc.gml; charset=utf-8', featureCollection],
}

/** Writes the features at a pixel. */
export function featureInfo(
  info: PixelInfo,
  format: InfoFormat,
): { readonly mediaType: string; readonly text: string } {
  const [mediaType, write] = writers[format]
  return { mediaType, text: write(info) }
}

function plainText({ layers }: PixelInfo): string {
  const lines = layers.flatMap(({ type, features }) =>
    features.flatMap(({ fid, ...feature }) => [
      `${type.title}: ${fid}`,
      ...type.properties.map(({ field }, at) => `  ${field.keyname}: ${readableValue(feature, at)}`),
      '',
    ]),
  )
  return lines.length === 0 ? 'No features were found.\n' : lines.join('\n')
}

/** Returns the label of a value, with the value in parentheses; the value if it has none. */
function readableValue({ values, labels }: Pick<PixelFeature, 'values' | 'labels'>, at: number): string {
  const value = values[at] ?? ''
  const label = labels?.[at]
  return label === undefined || label === value ? value : `${label} (${value})`
}

const css =
  'body{font:14px sans-serif}table{border-collapse:collapse;margin-bottom:1em}caption{font-weight:bold;text-align:left}th,td{border:1px solid #ccc;padding:2px 6px;text-align:left;vertical-align:top}'

function htmlText({ layers }: PixelInfo): string {
  const tables = layers.flatMap(({ type, features }) =>
    features.map(({ fid, ...feature }) => {
      const rows = type.properties.map(({ field }, at) =>
        element(
          'tr',
          {},
          textElement('th', field.displayName),
          textElement('td', readableValue(feature, at)),
        ),
      )
      return element('table', {}, textElement('caption', `${type.title}: ${fid}`), ...rows)
    }),
  )
  const body = tables.length === 0 ? textElement('p', 'No features were found.') : tables.join('\n')
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Features</title><style>${css}</style></head>
<body>
${body}
</body></html>
`
}

/** Writes GeoJSON, with the reference system unless it is EPSG:4326. @see RFC 7946, GeoJSON 2008 clause 3 */
function geojsonText({ srs, layers }: PixelInfo): string {
  const features = layers.flatMap(({ type, features }) =>
    features.map(({ fid, values, geojson }) => {
      const properties = type.properties.map(
        ({ field }, at) => [field.keyname, jsonValue(values[at] ?? null, field.datatype)] as const,
      )
      const text = JSON.stringify(Object.fromEntries(properties))
      return `{"type":"Feature","id":${JSON.stringify(featureIdOf(type, fid))},"geometry":${geojson ?? 'null'},"properties":${text}}`
    }),
  )
  const crs = { type: 'name', properties: { name: srsUrn(srs).name } }
  const member = srs === 4326 ? '' : `"crs":${JSON.stringify(crs)},`
  return `{"type":"FeatureCollection",${member}"features":[${features.join(',')}]}`
}

function jsonValue(text: string | null, datatype: Datatype): string | number | null {
  if (text === null) return null
  if (datatype !== 'INTEGER' && datatype !== 'BIGINT' && datatype !== 'REAL') return text
  const number = Number(text)
  const isExact = datatype === 'REAL' ? Number.isFinite(number) : Number.isSafeInteger(number)
  return isExact ? number : text
}

/** Writes GML 2.1.2 with x first. @see OGC 02-069 */
function featureCollection({ namespace, srs, layers }: PixelInfo): string {
  const root = {
    'xmlns:wfs': 'http://www.opengis.net/wfs',
    'xmlns:gml': 'http://www.opengis.net/gml',
    'xmlns:svc': namespace,
  }
  const bounds = element('gml:boundedBy', {}, textElement('gml:null', 'unknown'))
  const format = { version: '2.1.2', srsName: `EPSG:${srs}`, isSwapped: false, isTransformed: true } as const
  const members = layers.flatMap(({ type, features }) =>
    features.map((feature) => element('gml:featureMember', {}, featureElement(type, feature, format))),
  )
  return `${xmlDeclaration}${element('wfs:FeatureCollection', root, bounds, ...members)}\n`
}

function featureElement(
  type: PixelType,
  { fid, values, wkb }: PixelFeature,
  format: Parameters<typeof gmlText>[1],
): string {
  const geometry = wkb === null ? undefined : readWkb(bytesOf(Buffer.from(wkb)))
  const isSupported =
    geometry !== undefined && geometry.family !== 'COLLECTION' && geometry.family !== 'UNSUPPORTED'
  const place =
    isSupported && geometry.parts.length > 0
      ? element(qualified(type.geometryName), {}, gmlText(geometry, format, ''))
      : ''
  const properties = type.properties.map(({ name }, at) => {
    const value = values[at] ?? null
    return value === null ? '' : `<${qualified(name)}>${escapeXml(value)}</${qualified(name)}>`
  })
  return element(qualified(type.name), { fid: featureIdOf(type, fid) }, place, ...properties)
}
