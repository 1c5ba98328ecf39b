import { uniqueNameIgnoringCase } from '../core/unique_name.ts'

/** What is known of a format that layers are exported to. */
export interface ExportFormat {
  /** Ending of the file, without the point. */
  readonly extension: string
  readonly mediaType: string
  /** Several files belong together: it is always packed. */
  readonly isSeveral?: true
  /** EPSG code of the coordinates, unless asked for; the layer’s where absent. */
  readonly srs?: number
  /** Whether the format knows no other reference system than that. */
  readonly isFixed?: true
  /** Whether texts may be in other encodings than UTF-8. */
  readonly hasEncodings?: true
  /** Text that a client may take compressed on the way. */
  readonly isText?: true
}

const kmlType = 'application/vnd.google-earth.kml+xml'

/** Formats that layers are exported to, by their names, which are GDAL’s. */
export const exportFormats = {
  GPKG: { extension: 'gpkg', mediaType: 'application/geopackage+vnd.sqlite3' },
  GeoJSON: { extension: 'geojson', mediaType: 'application/json', srs: 4326, isText: true },
  CSV: { extension: 'csv', mediaType: 'text/csv', srs: 4326, hasEncodings: true, isText: true },
  CSV_MSEXCEL: { extension: 'csv', mediaType: 'text/csv', srs: 4326, hasEncodings: true, isText: true },
  'ESRI Shapefile': { extension: 'shp', mediaType: 'application/zip', isSeveral: true, hasEncodings: true },
  FlatGeobuf: { extension: 'fgb', mediaType: 'application/octet-stream' },
  KML: { extension: 'kml', mediaType: kmlType, srs: 4326, isFixed: true, isText: true },
  KMZ: { extension: 'kmz', mediaType: 'application/vnd.google-earth.kmz', srs: 4326, isFixed: true },
  GML: { extension: 'gml', mediaType: 'application/zip', isSeveral: true },
  DXF: { extension: 'dxf', mediaType: 'image/vnd.dxf', isText: true },
  'MapInfo File': { extension: 'tab', mediaType: 'application/zip', isSeveral: true, hasEncodings: true },
  GPX: { extension: 'gpx', mediaType: 'application/gpx+xml', srs: 4326, isFixed: true, isText: true },
  XLSX: {
    extension: 'xlsx',
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    srs: 4326,
  },
} as const satisfies Record<string, ExportFormat>

/** Name of a format. */
export type ExportFormatName = keyof typeof exportFormats

/** Names of the formats. */
export const exportFormatNames = Object.keys(exportFormats) as ExportFormatName[]

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
