import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type ExportFormat, exportFormats, freeColumnName } from '../../contract/formats/export_formats.ts'
import type { GeometryParts } from '../../contract/geometry.ts'
import { problem } from '../../contract/problems.ts'
import { isDiskFull } from '../../core/disk_full.ts'
import { isProblem } from '../../core/problem.ts'
import { type Rows, writeFlat, writeFlatIndexed } from '../flatgeobuf/file_writer.ts'
import { FlatItems } from '../flatgeobuf/spatial_index.ts'
import { hasNoRoom } from '../runner/disk_room.ts'
import type { GdalModule } from '../runner/gdal_module.ts'
import { type ExportJob, type ExportSummary, type JobColumn, resultFolder } from './export_job.ts'
import { ogrFieldTypes } from './field_type.ts'
import { formatWriters, type Translate } from './format_writers.ts'
import { type LossCheck, startLossCheck } from './loss.ts'

/** Name of the layer in the intermediate file. */
const flatName = 'layer'

/** Description of the intermediate file for GDAL. */
interface VrtLayer {
  readonly path: string
  /** Name of the layer in the file. */
  readonly name: string
  /** EPSG code. */
  readonly srs: number
  readonly geometry: GeometryParts
  /** Name of the id column. */
  readonly idColumn: string
  readonly columns: readonly JobColumn[]
}

const names = { POINT: 'Point', LINESTRING: 'LineString', POLYGON: 'Polygon' } as const

/**
 * Writes rows to a file: first as FlatGeobuf, which can be streamed and which GDAL reads fastest, then with GDAL's vector
 * translation.
 *
 * @throws {Problem} files/full, gdal/failed
 */
export async function writeExport(
  openGdal: () => GdalModule,
  job: ExportJob,
  rows: Rows,
): Promise<ExportSummary> {
  const results = join(job.folder, resultFolder)
  mkdirSync(results)
  const target = join(results, job.fileName)
  const path = join(job.folder, 'rows.fgb')
  try {
    if (job.format !== 'FlatGeobuf')
      return { notes: await writeByGdal(openGdal(), job, { rows, path, target }) }
    await writeFlatIndexed({ ...job, ...rows, name: job.layerName, path: target }, path)
    return { notes: [] }
  } catch (error) {
    throw explain(error, job.folder)
  }
}

async function writeByGdal(
  gdal: GdalModule,
  job: ExportJob,
  { rows, path, target }: { readonly rows: Rows; readonly path: string; readonly target: string },
): Promise<string[]> {
  const { limits }: ExportFormat = exportFormats[job.format]
  const isOneByte = job.encoding !== 'UTF-8'
  const loss = limits && startLossCheck(job.columns, { ...limits, isOneByte })
  const names = await translateRows(gdal, job, { rows, path, target, onRow: loss?.check })
  return [...describeOmitted(job), ...(loss?.describe(names) ?? [])]
}

function describeOmitted({ format, columns: { length } }: ExportJob): string[] {
  const { isGeometryOnly, title }: ExportFormat = exportFormats[format]
  if (isGeometryOnly !== true || length === 0) return []
  const fields = length === 1 ? '1 field was' : `${length} fields were`
  return [`${fields} not written, since ${title} does not support attributes.`]
}

interface RowTranslation {
  readonly rows: Rows
  readonly path: string
  readonly target: string
  readonly onRow: LossCheck['check'] | undefined
}

/** Translates the rows, and returns the names of the written fields. */
async function translateRows(
  gdal: GdalModule,
  job: ExportJob,
  { rows, path, target, onRow }: RowTranslation,
): Promise<string[]> {
  const { driver, options, writePlaced } = formatWriters[job.format]
  const { isFixed, isGeometryOnly }: ExportFormat = exportFormats[job.format]
  const idColumn = freeColumnName('id', job.columns)
  const columns = [{ name: idColumn, datatype: 'BIGINT' } as const, ...job.columns]
  const items = writePlaced === undefined && !isFixed ? undefined : new FlatItems()
  await writeFlat({ ...job, ...rows, columns, path, name: flatName, onRow }, items)
  if (isFixed && items !== undefined) checkLatitudes(items, driver)
  const source = formatVrt({ ...job, path, name: flatName, idColumn })
  let names: string[] = []
  const translateTo: Translate = async (file, more) => {
    names = await translate(gdal, source, {
      target: file,
      options: ['-f', driver, ...options(job), ...(isGeometryOnly ? ['-select', ''] : []), ...more],
    })
  }
  if (writePlaced === undefined || items === undefined) await translateTo(target, [])
  else await writePlaced(translateTo, { target, folder: job.folder, items })
  return names
}

/**
 * Rejects features beyond the poles, for which GDAL's own error has no reason.
 *
 * @throws {Problem} feature/invalid
 */
function checkLatitudes({ bounds }: FlatItems, driver: string): void {
  const [, south, , north] = bounds
  const latitude = [south, north].find((side) => Number.isFinite(side) && Math.abs(side) > 90)
  if (latitude === undefined) return
  throw problem(
    'feature/invalid',
    `A feature is at latitude ${latitude}, and ${driver} only supports -90 to 90.`,
    {
      hint: 'Repair the feature, or choose a format that accepts all coordinates, such as GeoJSON.',
    },
  )
}

/** Translates the rows, and returns the names of the written fields. */
async function translate(
  gdal: GdalModule,
  source: string,
  { target, options }: { readonly target: string; readonly options: readonly string[] },
): Promise<string[]> {
  const dataset = gdal.open(source)
  try {
    const written = await gdal.vectorTranslateAsync(target, dataset, [...options])
    const names = written.layers.get(0).fields.getNames()
    written.close()
    return names
  } finally {
    dataset.close()
  }
}

/** Converts an error to a problem. GDAL does not report a full disk as such. */
function explain(error: unknown, folder: string): unknown {
  if (isProblem(error)) return error
  if (isDiskFull(error) || hasNoRoom(folder))
    return problem('files/full', 'Cannot export the layer: the disk is full.', { cause: error })
  const message = error instanceof Error ? error.message : String(error)
  return problem('gdal/failed', message, { cause: error })
}

/** Formats a virtual layer over the intermediate file, with its id column and exact field types. @see https://gdal.org/drivers/vector/vrt.html */
function formatVrt({ path, name, srs, geometry, idColumn, columns }: VrtLayer): string {
  const { family, isMulti, hasZ } = geometry
  const type = `wkb${isMulti ? 'Multi' : ''}${names[family]}${hasZ ? '25D' : ''}`
  const fields = columns.map(
    ({ name: field, datatype }) =>
      `<Field name="${escapeXml(field)}" src="${escapeXml(field)}" type="${ogrFieldTypes[datatype]}"/>`,
  )
  return `<OGRVRTDataSource><OGRVRTLayer name="${escapeXml(name)}"><SrcDataSource>${escapeXml(path)}</SrcDataSource>
<SrcLayer>${escapeXml(name)}</SrcLayer><FID>${escapeXml(idColumn)}</FID><GeometryType>${type}</GeometryType>
<LayerSRS>EPSG:${srs}</LayerSRS>${fields.join('')}</OGRVRTLayer></OGRVRTDataSource>`
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll(/[\t\n\r]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
