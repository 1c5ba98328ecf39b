import { freeColumnName } from '../../contract/export_formats.ts'
import { geometryTypeOf } from '../../contract/geometry.ts'
import { expandBbox } from '../../geo/bbox.ts'
import type { FlatItems } from '../flatgeobuf/spatial_index.ts'
import type { ExportJob, GdalFormatName } from './export_job.ts'

/** What writes a file by GDAL's translation, with further options. */
export type Translate = (target: string, options: readonly string[]) => Promise<void>

/** A file to write, once the places of all features are known. */
export interface PlacedFile {
  readonly target: string
  /** Folder for an intermediate file. */
  readonly folder: string
  /** The features that have a geometry, with the ids that they have in the file. */
  readonly items: FlatItems
}

/** How GDAL writes a format. */
export interface FormatWriter {
  readonly driver: string
  /** Gives the options of the translation, as ogr2ogr takes them. */
  options(job: ExportJob): readonly string[]
  /** Writes the file by the places of all features, where the translation alone does not suffice. */
  writePlaced?(translate: Translate, file: PlacedFile): Promise<void>
}

/** Named like the layer, with its geometry type declared. */
const typed =
  (...more: readonly string[]): FormatWriter['options'] =>
  ({ layerName, geometry }) => ['-nln', layerName, ...typeOption({ geometry }), ...more]

const kml: FormatWriter = { driver: 'KML', options: typed('-preserve_fid') }

/** The formats that GDAL writes. */
export const formatWriters: Readonly<Record<GdalFormatName, FormatWriter>> = {
  GPKG: {
    driver: 'GPKG',
    options: (job) => [
      ...typed('-preserve_fid', '-gt', 'unlimited')(job),
      ...['-lco', `FID=${freeColumnName('fid', job.columns)}`],
      ...['-lco', `GEOMETRY_NAME=${freeColumnName('geom', job.columns)}`],
    ],
    // Loaded where it is needed: it opens databases.
    writePlaced: async (translate, file) =>
      (await import('./geopackage.ts')).writeGeoPackage(translate, file),
  },
  'ESRI Shapefile': {
    driver: 'ESRI Shapefile',
    options: (job) => [...typeOption(job), '-lco', `ENCODING=${job.encoding}`],
  },
  FlatGeobuf: { driver: 'FlatGeobuf', options: typed() },
  KML: kml,
  KMZ: kml,
  GML: { driver: 'GML', options: typed('-preserve_fid') },
  'MapInfo File': {
    driver: 'MapInfo File',
    options: ({ encoding }) => ['-lco', `ENCODING=${encoding}`],
    writePlaced: (translate, { target, items }) => translate(target, boundsOption(items)),
  },
  DXF: { driver: 'DXF', options: () => [] },
  GPX: {
    driver: 'GPX',
    options: ({ geometry: { family } }) => [
      ...(family === 'POINT' ? ['-nln', 'waypoints', '-explodecollections'] : ['-nln', 'tracks']),
      ...['-dsco', 'GPX_USE_EXTENSIONS=YES', '-lco', 'FORCE_GPX_TRACK=YES'],
    ],
  },
  XLSX: { driver: 'XLSX', options: ({ layerName }) => ['-nln', sheetName(layerName)] },
}

function typeOption({ geometry }: Pick<ExportJob, 'geometry'>): string[] {
  return ['-nlt', geometryTypeOf(geometry).replace(/Z$/, '25D')]
}

// Names of sheets are short, and some signs mean something in them.
function sheetName(name: string): string {
  return name.replaceAll(/[[\]:*?/\\']/g, ' ').slice(0, 31)
}

/** Part of the longer side by which a table reaches beyond its features, and least units. */
const room = 0.1
const leastRoom = 1

/**
 * Says in which box a table of MapInfo lies. Its coordinates are whole steps across that box, and what lies outside is
 * moved to the edge: without a word, GDAL takes ±15,000,000 for the y of web maps, which is 80 degrees.
 *
 * @see https://gdal.org/drivers/vector/mitab.html BOUNDS
 */
function boundsOption({ bounds, count }: FlatItems): string[] {
  if (count === 0) return []
  const [west, south, east, north] = bounds
  const margin = Math.max(room * Math.max(east - west, north - south), leastRoom)
  const box = expandBbox(bounds, margin)
  return ['-lco', `BOUNDS=${box.map((side) => side.toFixed(6)).join(',')}`]
}
