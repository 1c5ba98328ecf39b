import type { Datatype, GeometryParts } from '../../contract/geometry.ts'
import { type CopyRow, type CopyValue, takeValue } from '../../core/copy_rows.ts'
import type { GrowingBytes } from '../../core/growing_bytes.ts'
import type { Bbox, MutableBbox } from '../../geo/bbox.ts'
import { readWkb, wkbTypeOf } from '../../geo/wkb.ts'
import type { JobColumn } from '../export/export_job.ts'
import { type ColumnType, columnTypes } from './flat_reader.ts'
import { type GeometryTarget, writeFlatGeometry } from './geometry_writer.ts'

/** Content of a FlatGeobuf file. */
export interface FlatTarget {
  readonly name: string
  /** EPSG code. */
  readonly srs: number
  readonly geometry: GeometryParts
  readonly columns: readonly JobColumn[]
}

const magic = Buffer.from('fgb\x03fgb\x01', 'latin1')

/** Column types by datatype. The format has only timestamps, and no times without a date. */
const flatColumns: Readonly<Record<Datatype, ColumnType>> = {
  INTEGER: 'Int',
  BIGINT: 'Long',
  REAL: 'Double',
  STRING: 'String',
  DATE: 'DateTime',
  TIME: 'String',
  DATETIME: 'DateTime',
}

/** Part of the header that describes the spatial index. */
export interface FlatIndexing {
  readonly featureCount: number
  readonly nodeSize: number
  readonly bounds: Bbox
}

/**
 * Writes the header. Without an index, the features follow immediately, up to the end of the file.
 *
 * @see https://github.com/flatgeobuf/flatgeobuf header.fbs
 */
export function writeFlatHeader(sink: GrowingBytes, target: FlatTarget, index?: FlatIndexing): void {
  const { geometry, columns } = target
  sink.reserve(1024 + 6 * Buffer.byteLength(JSON.stringify(target)))
  sink.at += magic.copy(sink.bytes, sink.at)
  const start = sink.at
  sink.at += 4
  // name, envelope, geometry_type, has_z, columns, features_count, index_node_size, crs; absent fields have the
  // defaults of the format.
  const fields = index === undefined ? headerFields : indexedFields
  const table = startTable(sink, { start, root: start + 4, fields, tableBytes: 32 })
  sink.bytes[table + 16] = wkbTypeOf(geometry)
  sink.bytes[table + 17] = geometry.hasZ ? 1 : 0
  sink.view.setUint16(table + 18, index?.nodeSize ?? 0, true)
  sink.view.setBigUint64(table + 24, BigInt(index?.featureCount ?? 0), true)
  writeName(sink, { place: table + 4, start, text: target.name })
  sink.alignHalf(start)
  sink.pointHere(table + 8)
  sink.u32(columns.length)
  const first = sink.at
  for (let nth = 0; nth < columns.length; nth += 1) sink.u32(0)
  for (const [at, column] of columns.entries()) writeColumn(sink, column, { place: first + 4 * at, start })
  const crs = startTable(sink, { start, root: table + 12, fields: [4, 8] })
  sink.view.setInt32(crs + 8, target.srs, true)
  writeName(sink, { place: crs + 4, start, text: 'EPSG' })
  if (index !== undefined) writeBounds(sink, index.bounds, { place: table + 20, start })
  sink.align(start)
  sink.view.setUint32(start, sink.at - start - 4, true)
}

/** Offsets of the header fields in the table, by field number. */
const headerFields = [4, 0, 16, 17, 0, 0, 0, 8, 0, 18, 12] as const
const indexedFields = [4, 20, 16, 17, 0, 0, 0, 8, 24, 18, 12] as const

function writeBounds(
  sink: GrowingBytes,
  bounds: Bbox,
  { place, start }: { place: number; start: number },
): void {
  // A length of four bytes, then numbers aligned to eight bytes.
  sink.align(start, 4)
  sink.pointHere(place)
  sink.u32(bounds.length)
  for (const bound of bounds) sink.f64(bound)
}

interface TableStart {
  readonly start: number
  /** Position of the offset of the table. */
  readonly root: number
  /** Offsets of the fields in the table, by field number; 0 for absent fields. */
  readonly fields: readonly number[]
  readonly tableBytes?: number
}

