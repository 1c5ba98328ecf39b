/** Facts about a format that layers are loaded from. Files have to follow the format; drivers are the importer's matter. */
export interface SourceFormatFacts {
  /** Name as people know it. */
  readonly title: string
  /** File extensions in lower case, with the dot; first the one that GDAL's driver expects. */
  readonly extensions: readonly [string, ...string[]]
  /** Further extensions that other kinds of files have as well: in an archive such a file is not data. */
  readonly sharedExtensions?: readonly string[]
  /** Extensions of zip archives that hold a file of the format. */
  readonly archiveExtensions?: readonly string[]
  /** Extensions of the files of the same name without which the data cannot be read. */
  readonly required?: readonly string[]
  /** Extensions of further files of the same name that belong to the data. */
  readonly optional?: readonly string[]
  /** Whether texts are read in the encoding that the request names, where the file does not name one. */
  readonly hasEncodings?: true
  /** Whether a file of the format is itself a zip archive. */
  readonly isZip?: true
  /** What a file has to have, or what is refused, in a few words of Markdown. */
  readonly limits?: string
}

const tableColumns = 'columns `lon` and `lat`, `x` and `y`, or `wkt`'

/**
 * Formats that layers are loaded from.
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
    limits: 'the reference system from `.prj`',
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

/** The source formats, in the order of the table. */
export const sourceFormatList: readonly SourceFormatFacts[] = Object.values(sourceFormats)

/** Titles of formats, each once, as a sentence lists them. */
export function listTitles(formats: readonly { readonly title: string }[]): string {
  return [...new Set(formats.map(({ title }) => title))].join(', ')
}

/** Titles of the formats whose texts may be in other encodings than UTF-8, as a sentence lists them. */
export const encodedSourceTitles = listTitles(sourceFormatList.filter(({ hasEncodings }) => hasEncodings))

/** Finds the source format that a file extension belongs to, without archives of a format. */
export function sourceFormatOf(extension: string): SourceFormatFacts | undefined {
  const lower = extension.toLowerCase()
  return sourceFormatList.find(({ extensions, sharedExtensions = [] }) =>
    [...extensions, ...sharedExtensions].includes(lower),
  )
}
