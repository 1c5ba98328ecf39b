import type { Queryable } from '../../database/database.ts'
import type { PackedFile } from '../../files/zip.ts'
import { ogrFieldTypes } from '../../gdal/export/field_type.ts'
import { type CsvFormat, csvHeader, csvStatement, geojsonStatement } from '../../store/feature/export_rows.ts'
import type { OpenLayer } from '../features/open_layer.ts'
import { type Reading, readEach, splitReading } from '../features/read_parts.ts'
import { type SpooledStreamOptions, streamSpooled } from '../stream/spool.ts'
import type { ExportOrder } from './export_options.ts'
import { streamFeatures } from './geojson_export.ts'
import { encodeAs, unescapeControl } from './text_encoding.ts'

/** What an export works with. */
export interface ExportSource extends OpenLayer, SpooledStreamOptions {
  /** Resource id, which names the files. */
  readonly id: number
}

/** Streams a layer as GeoJSON, with a `crs` member where it is not in EPSG:4326. */
export async function writeGeojson(
  { id, layer, ...options }: ExportSource,
  order: ExportOrder,
): Promise<PackedFile[]> {
  const crs = { type: 'name', properties: { name: `urn:ogc:def:crs:EPSG::${order.srs}` } }
  const crsText = order.srs === 4326 ? '' : `"crs":${JSON.stringify(crs)},`
  const start = `{"type":"FeatureCollection",${crsText}"features":[`
  const names = order.columns.map(({ name }) => name)
  const { encodings } = geojsonStatement(layer, order)
  const statements = splitReading({ ...options, layer }, order, ({ filter }) =>
    geojsonStatement(layer, { ...order, filter }),
  )
  const content = await streamFeatures({ ...options, statements, encodings, names, start })
  return [{ name: `${id}.geojson`, content }]
}

const byteOrderMark = '\ufeff'

/** Streams a layer as a table of text straight from the database; beside it, what its columns and coordinates are. */
export async function writeTable(source: ExportSource, order: ExportOrder): Promise<PackedFile[]> {
  const { id, layer, ...options } = source
  const isForExcel = order.formatName === 'CSV_MSEXCEL'
  const format: CsvFormat = { separator: isForExcel ? ';' : ',', hasCarriageReturns: isForExcel }
  // Asked first: nothing may fail between the start of a stream and its reader.
  const descriptions = order.isZipped ? await describeTable(source, order) : []
  const statements = splitReading({ ...options, layer }, order, ({ filter }) =>
    csvStatement(layer, { ...order, filter }, format),
  )
  const lines = await streamLines({ ...options, statements })
  const text = behind(Buffer.from(csvHeader(order, format)), unescapeControl(lines))
  const content =
    order.encoding === 'UTF-8' ? behind(Buffer.from(byteOrderMark), text) : encodeAs(order.encoding, text)
  return [{ name: `${id}.csv`, content }, ...descriptions]
}

/** @see https://gdal.org/drivers/vector/csv.html on csvt and prj */
async function describeTable({ id, database }: ExportSource, { columns, srs }: ExportOrder) {
  const types = ['WKT', ...columns.map(({ datatype }) => `"${ogrFieldTypes[datatype]}"`)].join(',')
  const system = await findSrsText(database, srs)
  return [
    { name: `${id}.csvt`, content: behind(Buffer.from(types)) },
    { name: `${id}.prj`, content: behind(Buffer.from(system)) },
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

/** Rows of text. */
interface LineStream extends SpooledStreamOptions, Omit<Reading, 'signal'> {}

/**
 * Streams the rows of statements as they are, each ended by a line feed, at the speed of the database, whatever the
 * client does.
 *
 * @throws {Problem} database/*, and what the statement runs into before its first row
 */
function streamLines({ database, statements, ...options }: LineStream) {
  return streamSpooled(options, (spool, signal) =>
    readEach({ database, statements, signal }, async (tx, { text, values }) => {
      for await (const chunk of tx.copyOut(text, values)) await spool.write(chunk)
    }),
  )
}
