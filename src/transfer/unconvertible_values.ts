import { datatypeCodecs, trimValue } from '../contract/datatype_codec.ts'
import type { Datatype } from '../contract/geometry.ts'
import { bytesOf } from '../core/bytes.ts'
import { readString, type Value } from '../gdal/flatgeobuf/value.ts'
import { findConversion } from '../gdal/import/value_convert.ts'
import { maxNamedValues, type RowLayout, type WantedFields } from '../gdal/runner/vector_job.ts'
import { leadingValues, type RowField, type ValueRow, valueText } from './sync/row_entry.ts'

/** A field of a source with values that cannot be converted to the datatype that is declared for it. */
export interface UnconvertibleField {
  readonly keyname: string
  readonly from: Datatype
  readonly to: Datatype
  /** Number of these values. */
  readonly count: number
  /** The first of them: position of the feature among those that are loaded, counted from 1, and the value as JSON. */
  readonly first: readonly { readonly feature: number; readonly value: string }[]
}

/** Finds the values of a source that cannot be converted to declared datatypes. */
export interface ConversionCheck {
  add(row: ValueRow): void
  /** The fields found so far. */
  find(): UnconvertibleField[]
}

/** Starts a check of the rows of a source; undefined if they have the declared datatypes. */
export function checkConversions(
  { fields, keynames }: RowLayout,
  declared: WantedFields['fields'],
): ConversionCheck | undefined {
  const wanted = new Map(declared.map(({ keyname, datatype }) => [keyname, datatype]))
  const counters = fields.flatMap(({ datatype }, column) => {
    const keyname = keynames[column] ?? ''
    const to = wanted.get(keyname)
    return to === undefined || to === datatype ? [] : [startCounter({ keyname, datatype, column }, to)]
  })
  if (counters.length === 0) return undefined
  let feature = 0
  return {
    add(row) {
      feature += 1
      for (const counter of counters) counter.add(row, feature)
    },
    find: () => counters.flatMap((counter) => counter.find() ?? []),
  }
}

function startCounter(field: RowField, to: Datatype) {
  const { keyname, datatype: from } = field
  const fits = from === 'STRING' ? fitsString(to) : fitsOther(from, to)
  let count = 0
  const first: UnconvertibleField['first'][number][] = []
  return {
    add(row: ValueRow, feature: number): void {
      const value = readValue(row, field)
      if (value === undefined || fits(value)) return
      count += 1
      if (first.length < maxNamedValues) first.push({ feature, value: valueText(row, field) })
    },
    find: (): UnconvertibleField | undefined =>
      count === 0 ? undefined : { keyname, from, to, count, first },
  }
}

/** Strings are converted as in requests; those of white space become null. */
const fitsString = (to: Datatype) => (value: Value) => {
  const text = trimValue(to, readString(value))
  return text === '' || datatypeCodecs[to].parse(text) !== undefined
}

function fitsOther(from: Datatype, to: Datatype) {
  const convert = findConversion(from, to)
  return (value: Value) => convert(value) !== undefined
}

const number = bytesOf(Buffer.alloc(8))

/** Reads a value as conversions take it; undefined for null. */
function readValue(row: ValueRow, field: RowField): Value | undefined {
  const { column, datatype } = field
  const at = row.ats[leadingValues + column] ?? 0
  const size = row.lengths[leadingValues + column] ?? -1
  if (size < 0) return undefined
  const { bytes, view } = row
  switch (datatype) {
    case 'STRING':
      return { column, type: 'String', bytes, view, at, size }
    case 'INTEGER':
      number.view.setInt32(0, view.getInt32(at), true)
      return { column, type: 'Int', ...number, at: 0, size }
    case 'BIGINT':
      number.view.setBigInt64(0, view.getBigInt64(at), true)
      return { column, type: 'Long', ...number, at: 0, size }
    case 'REAL':
      number.view.setFloat64(0, view.getFloat64(at), true)
      return { column, type: 'Double', ...number, at: 0, size }
    default:
      return readTime(row, field)
  }
}

function readTime(row: ValueRow, field: RowField): Value {
  const text = String(JSON.parse(valueText(row, field)))
  const bytes = Buffer.from(field.datatype === 'TIME' ? `2000-01-01T${text}` : text)
  return { column: field.column, type: 'DateTime', ...bytesOf(bytes), at: 0, size: bytes.length }
}
