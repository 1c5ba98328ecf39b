/** Properties of a source format. The importer chooses the drivers. */
export interface SourceFormatFacts {
  /** Display name. */
  readonly title: string
  /** File extensions in lower case, with the dot; the one that the GDAL driver expects is first. */
  readonly extensions: readonly [string, ...string[]]
  /** Extensions that other kinds of files have too: in an archive, such a file is not data. */
  readonly sharedExtensions?: readonly string[]
  /** Extensions of ZIP archives with a file of the format. */
  readonly archiveExtensions?: readonly string[]
  /** Extensions of required sidecar files. */
  readonly required?: readonly string[]
  /** Extensions of optional sidecar files. */
  readonly optional?: readonly string[]
  /** Whether the request can set the character encoding, if the file does not declare one. */
  readonly hasEncodings?: true
  /** Whether a file of the format is a ZIP archive. */
  readonly isZip?: true
  /** Requirements and limits of the format, in a few words of Markdown. */
  readonly limits?: string
}

const tableColumns = 'columns `lon` and `lat`, `x` and `y`, or `wkt`'

/**
 * Source formats of layers.
 *
 * @see ESRI Shapefile Technical Description, July 1998; https://gdal.org/drivers/vector
 */
export const sourceFormats = {
  GeoJSON: {
    title: 'GeoJSON',
    extensions: ['.geojson', '.json', '.geojsonl', '.geojsons', '.ndjson', '.topojson'],
    hasEncodings: true,
  },
  GeoPackage: { title: 'GeoPackage', extensions: ['.gpkg'] },
  Shapefile: {
    title: 'Shapefile',
    extensions: ['.shp'],
    required: ['.shx', '.dbf'],
    optional: ['.prj', '.cpg', '.cst', '.qpj', '.shp.xml', '.sbn', '.sbx', '.idm', '.ind'],
    hasEncodings: true,
    limits: 'coordinate reference system from `.prj`',
  },
  FlatGeobuf: { title: 'FlatGeobuf', extensions: ['.fgb'] },
  KML: { title: 'KML', extensions: ['.kml'], archiveExtensions: ['.kmz'], limits: 'no entities' },
  GML: {
    title: 'GML',
    extensions: ['.gml'],
    sharedExtensions: ['.xml'],
    optional: ['.xsd', '.gfs'],
    limits: 'no entities',
  },
  GPX: { title: 'GPX', extensions: ['.gpx'], limits: 'no entities' },
  MapInfoTable: {
    title: 'MapInfo table',
    extensions: ['.tab'],
    required: ['.dat', '.map', '.id'],
    optional: ['.ind', '.cpg'],
    limits: 'no seamless tables',
  },
  MapInfoInterchange: {
    title: 'MapInfo interchange file',
    extensions: ['.mif'],
    required: ['.mid'],
    hasEncodings: true,
  },
  CSV: {
    title: 'CSV',
    extensions: ['.csv', '.tsv'],
    sharedExtensions: ['.txt'],
    optional: ['.prj'],
    hasEncodings: true,
    limits: tableColumns,
  },
  XLSX: { title: 'XLSX', extensions: ['.xlsx'], isZip: true, limits: tableColumns },
  ODS: { title: 'ODS', extensions: ['.ods'], isZip: true, limits: tableColumns },
} as const satisfies Record<string, SourceFormatFacts>

/** Name of a source format. */
export type SourceFormatName = keyof typeof sourceFormats

/** Source formats, in the order of the table. */
export const sourceFormatList: readonly SourceFormatFacts[] = Object.values(sourceFormats)

/** Lists the distinct titles of formats, for a sentence. */
export function listTitles(formats: readonly { readonly title: string }[]): string {
  return [...new Set(formats.map(({ title }) => title))].join(', ')
}

/** Titles of the formats that support encodings other than UTF-8, as a list in a sentence. */
export const encodedSourceTitles = listTitles(sourceFormatList.filter(({ hasEncodings }) => hasEncodings))

/** Finds the source format of a file extension, except for archives. */
export function sourceFormatOf(extension: string): SourceFormatFacts | undefined {
  const lower = extension.toLowerCase()
  return sourceFormatList.find(({ extensions, sharedExtensions = [] }) =>
    [...extensions, ...sharedExtensions].includes(lower),
  )
}
