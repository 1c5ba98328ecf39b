import type { Queryable } from '../../database/database.ts'
import type { PackedFile } from '../../files/zip.ts'
import { ogrFieldTypes } from '../../gdal/export/field_type.ts'
import { type CsvFormat, csvHeader, csvStatement, geojsonStatement } from '../../store/feature/export_rows.ts'
import type { OpenLayer } from '../features/open_layer.ts'
import { type Reading, readEach, splitReading } from '../features/read_parts.ts'
import { type SpooledStreamOptions, streamSpooled } from '../stream/spool.ts'
import type { ExportOptions } from './export_options.ts'
import { streamFeatures } from './geojson_export.ts'
import { encodeAs, unescapeControl } from './text_encoding.ts'

/** Source of an export: layer, database and temporary folder. */
export interface ExportSource extends OpenLayer, SpooledStreamOptions {
  /** Name of the files, without extension. */
  readonly stem: string
}

/** Streams a layer as GeoJSON, with a `crs` member unless it is in EPSG:4326. */
export async function writeGeojson(
  { stem, layer, ...rest }: ExportSource,
  options: ExportOptions,
): Promise<PackedFile[]> {
  const crs = { type: 'name', properties: { name: `urn:ogc:def:crs:EPSG::${options.srs}` } }
  const crsText = options.srs === 4326 ? '' : `"crs":${JSON.stringify(crs)},`
  const start = `{"type":"FeatureCollection",${crsText}"features":[`
  const names = options.columns.map(({ name }) => name)
  const { encodings } = geojsonStatement(layer, options)
  const statements = splitReading({ ...rest, layer }, options, ({ filter }) =>
    geojsonStatement(layer, { ...options, filter }),
  )
  const content = await streamFeatures({ ...rest, statements, encodings, names, start })
  return [{ name: `${stem}.geojson`, content }]
}

const byteOrderMark = '\ufeff'

/** Streams a layer as CSV from the database, with `.csvt` and `.prj` files in an archive. */
export async function writeTable(source: ExportSource, options: ExportOptions): Promise<PackedFile[]> {
  const { stem, layer, ...rest } = source
  const isForExcel = options.formatName === 'CSV_MSEXCEL'
  const format: CsvFormat = { separator: isForExcel ? ';' : ',', hasCarriageReturns: isForExcel }
  // Queried first: nothing may fail between the start of a stream and its first read.
  const descriptions = options.isZipped ? await describeTable(source, options) : []
  const statements = splitReading({ ...rest, layer }, options, ({ filter }) =>
    csvStatement(layer, { ...options, filter }, format),
  )
  const lines = await streamLines({ ...rest, statements })
  const text = behind(Buffer.from(csvHeader(options, format)), unescapeControl(lines))
  const content =
    options.encoding === 'UTF-8' ? behind(Buffer.from(byteOrderMark), text) : encodeAs(options.encoding, text)
  return [{ name: `${stem}.csv`, content }, ...descriptions]
}

/** @see https://gdal.org/drivers/vector/csv.html on csvt and prj */
async function describeTable({ stem, database }: ExportSource, { columns, srs }: ExportOptions) {
  const types = ['WKT', ...columns.map(({ datatype }) => `"${ogrFieldTypes[datatype]}"`)].join(',')
  const system = await findSrsText(database, srs)
  return [
    { name: `${stem}.csvt`, content: behind(Buffer.from(types)) },
    { name: `${stem}.prj`, content: behind(Buffer.from(system)) },
  ]
}

async function findSrsText(tx: Queryable, srs: number): Promise<string> {
  const [row] = await tx.query<{ text: string | null }>(
    'select srtext as text from spatial_ref_sys where srid = $1::int',
    [srs],
  )
  return row?.text ?? ''
}

async function* behind(first: Uint8Array, rest?: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  if (rest !== undefined) yield* rest
}

/** Statements whose rows are lines of text. */
interface LineStream extends SpooledStreamOptions, Omit<Reading, 'signal'> {}

/**
 * Streams the rows of statements unchanged, each ended by a line feed. A slow client does not slow down the database.
 *
 * @throws {Problem} database/*, for errors before the first row
 */
function streamLines({ database, statements, ...rest }: LineStream) {
  return streamSpooled(rest, (spool, signal) =>
    readEach({ database, statements, signal }, async (tx, { text, values }) => {
      for await (const chunk of tx.copyOut(text, values)) await spool.write(chunk)
    }),
  )
}
