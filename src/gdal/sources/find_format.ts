import { extname } from 'node:path'
import { readEnd, readStart } from './file_start.ts'

/** Formats by the extension that their drivers know them by; the drivers that may open them. */
const formats: Readonly<Record<string, readonly string[]>> = {
  '.shp': ['ESRI Shapefile'],
  '.geojson': ['GeoJSON', 'GeoJSONSeq', 'TopoJSON', 'ESRIJSON'],
  '.gpkg': ['GPKG'],
  '.fgb': ['FlatGeobuf'],
  '.kml': ['LIBKML', 'KML'],
  '.gml': ['GML'],
  '.gpx': ['GPX'],
  '.tab': ['MapInfo File'],
  '.mif': ['MapInfo File'],
  '.csv': ['CSV'],
  '.xlsx': ['XLSX'],
  '.ods': ['ODS'],
}

const aliases: Readonly<Record<string, string>> = {
  '.json': '.geojson',
  '.geojsonl': '.geojson',
  '.geojsons': '.geojson',
  '.ndjson': '.geojson',
  '.topojson': '.geojson',
  '.tsv': '.csv',
  '.txt': '.csv',
  '.xml': '.gml',
}

/** What a file is. */
export interface Format {
  /** Extension that GDAL's drivers know it by; `.zip` for archives. */
  readonly extension: string
  /** Names of the drivers that may open it. */
  readonly drivers: readonly string[]
}

/** Finds what a file of the given name is: by its first bytes where they tell, else by the extension. */
export function findFormat(path: string, name: string): Format | undefined {
  // What follows the dot in "Roads 1.5" is none.
  const [given = ''] = /^\.[a-z]\w*$/.exec(extname(name).toLowerCase()) ?? []
  const known = aliases[given] ?? given
  const start = readStart(path, 4096).toString('latin1')
  const extension = start.startsWith(zipMagic)
    ? packedExtension(path, start, known)
    : extensionOf(start, known)
  if (extension === '.zip') return { extension, drivers: [] }
  const drivers = extension === undefined ? undefined : formats[extension]
  return extension === undefined || drivers === undefined ? undefined : { extension, drivers }
}

const zipMagic = 'PK\u0003\u0004'
/** Tables that are archives inside. */
export const packedTables: ReadonlySet<string> = new Set(['.xlsx', '.ods'])

/** Tells tables from other archives by what they have to hold. @see ECMA-376 part 2, OpenDocument 1.3 part 2 */
function packedExtension(path: string, start: string, known: string): string {
  if (start.includes('mimetypeapplication/vnd.oasis.opendocument.spreadsheet')) return '.ods'
  // The names of all files stand once more at the end.
  const end = readEnd(path, 1 << 16).toString('latin1')
  if (end.includes('[Content_Types].xml') && end.includes('xl/workbook.xml')) return '.xlsx'
  return packedTables.has(known) ? known : '.zip'
}

function extensionOf(start: string, known: string): string | undefined {
  if (start.startsWith('SQLite format 3\0')) return '.gpkg'
  if (start.startsWith('fgb\u0003fgb')) return '.fgb'
  const text = start.replace(/^\u00ef\u00bb\u00bf/, '').trimStart()
  if (text.startsWith('{') || text.startsWith('\u001e')) return '.geojson'
  if (/^<(\?xml|kml|gml|gpx|[\w:]*FeatureCollection)/i.test(text)) return xmlExtension(text, known)
  // What is none of these says so by its name, or is a table.
  const isText = !start.includes('\0')
  if (known in formats && !claimed.has(known)) return known
  return isText && text !== '' && (known === '' || known === '.csv') ? '.csv' : undefined
}

/** Formats that can be told by their first bytes: a file that only claims to be one is not. */
const claimed: ReadonlySet<string> = new Set([
  '.gpkg',
  '.fgb',
  '.geojson',
  '.xlsx',
  '.ods',
  '.kml',
  '.gml',
  '.gpx',
])

function xmlExtension(text: string, known: string): string {
  if (/<kml[\s>]/i.test(text)) return '.kml'
  if (/<gpx[\s>]/i.test(text)) return '.gpx'
  return known === '.kml' || known === '.gpx' ? known : '.gml'
}

/** Extensions of files that are a data set of their own, when they come in an archive. */
export const dataExtensions: readonly string[] = [...Object.keys(formats), ...Object.keys(aliases)].filter(
  (extension) => extension !== '.txt' && extension !== '.xml',
)
