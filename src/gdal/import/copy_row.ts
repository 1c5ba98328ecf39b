import { daySeconds } from '../../contract/datatype_codec.ts'
import type { Datatype } from '../../contract/geometry.ts'
import type { ByteGeometry } from '../../geo/byte_geometry.ts'
import { type ByteSink, type EwkbTarget, ewkbRoom, writeEwkb } from '../../geo/wkb.ts'
import type { WktCheck } from '../../geo/wkt_check.ts'
import type { ColumnType, FlatFeature } from '../flatgeobuf/flat_reader.ts'
import { readAscii, readInteger, readReal, type Value } from '../flatgeobuf/value.ts'
import type { FeatureReader } from './feature_reader.ts'
import type { Guess } from './guess_datatype.ts'
import { quickDay } from './quick_value.ts'
import { parseTimestamp, second } from './timestamp.ts'
import type { Conversion, Scalar } from './value_convert.ts'

/**
 * Use of a column of the intermediate file: a field of the layer or the id; or unused, a coordinate, the string a
 * geometry was parsed from, surplus cells of a table row, or a message about a bad row.
 */
export type ColumnUse = Datatype | (typeof otherUses)[number]

const otherUses = ['ID', 'NONE', 'COORDINATE', 'GEOMETRY', 'SURPLUS', 'FAULT'] as const
const fieldless: ReadonlySet<ColumnUse> = new Set(otherUses)

/** How a column of the intermediate file is read. */
export interface ColumnPlan {
  readonly type: ColumnType
  readonly use: ColumnUse
  /** Conversion of the values, if their datatype differs from `use`. */
  readonly convert?: Conversion | undefined
  /** Tells whether minimum and maximum integers may be clamped larger ones. */
  readonly isClamped?: (() => boolean) | undefined
  /** Check of the strings that geometries were parsed from. */
  readonly wkt?: WktCheck | undefined
  /** Encoding of the strings, if it is not UTF-8. */
  readonly encoding?: string | undefined
  /** Datatype inferred from the strings read so far. */
  readonly guess?: Guess | undefined
  /** Whether an empty string is null. */
  readonly blankIsNull?: boolean
}

/** Tells whether a column becomes a field. */
export function isField(use: ColumnUse): use is Datatype {
  return !fieldless.has(use)
}

/** Layout of a row: id, geom, then the fields in order. */
export interface RowPlan extends EwkbTarget {
  readonly columns: readonly ColumnPlan[]
  readonly reader: Pick<FeatureReader, 'eachProperty'>
  /** Number of columns that become fields. */
  readonly fieldCount: number
  /** By column, whether a row had a value in it: 1, or 0 if all rows had null or an empty string. */
  readonly filled: Uint8Array
}

/** Returns the maximum size of a row in bytes. */
export function rowRoom(feature: FlatFeature, geometry: ByteGeometry, plan: RowPlan): number {
  // Strings in other encodings grow by half at most.
  return 64 + ewkbRoom(geometry) + 24 * plan.columns.length + 2 * feature.size
}

/**
 * Writes a row of a binary COPY stream; the buffer must have enough space.
 *
 * @param id used if no column contains ids
 * @see https://www.postgresql.org/docs/current/sql-copy.html "Binary Format"
 */
export function writeRow(sink: ByteSink, { feature, geometry, id }: RowSource, plan: RowPlan): void {
  sink.view.setInt16(sink.at, 2 + plan.fieldCount)
  sink.view.setInt32(sink.at + 2, 4)
  sink.view.setInt32(sink.at + 6, id)
  const idAt = sink.at + 6
  sink.at += 14
  const start = sink.at
  writeEwkb(sink, geometry, plan)
  sink.view.setInt32(start - 4, sink.at - start)
  let next = 0
  const writeNulls = (until: number) => {
    for (; next < until; next++) {
      if (isField(plan.columns[next]?.use ?? 'NONE')) writeNull(sink)
    }
  }
  plan.reader.eachProperty(feature, (value) => {
    writeNulls(value.column)
    next = value.column + 1
    const column = plan.columns[value.column]
    if (column === undefined) return
    if (isField(column.use)) {
      const { at } = sink
      writeField(sink, value, column as FieldColumn)
      // The size of the written value.
      if (sink.view.getInt32(at) > 0) plan.filled[value.column] = 1
    } else if (column.use === 'ID') sink.view.setInt32(idAt, Number(readInteger(value)))
  })
  writeNulls(plan.columns.length)
}

