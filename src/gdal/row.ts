import { isUtf8 } from 'node:buffer'
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

/** A property that is not null, where its value stands; valid until the next one. */
export interface Value extends Bytes {
  readonly column: number
  readonly type: ColumnType
  readonly at: number
  /** Bytes of the value. */
  readonly size: number
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
  visit: (value: Value) => void,
): void {
  if (feature.properties === 0) return
  const { bytes, view } = feature
  // One object for all: there are millions of values.
  const value = { bytes, view, column: 0, type: 'String' as ColumnType, at: 0, size: 0 }
  let at = feature.properties + 4
  const end = at + view.getUint32(feature.properties, true)
  while (at + 2 <= end) {
    value.column = view.getUint16(at, true)
    const plan = columns[value.column]
    if (plan === undefined) return
    value.type = plan.type
    const size = valueSizes[plan.type]
    value.at = size === undefined ? at + 6 : at + 2
    value.size = size ?? view.getUint32(at + 2, true)
    visit(value)
    at = value.at + value.size
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
  eachProperty(feature, plan.columns, (value) => {
    writeNulls(value.column)
    next = value.column + 1
    const use = plan.columns[value.column]?.use ?? 'STRING'
    if (use === 'ID') sink.view.setInt32(idAt, Number(readInteger(value)))
    else writers[use](sink, value)
  })
  writeNulls(plan.columns.length)
}

/** What a row is made of. */
export interface RowSource {
  readonly feature: FlatFeature
  readonly shape: Shape
  readonly id: number
}

type Writer = (sink: Sink, value: Value) => void

const writers: Readonly<Record<Datatype, Writer>> = {
  INTEGER: (sink, value) => {
    sink.view.setInt32(sink.at, 4)
    sink.view.setInt32(sink.at + 4, Number(readInteger(value)))
    sink.at += 8
  },
  BIGINT: (sink, value) => {
    sink.view.setInt32(sink.at, 8)
    sink.view.setBigInt64(sink.at + 4, BigInt(readInteger(value) ?? 0))
    sink.at += 12
  },
  REAL: (sink, value) => {
    sink.view.setInt32(sink.at, 8)
    sink.view.setFloat64(sink.at + 4, readReal(value))
    sink.at += 12
  },
  STRING: (sink, value) => {
    sink.view.setInt32(sink.at, value.size)
    sink.at += 4
    copyBytes(sink, value)
  },
  DATE: (sink, value) => {
    const moment = findMoment(textOf(value))
    if (moment === undefined) return writeNull(sink)
    sink.view.setInt32(sink.at, 4)
    sink.view.setInt32(sink.at + 4, moment.days)
    sink.at += 8
  },
  TIME: (sink, value) => {
    const moment = findMoment(textOf(value))
    if (moment === undefined) return writeNull(sink)
    writeMicroseconds(sink, moment.microseconds)
  },
  DATETIME: (sink, value) => {
    const moment = findMoment(textOf(value))
    if (moment === undefined) return writeNull(sink)
    writeMicroseconds(sink, moment.days * 86_400_000_000 + moment.microseconds)
  },
}

/** Most texts are short: for those a loop is faster than a call out of JavaScript. */
function copyBytes(sink: Sink, { bytes, at, size }: Value): void {
  if (size > 32) sink.bytes.set(bytes.subarray(at, at + size), sink.at)
  else for (let index = 0; index < size; index++) sink.bytes[sink.at + index] = bytes[at + index] as number
  sink.at += size
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

function textOf({ bytes, at, size }: Value): string {
  return bytes.toString('latin1', at, at + size)
}

function readReal({ view, at, type }: Value): number {
  return type === 'Float' ? view.getFloat32(at, true) : view.getFloat64(at, true)
}

const integerPattern = /^\s*[-+]?\d{1,18}\s*$/

/** Reads a whole number of any column type; undefined where the value is none. */
export function readInteger(value: Value): number | bigint | undefined {
  const { bytes, view, at, type, size } = value
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
      const real = readReal(value)
      return Number.isInteger(real) ? real : undefined
    }
    default: {
      const text = bytes.toString('utf8', at, at + size)
      return integerPattern.test(text) ? BigInt(text.trim()) : undefined
    }
  }
}

/** Finds what keeps a value from being written as its datatype. */
export function findBadValue(value: Value, use: ColumnPlan['use']): string | undefined {
  if (use === 'ID') return findBadId(value)
  if (use === 'REAL') return Number.isFinite(readReal(value)) ? undefined : 'is not a number'
  return use === 'STRING' && !isText(value) ? notText : undefined
}

/** What is said of text in another encoding than it should be. */
export const notText = 'is not UTF-8'

function findBadId(value: Value): string | undefined {
  const id = readInteger(value)
  if (id === undefined) return 'is not a whole number'
  return id >= -2_147_483_648 && id <= 2_147_483_647 ? undefined : 'does not fit into 32 bits'
}

/** Most texts are of ASCII and short, and done with before a call out of JavaScript would have begun. */
function isText({ bytes, at, size }: Value): boolean {
  for (let index = at; index < at + size; index++) {
    if ((bytes[index] as number) > 127) return isUtf8(bytes.subarray(at, at + size))
  }
  return true
}
