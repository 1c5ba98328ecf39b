import { type FieldScalar, parseTrimmed } from '../../contract/datatype_codec.ts'
import type { Datatype } from '../../contract/geometry.ts'
import { leadingValues, type ValueRow } from './row_entry.ts'

/** A field of a key. */
interface KeyField {
  readonly datatype: Datatype
}

/**
 * Returns a row whose columns are the values of a key that a table has as text; undefined if any of them is not a value of its
 * field.
 */
export function keyRow(texts: readonly string[], fields: readonly KeyField[]): ValueRow | undefined {
  const values = fields.map(({ datatype }, at) => {
    const text = texts[at] ?? ''
    const value = text === '' || text.includes('\uFFFD') ? undefined : parseTrimmed(datatype, text)
    return value === undefined ? undefined : encoders[datatype](value)
  })
  return values.every((value) => value !== undefined) ? rowOfValues(values) : undefined
}

/** Returns a row whose columns are values in PostgreSQL's binary format. */
export function rowOfValues(values: readonly Buffer[]): ValueRow {
  const bytes = Buffer.concat(values)
  const width = leadingValues + values.length
  const [ats, lengths] = [new Int32Array(width), new Int32Array(width).fill(-1)]
  let end = 0
  for (const [at, { length }] of values.entries()) {
    ats[leadingValues + at] = end
    lengths[leadingValues + at] = length
    end += length
  }
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), ats, lengths }
}

const microseconds = 1_000_000

/** Writes values in PostgreSQL's binary format. */
const encoders: Readonly<Record<Datatype, (value: FieldScalar) => Buffer>> = {
  INTEGER: int32,
  BIGINT: (value) => int64(BigInt(value)),
  REAL(value) {
    const bytes = Buffer.alloc(8)
    bytes.writeDoubleBE(Number(value))
    return bytes
  },
  STRING: (value) => Buffer.from(String(value)),
  DATE: int32,
  TIME: (value) => int64(BigInt(Number(value) * microseconds)),
  DATETIME: (value) => int64(BigInt(Number(value) * microseconds)),
}

function int32(value: FieldScalar): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(Number(value))
  return bytes
}

function int64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(value)
  return bytes
}
