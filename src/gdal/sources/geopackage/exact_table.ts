import { mkdtempSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { Dataset, Layer } from 'gdal-async'
import { problem } from '../../../contract/problems.ts'
import { quoteName, quoteText } from '../../../core/sql_quote.ts'
import { uniqueNameIgnoringCase } from '../../../core/unique_name.ts'
import type { GdalModule } from '../../runner/gdal_module.ts'
import type { Comparison, SourceLayer } from '../source.ts'
import { nameSource } from '../source_name.ts'
import {
  type GeometryColumn,
  hasHeights,
  hasMeasureValues,
  hasOtherSystem,
  mayLosePart,
} from './geometry_sql.ts'
import {
  declarationOf,
  exactValue,
  faultOf,
  isBadValue,
  mayBeMisread,
  type TableColumn,
} from './value_sql.ts'

interface Table {
  readonly name: string
  readonly columns: readonly TableColumn[]
  readonly geometryColumn: GeometryColumn | undefined
}

/**
 * Compares the content of a GeoPackage table with what GDAL reads. SQLite allows any value in a column, but GDAL reads
 * strings in numeric columns as 0, clamps large integers, and ignores invalid dates and some columns.
 */
export async function compareTable(gdal: GdalModule, source: SourceLayer): Promise<Comparison> {
  try {
    // A separate data set: finalizers of layers and fields wait for pending operations of their own data set.
    const table = useDataset(gdal, source, (dataset) => describeTable(dataset, source))
    return await queryTable(openAgain(gdal, source), table)
  } catch {
    // A sum of integers may overflow.
    return { isDoubtful: true }
  }
}

async function queryTable(dataset: Dataset, { name, columns, geometryColumn }: Table): Promise<Comparison> {
  try {
    const doubts = [
      ...columns.map(mayBeMisread),
      ...(geometryColumn === undefined ? [] : [`max(${mayLosePart(geometryColumn)})`]),
    ].map((condition) => `when ${condition} then 1`)
    const isDoubtful = doubts.length === 0 ? '0' : `case ${doubts.join(' ')} else 0 end`
    const found = await dataset.executeSQLAsync(
      `select count(*) as total, ${isDoubtful} as doubt from ${quoteName(name)}`,
    )
    const { total, doubt } = found.features.first().fields.toObject() as { total: number; doubt: number }
    return { total, isDoubtful: doubt === 1 }
  } finally {
    dataset.close()
  }
}

function openAgain(gdal: GdalModule, { dataset }: SourceLayer): Dataset {
  return gdal.open(dataset.description, 'r', 'GPKG')
}

function useDataset<T>(gdal: GdalModule, source: SourceLayer, use: (dataset: Dataset) => T): T {
  const dataset = openAgain(gdal, source)
  try {
    return use(dataset)
  } finally {
    dataset.close()
  }
}

function describeTable(dataset: Dataset, { layer }: Pick<SourceLayer, 'layer'>): Table {
  const { name, fidColumn, geomColumn } = layer
  const types = new Map(layer.fields.map((field) => [field.name, field.type]))
  const listed = readRows<{ name: string; declared: string }>(
    dataset,
    `select name, type as declared from pragma_table_xinfo(${quoteText(name)}) where hidden <> 1`,
  )
  const special = new Set([fidColumn, geomColumn].map((one) => one?.toLowerCase()))
  const columns = listed
    .filter((column) => !special.has(column.name.toLowerCase()))
    .map((column) => ({ ...column, type: types.get(column.name) }))
  const [system] = readRows<{ srs: number }>(
    dataset,
    `select srs_id as srs from gpkg_geometry_columns where lower(table_name) = lower(${quoteText(name)})`,
  )
  const geometryColumn = system && { column: quoteName(geomColumn), srs: system.srs, code: layer.geomType }
  return { name, columns, geometryColumn }
}

function readRows<Row>(dataset: Dataset, sql: string): Row[] {
  const found: Layer = dataset.executeSQL(sql)
  return found.features.map((feature) => feature.fields.toObject() as Row)
}

/**
 * Copies a GeoPackage table exactly. Values that do not have the datatype of their column become null, and are reported
 * in an additional column.
 *
 * @throws {Problem} source/unreadable
 */
export function openExactly(gdal: GdalModule, source: SourceLayer, folder: string): SourceLayer {
  const { description } = source.dataset
  const path = join(mkdtempSync(join(folder, 'exact-')), basename(description))
  const faultColumn = copyTable(path, describeTable(source.dataset, source), source)
  const dataset = gdal.open(path, 'r', 'GPKG')
  const layer = dataset.layers.get(source.layer.name)
  return { ...source, dataset, layer, columns: { uses: new Map([[faultColumn, 'FAULT']]) } }
}

/** @returns the name of the column with the faults */
function copyTable(path: string, table: Table, { dataset, layer, name }: SourceLayer): string {
  const database = new DatabaseSync(path)
  try {
    database.exec('pragma trusted_schema = off; pragma journal_mode = off; pragma synchronous = off')
    database.exec('pragma application_id = 0x47504b47')
    database.prepare('attach ? as source').run(`${pathToFileURL(dataset.description).href}?mode=ro`)
    copyLists(database, table)
    const columns = table.columns.map((column) => ({
      ...column,
      type: column.type ?? typeOf(database, table, column),
    }))
    const names = [layer.fidColumn, layer.geomColumn, ...columns.map((column) => column.name)]
    const faultColumn = uniqueNameIgnoringCase('fault', names)
    const id = layer.fidColumn === '' ? uniqueNameIgnoringCase('fid', names) : layer.fidColumn
    copyRows(database, { ...table, columns }, { id, faultColumn, geometry: layer.geomColumn })
    return faultColumn
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw problem('source/unreadable', `${nameSource(name)} cannot be read: ${reason}`, { cause })
  } finally {
    database.close()
  }
}

function copyLists(database: DatabaseSync, { name, geometryColumn }: Table): void {
  database.exec('create table gpkg_spatial_ref_sys as select * from source.gpkg_spatial_ref_sys')
  for (const list of ['gpkg_contents', 'gpkg_geometry_columns']) {
    const own = `lower(table_name) = lower(${quoteText(name)})`
    database.exec(`create table ${list} as select * from source.${list} where ${own}`)
  }
  if (geometryColumn === undefined) return
  // Declare dimensions that the geometries have.
  const isAny = (condition: string) => `exists (select 1 from source.${quoteName(name)} where ${condition})`
  database.exec(`update gpkg_geometry_columns set
    z = case when ${isAny(hasHeights(geometryColumn))} then 2 else z end,
    m = case when ${isAny(hasMeasureValues(geometryColumn))} then 2 else m end`)
}

/** Returns the datatype of the values of a column whose declared type GeoPackage does not define. */
function typeOf(database: DatabaseSync, { name }: Table, column: TableColumn): string {
  const sql = `select distinct typeof(${quoteName(column.name)}) as storage from source.${quoteName(name)}`
  const rows = database.prepare(sql).all() as { storage: string }[]
  const found = rows.map(({ storage }) => storage).filter((storage) => storage !== 'null')
  const isOnly = (...storages: readonly string[]) =>
    found.length > 0 && found.every((storage) => storages.includes(storage))
  if (isOnly('integer')) return 'integer64'
  if (isOnly('integer', 'real')) return 'real'
  return isOnly('blob') ? 'binary' : 'string'
}

interface CopiedNames {
  readonly id: string
  readonly geometry: string
  /** Name of the column with the fault of a row. */
  readonly faultColumn: string
}

function copyRows(
  database: DatabaseSync,
  { name, columns, geometryColumn }: Table,
  { id, geometry, faultColumn }: CopiedNames,
): void {
  const spatial = geometryColumn === undefined ? [] : [quoteName(geometry)]
  const declared = columns.map((column) => `${quoteName(column.name)} ${declarationOf(column)}`)
  const head = [`${quoteName(id)} integer primary key`, ...spatial.map((one) => `${one} blob`)]
  database.exec(
    `create table ${quoteName(name)} (${[...head, ...declared, `${faultColumn} text`].join(', ')})`,
  )
  const faults = [
    ...(geometryColumn === undefined
      ? []
      : [`when ${hasOtherSystem(geometryColumn)} then ${quoteText(otherSystem)}`]),
    ...columns.map((column) => `when ${isBadValue(column)} then ${faultOf(column)}`),
  ]
  const fault = faults.length === 0 ? 'null' : `case ${faults.join(' ')} end`
  const values = [...spatial, ...columns.map(exactValue), fault]
  const targets = [...spatial, ...columns.map((column) => quoteName(column.name)), faultColumn]
  database.exec(
    `insert into ${quoteName(name)} (${targets.join(', ')}) select ${values.join(', ')} from source.${quoteName(name)}`,
  )
}

const otherSystem = 'the reference system of its geometry differs from that of the layer'
