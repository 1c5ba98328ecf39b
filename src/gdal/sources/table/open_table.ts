import { mkdtempSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import type { Dataset, Layer } from 'gdal-async'
import { problem } from '../../../contract/problems.ts'
import { startWktCheck } from '../../../geo/wkt_check.ts'
import type { ColumnUse } from '../../import/copy_row.ts'
import type { GdalModule } from '../../runner/gdal_module.ts'
import type { VectorJob } from '../../runner/vector_job.ts'
import type { SourceLayer } from '../source.ts'
import { beyondColumn, copyWithBeyond } from './csv_copy.ts'

/** Columns that hold the geometry of a table. */
type CoordinateColumns =
  | { readonly x: string; readonly y: string; readonly isLonLat: boolean }
  | { readonly wkt: string; readonly isLonLat: false }

const lonLatPairs = [
  ['lon', 'lat'],
  ['lng', 'lat'],
  ['long', 'lat'],
  ['longitude', 'latitude'],
  ['lon_dd', 'lat_dd'],
  ['долгота', 'широта'],
] as const

const planePairs = [
  ['x', 'y'],
  ['easting', 'northing'],
  ['xcoord', 'ycoord'],
] as const

const wktNames = [
  'wkt',
  'wkt_geom',
  'geom_wkt',
  '_wkt',
  'geom',
  'geometry',
  'the_geom',
  'wkb_geometry',
  'shape',
]

/** A table to open. */
export interface TableFile {
  readonly path: string
  /** Lower case, with its dot. */
  readonly extension: string
  readonly job: Pick<VectorJob, 'folder'>
}

/**
 * Opens a table (CSV, XLSX, ODS) as layers of the coordinates its columns hold; undefined for other formats.
 *
 * @throws {Problem} source/unreadable where no sheet has such columns
 */
export function openTable(gdal: GdalModule, table: TableFile): SourceLayer[] | undefined {
  const { path, extension, job } = table
  if (extension !== '.csv' && extension !== '.xlsx' && extension !== '.ods') return undefined
  const plain = openPlain(gdal, path, extension)
  const layers = plain.layers.map((layer) => ({ layer, columns: findColumns(layer) }))
  const found = layers.flatMap(({ layer, columns }) =>
    columns === undefined ? [] : [{ layer: layer.name, fields: fieldsOf(layer), columns }],
  )
  if (found.length === 0) throw noColumns(path, layers[0]?.layer)
  return found.map((sheet) => {
    const { isLonLat } = sheet.columns
    const facts = { format: driverName(extension), isLonLat, isGuessed: !isLonLat }
    if (extension !== '.csv') return { ...facts, name: sheet.layer, ...openSheet(gdal, path, sheet) }
    const name = basename(path, extname(path))
    return { ...facts, name, ...openText(gdal, path, { columns: sheet.columns, job }) }
  })
}

type Opened = Omit<SourceLayer, 'name' | 'format' | 'isLonLat' | 'isGuessed'>

/** Opens a table of text so that nothing in it is passed over. */
function openText(
  gdal: GdalModule,
  path: string,
  { columns, job }: Pick<Sheet, 'columns'> & Pick<TableFile, 'job'>,
): Opened {
  const copy = join(mkdtempSync(join(job.folder, 'table-')), basename(path))
  const isCopied = copyWithBeyond(path, copy)
  const whole = isCopied ? copy : path
  const dataset = openCsv(gdal, whole, columns)
  const layer = dataset.layers.get(0)
  const hidden = new Map<string, ColumnUse>(isCopied ? [[beyondColumn, 'BEYOND']] : [])
  if ('wkt' in columns) hidden.set(columns.wkt, 'GEOMETRY')
  const twin = openPlain(gdal, whole, '.csv').layers.get(0)
  const positions = 'wkt' in columns ? [columns.wkt] : [columns.x, columns.y]
  return { dataset, layer, hidden, wkt: startWktCheck(), twin, positions, isText: true }
}

function openPlain(gdal: GdalModule, path: string, extension: string): Dataset {
  try {
    return gdal.drivers.get(driverName(extension)).open(path, 'r')
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause)
    const reason = said === '' ? 'it is no table of text in UTF-8' : said
    throw problem('source/unreadable', `the table ${basename(path)} cannot be read: ${reason}`, { cause })
  }
}