/** Source of a row. */
export interface RowSource {
  readonly feature: FlatFeature
  readonly geometry: ByteGeometry
  readonly id: number
}

/** Plan of a column that becomes a field. */
export type FieldColumn = ColumnPlan & { readonly use: Datatype }

/** Writes the value of a field: its size, and its bytes. */
export function writeField(sink: ByteSink, value: Value, { use, convert, blankIsNull }: FieldColumn): void {
  if (blankIsNull && value.size === 0) writeNull(sink)
  else if (convert === undefined) writers[use](sink, value)
  else {
    const scalar = convert(value)
    if (scalar === undefined || scalar === null) writeNull(sink)
    else writeScalar(sink, scalar, use)
  }
}

function writeScalar(sink: ByteSink, scalar: Scalar, use: Datatype): void {
  if (typeof scalar === 'string') {
    const size = sink.bytes.write(scalar, sink.at + 4)
    sink.view.setInt32(sink.at, size)
    sink.at += 4 + size
  } else if (use === 'INTEGER' || use === 'DATE') {
    sink.view.setInt32(sink.at, 4)
    sink.view.setInt32(sink.at + 4, Number(scalar))
    sink.at += 8
  } else if (use === 'REAL') {
    sink.view.setInt32(sink.at, 8)
    sink.view.setFloat64(sink.at + 4, Number(scalar) + 0)
    sink.at += 12
  } else writeLong(sink, scalar)
}

function writeLong(sink: ByteSink, value: number | bigint): void {
  sink.view.setInt32(sink.at, 8)
  if (typeof value === 'number') {
    // In two halves, to avoid creating a bigint.
    sink.view.setInt32(sink.at + 4, Math.floor(value / 2 ** 32))
    sink.view.setUint32(sink.at + 8, value % 2 ** 32)
  } else sink.view.setBigInt64(sink.at + 4, value)
  sink.at += 12
}

type Writer = (sink: ByteSink, value: Value) => void

const writers: Readonly<Record<Datatype, Writer>> = {
  INTEGER: (sink, value) => {
    sink.view.setInt32(sink.at, 4)
    sink.view.setInt32(sink.at + 4, Number(readInteger(value)))
    sink.at += 8
  },
  BIGINT: (sink, value) => writeLong(sink, readInteger(value) ?? 0),
  REAL: (sink, value) => {
    sink.view.setInt32(sink.at, 8)
    // JSON, in which changes are sent, has no negative zero.
    sink.view.setFloat64(sink.at + 4, readReal(value) + 0)
    sink.at += 12
  },
  STRING: (sink, value) => {
    sink.view.setInt32(sink.at, value.size)
    sink.at += 4
    copyBytes(sink, value)
  },
  DATE: (sink, value) => {
    const days = quickDay(value) ?? parseTimestamp(readAscii(value))?.days
    if (days === undefined) return writeNull(sink)
    sink.view.setInt32(sink.at, 4)
    sink.view.setInt32(sink.at + 4, days)
    sink.at += 8
  },
  TIME: (sink, value) => {
    const timestamp = parseTimestamp(readAscii(value))
    if (timestamp === undefined) return writeNull(sink)
    writeLong(sink, timestamp.microseconds)
  },
  DATETIME: (sink, value) => {
    const timestamp = parseTimestamp(readAscii(value))
    if (timestamp === undefined) return writeNull(sink)
    writeLong(sink, timestamp.days * daySeconds * second + timestamp.microseconds)
  },
}

/** Copies bytes. Most strings are short, for which a loop is faster than a native call. */
function copyBytes(sink: ByteSink, { bytes, at, size }: Value): void {
  if (size > 32) sink.bytes.set(bytes.subarray(at, at + size), sink.at)
  else for (let index = 0; index < size; index++) sink.bytes[sink.at + index] = bytes[at + index] as number
  sink.at += size
}

function writeNull(sink: ByteSink): void {
  sink.view.setInt32(sink.at, -1)
  sink.at += 4
}
