import type { Datatype } from '../contract/geometry.ts'
import { type EwkbTarget, ewkbRoom, type Sink, writeEwkb } from './ewkb.ts'
import type { Bytes } from './flatbuffer.ts'
import type { ColumnType, FlatFeature } from './flatgeobuf.ts'
import { findMoment } from './moment.ts'
import type { Shape } from './shape.ts'

/** What becomes of a column of the intermediate file. */
export interface ColumnPlan {
  readonly type: ColumnType
  /** Datatype of the field; ID where it gives the ids. */
  readonly use: Datatype | 'ID'
}

/** How rows are written: id, geom, then the fields in order. */
export interface RowPlan extends EwkbTarget {
  readonly columns: readonly ColumnPlan[]
  /** Fields, the one of the ids not counted. */
  readonly fieldCount: number
}

/** Where the value of a property stands. */
interface Value extends Bytes {
  readonly at: number
  readonly type: ColumnType
}

/** Bytes of a value of each type; those of the others stand before them. */
const valueSizes: Readonly<Partial<Record<ColumnType, number>>> = {
  Byte: 1,
  UByte: 1,
  Bool: 1,
  Short: 2,
  UShort: 2,
  Int: 4,
  UInt: 4,
  Long: 8,
  ULong: 8,
  Float: 4,
  Double: 8,
}

/** Calls back on each property that is not null, in the order of the columns. */
export function eachProperty(
  feature: FlatFeature,
  columns: readonly ColumnPlan[],
  visit: (column: number, at: number, size: number) => void,
): void {
  if (feature.properties === 0) return
  const { view } = feature
  let at = feature.properties + 4
  const end = at + view.getUint32(feature.properties, true)
  while (at + 2 <= end) {
    const column = view.getUint16(at, true)
    at += 2
    const plan = columns[column]
    if (plan === undefined) return
    let size = valueSizes[plan.type]
    if (size === undefined) {
      size = view.getUint32(at, true)
      at += 4
    }
    visit(column, at, size)
    at += size
  }
}

/** Most bytes that a row needs. */
export function rowRoom(feature: FlatFeature, shape: Shape, plan: RowPlan): number {
  return 64 + ewkbRoom(shape) + 16 * plan.columns.length + feature.size
}

/**
 * Writes one row of a binary COPY; there must be room for it.
 *
 * @param id taken where no column gives one
 * @see https://www.postgresql.org/docs/current/sql-copy.html "Binary Format"
 */
export function writeRow(sink: Sink, { feature, shape, id }: RowSource, plan: RowPlan): void {
  sink.view.setInt16(sink.at, 2 + plan.fieldCount)
  sink.view.setInt32(sink.at + 2, 4)
  sink.view.setInt32(sink.at + 6, id)
  const idAt = sink.at + 6
  sink.at += 14
  const start = sink.at
  writeEwkb(sink, shape, plan)
  sink.view.setInt32(start - 4, sink.at - start)
  let next = 0
  const writeNulls = (until: number) => {
    for (; next < until; next++) {
      if (plan.columns[next]?.use === 'ID') continue
      sink.view.setInt32(sink.at, -1)
      sink.at += 4
    }
  }
  eachProperty(feature, plan.columns, (column, at, size) => {
    writeNulls(column)
    next = column + 1
    const { use, type } = plan.columns[column] as ColumnPlan
    if (use === 'ID') sink.view.setInt32(idAt, Number(readInteger({ ...feature, at, type }, size)))
    else writers[use](sink, { bytes: feature.bytes, view: feature.view, at, type }, size)
  })
  writeNulls(plan.columns.length)
}

/** What a row is made of. */
export interface RowSource {
  readonly feature: FlatFeature
  readonly shape: Shape
  readonly id: number
}

type Writer = (sink: Sink, value: Value, size: number) => void

const writers: Readonly<Record<Datatype, Writer>> = {
  INTEGER: (sink, value, size) => {
    sink.view.setInt32(sink.at, 4)
    sink.view.setInt32(sink.at + 4, Number(readInteger(value, size)))
    sink.at += 8
  },
  BIGINT: (sink, value, size) => {
    sink.view.setInt32(sink.at, 8)
    sink.view.setBigInt64(sink.at + 4, BigInt(readInteger(value, size) ?? 0))
    sink.at += 12
  },
  REAL: (sink, value) => {
    sink.view.setInt32(sink.at, 8)
    sink.view.setFloat64(sink.at + 4, readReal(value))
    sink.at += 12
  },
  STRING: (sink, value, size) => {
    sink.view.setInt32(sink.at, size)
    sink.at += 4
    sink.at += value.bytes.copy(sink.bytes, sink.at, value.at, value.at + size)
  },
  DATE: (sink, value, size) => {
    const moment = findMoment(textOf(value, size))
    if (moment === undefined) return writeNull(sink)
    sink.view.setInt32(sink.at, 4)
    sink.view.setInt32(sink.at + 4, moment.days)
    sink.at += 8
  },
  TIME: (sink, value, size) => {
    const moment = findMoment(textOf(value, size))
    if (moment === undefined) return writeNull(sink)
    writeMicroseconds(sink, moment.microseconds)
  },
  DATETIME: (sink, value, size) => {
    const moment = findMoment(textOf(value, size))
    if (moment === undefined) return writeNull(sink)
    writeMicroseconds(sink, moment.days * 86_400_000_000 + moment.microseconds)
  },
}

function writeNull(sink: Sink): void {
  sink.view.setInt32(sink.at, -1)
  sink.at += 4
}

function writeMicroseconds(sink: Sink, microseconds: number): void {
  sink.view.setInt32(sink.at, 8)
  sink.view.setBigInt64(sink.at + 4, BigInt(microseconds))
  sink.at += 12
}

function textOf({ bytes, at }: Value, size: number): string {
  return bytes.toString('latin1', at, at + size)
}

function readReal({ view, at, type }: Value): number {
  return type === 'Float' ? view.getFloat32(at, true) : view.getFloat64(at, true)
}

const integerPattern = /^\s*[-+]?\d{1,18}\s*$/

/** Reads a whole number of any column type; undefined where the value is none. */
export function readInteger({ bytes, view, at, type }: Value, size: number): number | bigint | undefined {
  switch (type) {
    case 'Byte':
      return view.getInt8(at)
    case 'UByte':
    case 'Bool':
      return view.getUint8(at)
    case 'Short':
      return view.getInt16(at, true)
    case 'UShort':
      return view.getUint16(at, true)
    case 'Int':
      return view.getInt32(at, true)
    case 'UInt':
      return view.getUint32(at, true)
    case 'Long':
      return view.getBigInt64(at, true)
    case 'ULong':
      return view.getBigUint64(at, true)
    case 'Float':
    case 'Double': {
      const value = readReal({ bytes, view, at, type })
      return Number.isInteger(value) ? value : undefined
    }
    default: {
      const text = bytes.toString('utf8', at, at + size)
      return integerPattern.test(text) ? BigInt(text.trim()) : undefined
    }
  }
}

/** Finds what keeps a value from being written as its datatype. */
export function findBadValue(value: Value, size: number, use: ColumnPlan['use']): string | undefined {
  if (use === 'REAL') return Number.isFinite(readReal(value)) ? undefined : 'is not a number'
  if (use !== 'ID') return undefined
  const id = readInteger(value, size)
  if (id === undefined) return 'is not a whole number'
  return id >= -2_147_483_648 && id <= 2_147_483_647 ? undefined : 'does not fit into 32 bits'
}
