import { freeColumnName } from '../../contract/formats/export_formats.ts'
import { geometryTypeOf } from '../../contract/geometry.ts'
import { expandBbox } from '../../geo/bbox.ts'
import type { FlatItems } from '../flatgeobuf/spatial_index.ts'
import type { ExportJob, GdalFormatName } from './export_job.ts'

/** Writes a file with GDAL's vector translation and additional options. */
export type Translate = (target: string, options: readonly string[]) => Promise<void>

/** A file to write after the bounding boxes of all features are known. */
export interface PlacedFile {
  readonly target: string
  /** Folder for an intermediate file. */
  readonly folder: string
  /** Features with a geometry, with their ids in the file. */
  readonly items: FlatItems
}

/** Writer of a format with GDAL. */
export interface FormatWriter {
  readonly driver: string
  /** Returns the options of the translation, as for ogr2ogr. */
  options(job: ExportJob): readonly string[]
  /** Writes the file using the boxes of all features, if the translation alone does not suffice. */
  writePlaced?(translate: Translate, file: PlacedFile): Promise<void>
}

/** Sets the layer name, and declares the geometry type. */
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
    // Loaded on demand, since it needs SQLite.
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

// Sheet names have a maximum length and reserved characters.
function sheetName(name: string): string {
  return name.replaceAll(/[[\]:*?/\\']/g, ' ').slice(0, 31)
}

/** Margin of the bounds of a table, relative to the longer side, and its minimum in map units. */
const relativeMargin = 0.1
const minMargin = 1

/**
 * Sets the bounds of a MapInfo table. Its coordinates are integers within the bounds, and positions outside are moved to
 * the edge. For web mercator, GDAL silently uses ±15,000,000 for y, which is 80 degrees.
 *
 * @see https://gdal.org/drivers/vector/mitab.html BOUNDS
 */
function boundsOption({ bounds, count }: FlatItems): string[] {
  if (count === 0) return []
  const [west, south, east, north] = bounds
  const margin = Math.max(relativeMargin * Math.max(east - west, north - south), minMargin)
  const box = expandBbox(bounds, margin)
  return ['-lco', `BOUNDS=${box.map((side) => side.toFixed(6)).join(',')}`]
}