function driverName(extension: string): string {
  return extension.slice(1).toUpperCase()
}

function fieldNames(layer: Layer): string[] {
  return layer.fields.getNames()
}

function noColumns(path: string, layer: Layer | undefined): Error {
  const names = layer === undefined ? 'no columns' : `the columns ${fieldNames(layer).join(', ')}`
  return problem('source/unreadable', `the table ${basename(path)} has no coordinates, but ${names}`, {
    hint: 'Name the columns of the coordinates lon and lat, x and y, or wkt.',
  })
}

function findColumns(layer: Layer): CoordinateColumns | undefined {
  const byName = new Map(fieldNames(layer).map((name) => [name.trim().toLowerCase(), name]))
  const pairIn = (pairs: readonly (readonly [string, string])[], isLonLat: boolean) => {
    const pair = pairs.find((names) => names.every((name) => byName.has(name)))
    const [x, y] = (pair ?? []).map((name) => byName.get(name))
    return x === undefined || y === undefined ? undefined : { x, y, isLonLat }
  }
  const wkt = byName.get(wktNames.find((name) => byName.has(name)) ?? '')
  const lonLat = pairIn(lonLatPairs, true)
  if (lonLat !== undefined) return lonLat
  return wkt === undefined ? pairIn(planePairs, false) : { wkt, isLonLat: false }
}

function openCsv(gdal: GdalModule, path: string, columns: CoordinateColumns): Dataset {
  const geometry =
    'wkt' in columns
      ? { GEOM_POSSIBLE_NAMES: columns.wkt }
      : { X_POSSIBLE_NAMES: columns.x, Y_POSSIBLE_NAMES: columns.y }
  return gdal.drivers.get('CSV').open(path, 'r', {
    ...geometry,
    // Of a text that GDAL reads to somewhere in the middle, the rest is to be seen.
    KEEP_GEOM_COLUMNS: 'wkt' in columns ? 'YES' : 'NO',
    // What the texts mean is found out when all of them were seen.
    AUTODETECT_TYPE: 'NO',
  })
}

interface SheetField {
  readonly name: string
  /** As virtual layers write it: they take fields for text otherwise. */
  readonly type: string
}

function fieldsOf(layer: Layer): SheetField[] {
  return layer.fields.map(({ name, type }) => ({ name, type: type.charAt(0).toUpperCase() + type.slice(1) }))
}

interface Sheet {
  readonly layer: string
  readonly fields: readonly SheetField[]
  readonly columns: CoordinateColumns
}

/** A virtual layer over a sheet: its driver knows no geometries itself. */
function openSheet(gdal: GdalModule, path: string, { layer, fields, columns }: Sheet): Opened {
  const used: readonly string[] = 'wkt' in columns ? [columns.wkt] : [columns.x, columns.y]
  const geometry =
    'wkt' in columns
      ? `encoding="WKT" field="${escapeXml(columns.wkt)}"`
      : `encoding="PointFromColumns" x="${escapeXml(columns.x)}" y="${escapeXml(columns.y)}"`
  // What a geometry is made of is looked at too: a text that is no number would be taken for 0.
  const dataset = gdal.open(
    [
      '<OGRVRTDataSource><OGRVRTLayer name="table">',
      `<SrcDataSource relativeToVRT="0">${escapeXml(path)}</SrcDataSource>`,
      `<SrcLayer>${escapeXml(layer)}</SrcLayer>`,
      `<GeometryType>${'wkt' in columns ? 'wkbUnknown' : 'wkbPoint'}</GeometryType>`,
      `<GeometryField ${geometry}/>`,
      ...fields.map(({ name, type }) => `<Field name="${escapeXml(name)}" type="${type}"/>`),
      '</OGRVRTLayer></OGRVRTDataSource>',
    ].join(''),
    'r',
    'OGR_VRT',
  )
  const use = 'wkt' in columns ? 'GEOMETRY' : 'COORDINATE'
  const hidden = new Map<string, ColumnUse>(used.map((name) => [name, use]))
  return { dataset, layer: dataset.layers.get(0), hidden, wkt: startWktCheck() }
}

function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