/** Starts a table of zeros, and returns its position. */
function startTable(sink: GrowingBytes, { start, root, fields, tableBytes = 20 }: TableStart): number {
  if (sink.at === root) sink.at += 4
  sink.alignHalf(start)
  const vtable = sink.at
  sink.u16(4 + 2 * fields.length)
  sink.u16(tableBytes)
  for (const field of fields) sink.u16(field)
  sink.align(start)
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
  writeName(sink, { place: table + 4, start, text: name })
}

function writeName(
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

/** Size of the start of a feature: size, offset of the table, vtable, table. */
const featureHeaderBytes = 28

/**
 * Appends a feature. If there is one column more than there are values, the first column is the id.
 *
 * @param bounds are extended by the geometry
 * @returns whether the feature has a geometry
 */
export function writeFlatFeature(
  sink: GrowingBytes,
  row: CopyRow,
  { columns, bounds }: { readonly columns: readonly JobColumn[]; readonly bounds?: MutableBbox },
): boolean {
  const start = sink.at
  sink.reserve(featureHeaderBytes)
  const { view } = sink
  view.setUint32(start + 4, 12, true)
  view.setUint16(start + 8, 8, true)
  view.setUint16(start + 10, 12, true)
  view.setUint16(start + 12, 8, true)
  view.setUint16(start + 14, 4, true)
  view.setInt32(start + 16, 8, true)
  sink.at = start + featureHeaderBytes
  const id = takeValue(row)
  const geometry = takeValue(row)
  const place = { place: start + 24, start, bounds }
  const hasGeometry = geometry.length > 0 && writeEwkb(sink, row, { ...place, at: geometry.at })
  if (!hasGeometry) sink.view.setUint16(start + 12, 0, true)
  writeProperties(sink, row, { start, columns, id })
  sink.reserve(8)
  sink.align(start)
  sink.view.setUint32(start, sink.at - start - 4, true)
  return hasGeometry
}

interface RowGeometry extends GeometryTarget {
  /** Position of the geometry in the row. */
  readonly at: number
}

function writeEwkb(sink: GrowingBytes, { bytes, view }: CopyRow, place: RowGeometry): boolean {
  const geometry = readWkb({ bytes, view }, place.at)
  if (!('parts' in geometry)) throw new TypeError('a geometry does not have the type of its layer')
  return writeFlatGeometry(sink, geometry, place)
}

interface Properties {
  readonly start: number
  readonly columns: readonly JobColumn[]
  readonly id: CopyValue
}

function writeProperties(sink: GrowingBytes, row: CopyRow, { start, columns, id }: Properties): void {
  // A value takes two bytes more than in the COPY stream, for its column.
  sink.reserve(32 + (row.end - row.at) + 2 * columns.length)
  sink.alignHalf(start)
  sink.pointHere(start + 20)
  const vector = sink.at
  sink.at += 4
  const hasId = row.left < columns.length
  for (let at = 0; at < columns.length; at += 1) {
    const value = hasId && at === 0 ? id : takeValue(row)
    if (value.length < 0) continue
    sink.u16(at)
    writers[columns[at]?.datatype ?? 'STRING'](sink, row, value)
  }
  sink.view.setUint32(vector, sink.at - vector - 4, true)
}

type WriteValue = (sink: GrowingBytes, row: CopyRow, value: CopyValue) => void

const writeString: WriteValue = (sink, row, { at, length }) => {
  sink.u32(length)
  sink.take(row, at, at + length)
}

// PostgreSQL sends big-endian numbers; FlatGeobuf is little-endian.
const writers: Readonly<Record<Datatype, WriteValue>> = {
  INTEGER(sink, { view }, { at }) {
    sink.view.setInt32(sink.at, view.getInt32(at), true)
    sink.at += 4
  },
  BIGINT(sink, { view }, { at }) {
    sink.u32(view.getUint32(at + 4))
    sink.u32(view.getUint32(at))
  },
  REAL: (sink, { view }, { at }) => sink.f64(view.getFloat64(at)),
  STRING: writeString,
  DATE: writeString,
  TIME: writeString,
  DATETIME: writeString,
}
