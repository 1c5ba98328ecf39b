import { type ExportFormatName, freeColumnName } from '../../contract/export_formats.ts'
import { type Datatype, geometryParts } from '../../contract/geometry.ts'
import { problem } from '../../contract/problems.ts'
import type { FormatLimits } from '../../gdal/export/loss.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import type { ExportOrder } from './export_options.ts'

/** How GDAL is told to write a format. */
export interface Recipe {
  /** Format, as GDAL calls it. */
  readonly driver: string
  /** Options of the translation, as ogr2ogr takes them. */
  readonly options: readonly string[]
  /** Datatypes that the format does not have, or loses a part of: they are written as text. */
  readonly asText?: readonly Datatype[]
  /** What becomes of geometry: in a column of WKT, or asked of every feature. It is what it is where absent. */
  readonly geometry?: 'text' | 'needed'
  /** What the format cannot hold, where GDAL says nothing of it. */
  readonly limits?: FormatLimits
}

/** What is to be written. */
export interface Ingredients {
  readonly layer: Layer
  /** Name of the layer in the file. */
  readonly layerName: string
  readonly order: ExportOrder
}

/** Formats that come straight from the database. */
type TextFormat = 'GeoJSON' | 'CSV' | 'CSV_MSEXCEL'

type MakeRecipe = (ingredients: Ingredients) => Recipe

const plainly =
  (driver: string, more: readonly string[], others: Pick<Recipe, 'asText' | 'limits'> = {}): MakeRecipe =>
  ({ layer, layerName }) => ({ driver, options: ['-nln', layerName, ...typed(layer), ...more], ...others })

const moments = ['DATE', 'TIME', 'DATETIME'] as const

const inMarkup: Pick<Recipe, 'asText' | 'limits'> = { asText: moments, limits: { digits: 15 } }

/** @see https://gdal.org/drivers/vector/shapefile.html, and of MapInfo the width of Char */
const tableLimits: FormatLimits = { textBytes: 254, renames: true }

/** Recipes of the formats that GDAL writes. */
export const recipes: Readonly<Record<Exclude<ExportFormatName, TextFormat>, MakeRecipe>> = {
  GPKG: ({ layer, layerName, order }) => {
    const idName = freeColumnName('fid', order.columns)
    const creation = [
      '-lco',
      `FID=${idName}`,
      '-lco',
      `GEOMETRY_NAME=${freeColumnName('geom', order.columns)}`,
    ]
    return {
      driver: 'GPKG',
      options: ['-nln', layerName, ...typed(layer), '-preserve_fid', '-gt', 'unlimited', ...creation],
    }
  },
  'ESRI Shapefile': ({ layer, order }) => ({
    driver: 'ESRI Shapefile',
    options: [...typed(layer), '-lco', `ENCODING=${order.encoding}`],
    asText: ['TIME', 'DATETIME'],
    limits: { ...tableLimits, isOneByte: order.encoding !== 'UTF-8' },
  }),
  FlatGeobuf: plainly('FlatGeobuf', [], { asText: ['TIME'] }),
  KML: plainly('KML', ['-preserve_fid'], inMarkup),
  KMZ: plainly('KML', ['-preserve_fid'], inMarkup),
  GML: plainly('GML', ['-preserve_fid']),
  'MapInfo File': ({ order }) => ({
    driver: 'MapInfo File',
    options: ['-lco', `ENCODING=${order.encoding}`],
    limits: { ...tableLimits, isOneByte: order.encoding !== 'UTF-8', digits: 17, isNullZero: true },
  }),
  // Drawings have no attributes.
  DXF: () => ({ driver: 'DXF', options: ['-select', ''], geometry: 'needed' }),
  GPX: ({ layer }) => {
    const { family } = geometryParts(layer.geometryType)
    if (family === 'POLYGON')
      throw problem('request/invalid', `GPX has points and lines, and the layer ${layer.geometryType}.`, {
        data: { location: ['query', 'format'] },
      })
    const shape = family === 'POINT' ? ['-nln', 'waypoints', '-explodecollections'] : ['-nln', 'tracks']
    const extensions = ['-dsco', 'GPX_USE_EXTENSIONS=YES', '-lco', 'FORCE_GPX_TRACK=YES']
    return { driver: 'GPX', options: [...shape, ...extensions], geometry: 'needed', asText: moments }
  },
  XLSX: ({ layerName }) => ({
    driver: 'XLSX',
    options: ['-nln', sheetName(layerName)],
    geometry: 'text',
  }),
}

// Names of sheets are short, and some signs mean something in them.
function sheetName(name: string): string {
  return name.replaceAll(/[[\]:*?/\\']/g, ' ').slice(0, 31)
}

function typed({ geometryType }: Layer): string[] {
  return ['-nlt', geometryType.replace(/Z$/, '25D')]
}
