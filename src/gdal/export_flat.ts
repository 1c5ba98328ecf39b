import type { Datatype, GeometryParts } from '../contract/geometry.ts'
import { writeGeometry } from './export_geometry.ts'
import type { JobColumn, JobRow } from './export_job.ts'
import type { GrowingBytes } from './export_sink.ts'
import { type ColumnType, columnTypes } from './flatgeobuf.ts'

/** What a file of FlatGeobuf holds. */
export interface FlatTarget {
  readonly name: string
  /** EPSG code. */
  readonly srs: number
  readonly geometry: GeometryParts
  readonly columns: readonly JobColumn[]
}

const magic = Buffer.from('fgb\x03fgb\x01', 'latin1')

/** Types of columns by datatype. The format knows moments only, and no times without a day. */
const flatColumns: Readonly<Record<Datatype, ColumnType>> = {
  INTEGER: 'Int',
  BIGINT: 'Long',
  REAL: 'Double',
  STRING: 'String',
  DATE: 'DateTime',
  TIME: 'String',
  DATETIME: 'DateTime',
}

const geometryNumbers = { POINT: 1, LINESTRING: 2, POLYGON: 3 } as const

/**
 * Writes the start of a file without a spatial index, in which features follow each other to its end.
 *
 * @see https://github.com/flatgeobuf/flatgeobuf header.fbs
 */
export function writeFlatHeader(sink: GrowingBytes, target: FlatTarget): void {
  const { geometry, columns } = target
  sink.reserve(1024 + 6 * Buffer.byteLength(JSON.stringify(target)))
  sink.at += magic.copy(sink.bytes, sink.at)
  const start = sink.at
  sink.at += 4
  // name, geometry_type, has_z, columns, index_node_size, crs; what is absent has the default of the format.
  const table = startTable(sink, { start, root: start + 4, fields: [4, 0, 16, 17, 0, 0, 0, 8, 0, 18, 12] })
  sink.bytes[table + 16] = geometryNumbers[geometry.family] + (geometry.isMulti ? 3 : 0)
  sink.bytes[table + 17] = geometry.hasZ ? 1 : 0
  sink.view.setUint16(table + 18, 0, true)
  writeText(sink, { place: table + 4, start, text: target.name })
  sink.alignHalf(start)
  sink.pointHere(table + 8)
  sink.u32(columns.length)
  const first = sink.at
  for (let nth = 0; nth < columns.length; nth += 1) sink.u32(0)
  for (const [at, column] of columns.entries()) writeColumn(sink, column, { place: first + 4 * at, start })
  const crs = startTable(sink, { start, root: table + 12, fields: [4, 8] })
  sink.view.setInt32(crs + 8, target.srs, true)
  writeText(sink, { place: crs + 4, start, text: 'EPSG' })
  sink.align(start)
  sink.view.setUint32(start, sink.at - start - 4, true)
}

interface TableStart {
  readonly start: number
  /** Where the offset of the table stands. */
  readonly root: number
  /** Places of the fields in the table, by number; 0 for those it does not have. */
  readonly fields: readonly number[]
}

const tableBytes = 20

/** Starts a table of zeros, and gives where it stands. */
function startTable(sink: GrowingBytes, { start, root, fields }: TableStart): number {
  if (sink.at === root) sink.at += 4
  sink.alignHalf(start)
  const vtable = sink.at
  sink.u16(4 + 2 * fields.length)
  sink.u16(tableBytes)
  for (const field of fields) sink.u16(field)
  sink.alignHalf(start)
  const table = sink.at
  sink.pointHere(root)
  sink.u32(table - vtable)
  sink.bytes.fill(0, sink.at, sink.at + tableBytes - 4)
  sink.at += tableBytes - 4
  return table
}

function writeColumn(
  sink: GrowingBytes,
  { name, datatype }: JobColumn,
  { place, start }: { place: number; start: number },
): void {
  const table = startTable(sink, { start, root: place, fields: [4, 8] })
  sink.bytes[table + 8] = columnTypes.indexOf(flatColumns[datatype])
  writeText(sink, { place: table + 4, start, text: name })
}

function writeText(
  sink: GrowingBytes,
  { place, start, text }: { place: number; start: number; text: string },
): void {
  sink.alignHalf(start)
  sink.pointHere(place)
  const length = sink.bytes.write(text, sink.at + 4)
  sink.u32(length)
  sink.at += length
  sink.bytes[sink.at++] = 0
}

/** Where the parts of a feature stand, from its start: size, offset of the table, fields of it, table. */
const featureHead = 28

/**
 * Writes a feature behind those before it; gives whether it has a geometry. Where there is a column more than there are
 * values, the id stands in the first.
 */
export function writeFlatFeature(sink: GrowingBytes, row: JobRow, columns: readonly JobColumn[]): boolean {
  const [id, geometry, ...rest] = row
  const values = rest.length < columns.length ? [id, ...rest] : rest
  const start = sink.at
  sink.reserve(featureHead)
  const { view } = sink
  view.setUint32(start + 4, 12, true)
  view.setUint16(start + 8, 8, true)
  view.setUint16(start + 10, 12, true)
  view.setUint16(start + 12, 8, true)
  view.setUint16(start + 14, 4, true)
  view.setInt32(start + 16, 8, true)
  sink.at = start + featureHead
  const ewkb = geometry === null ? undefined : Buffer.from(geometry, 'hex')
  const hasGeometry = ewkb !== undefined && writeGeometry(sink, ewkb, { place: start + 24, start })
  if (!hasGeometry) sink.view.setUint16(start + 12, 0, true)
  writeProperties(sink, values, { start, columns })
  sink.reserve(8)
  sink.align(start)
  sink.view.setUint32(start, sink.at - start - 4, true)
  return hasGeometry
}

function writeProperties(
  sink: GrowingBytes,
  values: readonly (string | number | null)[],
  { start, columns }: { start: number; columns: readonly JobColumn[] },
): void {
  sink.reserve(16 + 16 * values.length)
  sink.alignHalf(start)
  sink.pointHere(start + 20)
  const vector = sink.at
  sink.at += 4
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at]
    if (value === null || value === undefined) continue
    sink.reserve(16 + (typeof value === 'string' ? 3 * value.length : 0))
    sink.u16(at)
    writeValue(sink, value, columns[at]?.datatype ?? 'STRING')
  }
  sink.view.setUint32(vector, sink.at - vector - 4, true)
}

function writeValue(sink: GrowingBytes, value: string | number, datatype: Datatype): void {
  if (datatype === 'INTEGER') {
    sink.view.setInt32(sink.at, Number(value), true)
    sink.at += 4
  } else if (datatype === 'BIGINT') {
    sink.view.setBigInt64(sink.at, BigInt(value), true)
    sink.at += 8
  } else if (datatype === 'REAL') {
    sink.view.setFloat64(sink.at, Number(value), true)
    sink.at += 8
  } else {
    const length = sink.bytes.write(String(value), sink.at + 4)
    sink.u32(length)
    sink.at += length
  }
}
