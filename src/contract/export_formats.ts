import { uniqueNameIgnoringCase } from '../core/unique_name.ts'
import type { Datatype, GeometryFamily } from './geometry.ts'
import { listTitles } from './source_formats.ts'

/** What a file of a format cannot hold, where its driver does not report it. */
export interface ExportLimits {
  /** Maximum length of a text, in bytes of the encoding of the file. */
  readonly textBytes?: number
  /** Maximum length of a field name; longer ones are shortened. */
  readonly nameLength?: number
  /** Digits kept of BIGINT values, which are written as floating-point numbers. */
  readonly digits?: number
  /** Whether null numbers become 0. */
  readonly isNullZero?: true
}

/** Facts about a format that layers are exported to. */
export interface ExportFormat {
  /** Name as people know it. */
  readonly title: string
  /** Ending of the file, without the point. */
  readonly extension: string
  readonly mediaType: string
  /** Several files belong together: it is always packed. */
  readonly isSeveral?: true
  /** Name of the one file in the archive that a file of the format is. */
  readonly archived?: string
  /** EPSG code of the coordinates, unless asked for; the layer’s where absent. */
  readonly srs?: number
  /** Whether the format knows no other reference system than that. */
  readonly isFixed?: true
  /** Whether texts may be in other encodings than UTF-8. */
  readonly hasEncodings?: true
  /** Text that a client may take compressed on the way. */
  readonly isText?: true
  /** Whether it is written straight from the database, without GDAL. */
  readonly isDirect?: true
  /** Datatypes that the format does not have, or loses a part of: they are written as text. */
  readonly asText?: readonly Datatype[]
  /** What becomes of geometry: in a column of WKT, or required of every feature. It is kept as it is where absent. */
  readonly geometry?: 'text' | 'needed'
  /** Geometry families that the format has; all of them where absent. */
  readonly families?: readonly GeometryFamily[]
  /** Whether the format has no attributes. */
  readonly isBare?: true
  readonly limits?: ExportLimits
}

const moments = ['DATE', 'TIME', 'DATETIME'] as const

/** CSV, with commas or as Excel reads it. @see https://gdal.org/drivers/vector/csv.html */
const csv = {
  extension: 'csv',
  mediaType: 'text/csv',
  srs: 4326,
  hasEncodings: true,
  isText: true,
  isDirect: true,
  geometry: 'text',
} as const

/** @see OGC 12-007r2 */
const kml = { srs: 4326, isFixed: true, asText: moments, limits: { digits: 15 } } as const
const kmlType = 'application/vnd.google-earth.kml+xml'
const sheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/**
 * Formats that layers are exported to, by their names, which are GDAL’s.
 *
 * @see https://gdal.org/drivers/vector for what each can hold
 */
export const exportFormats = {
  GPKG: { title: 'GeoPackage', extension: 'gpkg', mediaType: 'application/geopackage+vnd.sqlite3' },
  GeoJSON: {
    title: 'GeoJSON',
    extension: 'geojson',
    mediaType: 'application/json',
    srs: 4326,
    isText: true,
    isDirect: true,
  },
  CSV: { title: 'CSV', ...csv },
  CSV_MSEXCEL: { title: 'CSV', ...csv },
  'ESRI Shapefile': {
    title: 'Shapefile',
    extension: 'shp',
    mediaType: 'application/zip',
    isSeveral: true,
    hasEncodings: true,
    asText: ['TIME', 'DATETIME'],
    limits: { textBytes: 254, nameLength: 10 },
  },
  FlatGeobuf: {
    title: 'FlatGeobuf',
    extension: 'fgb',
    mediaType: 'application/octet-stream',
    asText: ['TIME'],
  },
  KML: { title: 'KML', extension: 'kml', mediaType: kmlType, isText: true, ...kml },
  KMZ: {
    title: 'KML',
    extension: 'kmz',
    mediaType: 'application/vnd.google-earth.kmz',
    archived: 'doc.kml',
    ...kml,
  },
  GML: { title: 'GML', extension: 'gml', mediaType: 'application/zip', isSeveral: true },
  DXF: {
    title: 'DXF',
    extension: 'dxf',
    mediaType: 'image/vnd.dxf',
    isText: true,
    geometry: 'needed',
    isBare: true,
  },
  'MapInfo File': {
    title: 'MapInfo table',
    extension: 'tab',
    mediaType: 'application/zip',
    isSeveral: true,
    hasEncodings: true,
    limits: { textBytes: 254, nameLength: 31, digits: 17, isNullZero: true },
  },
  GPX: {
    title: 'GPX',
    extension: 'gpx',
    mediaType: 'application/gpx+xml',
    srs: 4326,
    isFixed: true,
    isText: true,
    geometry: 'needed',
    asText: moments,
    families: ['POINT', 'LINESTRING'],
  },
  XLSX: { title: 'XLSX', extension: 'xlsx', mediaType: sheetType, srs: 4326, geometry: 'text' },
} as const satisfies Record<string, ExportFormat>

/** Name of a format. */
export type ExportFormatName = keyof typeof exportFormats

/** Name of a format that is written straight from the database. */
export type DirectFormatName = {
  [Name in ExportFormatName]: (typeof exportFormats)[Name] extends { isDirect: true } ? Name : never
}[ExportFormatName]

/** Names of the formats. */
export const exportFormatNames = Object.keys(exportFormats) as ExportFormatName[]

/** Titles of the formats whose texts may be in other encodings than UTF-8, as a sentence lists them. */
export const encodedExportTitles = listTitles(
  Object.values<ExportFormat>(exportFormats).filter(({ hasEncodings }) => hasEncodings),
)

/** Encodings that texts are exported in, where the format leaves the choice. */
export const exportEncodings = ['UTF-8', 'CP1251'] as const

/** Name of an encoding. */
export type ExportEncoding = (typeof exportEncodings)[number]

/** Header that says what the file of an export could not hold. */
export const notesHeader = 'landform-notes'

/** Writes sentences as a header: a list of JSON in ASCII, as headers know no other letters. */
export function formatNotes(notes: readonly string[]): string {
  const inAscii = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(notes).replaceAll(/[^ -~]/g, inAscii)
}

/** Reads what `formatNotes` wrote; nothing where a server says it in another way, or not at all. */
export function readNotes(header: string | string[] | undefined): string[] {
  try {
    const read: unknown = JSON.parse(String(header))
    return Array.isArray(read) ? read.map(String) : []
  } catch {
    return []
  }
}

/** Column that holds the geometry in tables: WKT. */
export const geometryColumnName = 'GEOM'

/** Returns a name that no column has, in upper or lower case: half of the formats do not tell them apart. */
export function freeColumnName(wanted: string, columns: readonly { readonly name: string }[]): string {
  return uniqueNameIgnoringCase(
    wanted,
    columns.map(({ name }) => name),
  )
}
