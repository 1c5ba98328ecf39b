import { uniqueNameIgnoringCase } from '../../core/unique_name.ts'
import type { Datatype, GeometryFamily } from '../geometry.ts'
import { listTitles } from './source_formats.ts'

/** Limits of a format that its GDAL driver does not report. */
export interface ExportLimits {
  /** Maximum length of a string, in bytes of the encoding of the file. */
  readonly textBytes?: number
  /** Maximum length of a field name; longer ones are shortened. */
  readonly nameLength?: number
  /** Significant digits of BIGINT values, which are written as floating-point numbers. */
  readonly digits?: number
  /** Whether null numbers are written as 0. */
  readonly isNullZero?: true
  /** First day that is read as written: earlier days are read as others. */
  readonly firstDay?: string
}

/** Properties of an export format. */
export interface ExportFormat {
  /** Display name. */
  readonly title: string
  /** File extension, without the dot. */
  readonly extension: string
  readonly mediaType: string
  /** The format consists of several files: the export is always a ZIP archive. */
  readonly isSeveral?: true
  /** Name of the single file in the archive, for formats that are archives. */
  readonly archived?: string
  /** Default EPSG code of the coordinates; that of the layer if absent. */
  readonly srs?: number
  /** Whether the format allows no other coordinate reference system. */
  readonly isFixed?: true
  /** Whether the format supports encodings other than UTF-8. */
  readonly hasEncodings?: true
  /** Whether the response may be compressed in transit. */
  readonly isText?: true
  /** Whether the file is written directly from the database, without GDAL. */
  readonly isDirect?: true
  /** Datatypes that the format does not support completely: they are written as strings. */
  readonly asText?: readonly Datatype[]
  /** Restriction of geometries: written as a WKT column, or required of every feature. */
  readonly geometry?: 'text' | 'needed'
  /** Supported geometry families; defaults to all. */
  readonly families?: readonly GeometryFamily[]
  /** Whether the format does not support attributes. */
  readonly isGeometryOnly?: true
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
 * Export formats by their GDAL driver names.
 *
 * @see https://gdal.org/drivers/vector for the limits of each format
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
    isGeometryOnly: true,
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
  XLSX: {
    title: 'XLSX',
    extension: 'xlsx',
    mediaType: sheetType,
    srs: 4326,
    geometry: 'text',
    // Excel counts a 29 February 1900, and no days before 1900.
    limits: { firstDay: '1900-03-01' },
  },
} as const satisfies Record<string, ExportFormat>

/** Name of a format. */
export type ExportFormatName = keyof typeof exportFormats

/** Name of a format that is written directly from the database. */
export type DirectFormatName = {
  [Name in ExportFormatName]: (typeof exportFormats)[Name] extends { isDirect: true } ? Name : never
}[ExportFormatName]

/** Names of the formats. */
export const exportFormatNames = Object.keys(exportFormats) as ExportFormatName[]

/** Titles of the formats that support encodings other than UTF-8, as a list in a sentence. */
export const encodedExportTitles = listTitles(
  Object.values<ExportFormat>(exportFormats).filter(({ hasEncodings }) => hasEncodings),
)

/** Encodings of exports, for formats that support several. */
export const exportEncodings = ['UTF-8', 'CP1251'] as const

/** Name of an encoding. */
export type ExportEncoding = (typeof exportEncodings)[number]

/** Response header with notes about data that the exported file cannot represent. */
export const notesHeader = 'landform-notes'

/** Formats notes as a header: a JSON list in ASCII, since headers allow no other characters. */
export function formatNotes(notes: readonly string[]): string {
  const inAscii = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(notes).replaceAll(/[^ -~]/g, inAscii)
}

/** Parses a header written by `formatNotes`; returns an empty list if it is absent or malformed. */
export function readNotes(header: string | string[] | undefined): string[] {
  try {
    const read: unknown = JSON.parse(String(header))
    return Array.isArray(read) ? read.map(String) : []
  } catch {
    return []
  }
}

/** Name of the WKT column in tables. */
export const geometryColumnName = 'GEOM'

/** Returns a name that differs from all column names, ignoring case, as many formats do. */
export function freeColumnName(wanted: string, columns: readonly { readonly name: string }[]): string {
  return uniqueNameIgnoringCase(
    wanted,
    columns.map(({ name }) => name),
  )
}
