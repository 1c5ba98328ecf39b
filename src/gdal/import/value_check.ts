import { isUtf8 } from 'node:buffer'
import { readAscii, readInteger, readReal, readText, type Value } from '../flatgeobuf/value.ts'
import type { ColumnPlan, ColumnUse } from './copy_row.ts'
import { quickDay } from './quick_value.ts'
import { isCalendarDay } from './timestamp.ts'
import { describeValue } from './value_convert.ts'

/** Fault of a value. */
export interface ValueFault {
  /** Message that follows the name of the field. */
  readonly text: string
  /** Whether the value is a string in the wrong encoding. */
  readonly isText?: boolean
  /** Whether the message is complete, since the fault concerns the whole row. */
  readonly isRow?: boolean
}

/** Finds why a value cannot be written for the use of its column. */
export function findBadValue(value: Value, column: ColumnPlan): ValueFault | undefined {
  const { use, convert, encoding } = column
  if (column.isClamped !== undefined && isExtreme(value) && column.isClamped())
    return { text: ' does not fit into 64 bits' }
  if (encoding !== undefined) {
    return isTextOf(value, column) ? undefined : { text: ` is not ${encoding}`, isText: true }
  }
  if (convert !== undefined) {
    return convert(value) === undefined ? { text: `: ${describeValue(value)} is no ${use}` } : undefined
  }
  return use === 'COORDINATE' || use === 'GEOMETRY' ? findBadShape(value, column) : findBadField(value, use)
}

/** Checks the source of a geometry: GDAL reads invalid numbers as 0, and ignores trailing text. */
function findBadShape(value: Value, { use, wkt }: ColumnPlan): ValueFault | undefined {
  if (use === 'COORDINATE')
    return isNumber(value) ? undefined : { text: `: ${describeValue(value)} is no number` }
  return wkt?.isWhole(value) === false ? { text: `: ${describeValue(value)} is no geometry` } : undefined
}

function findBadField(value: Value, use: ColumnUse): ValueFault | undefined {
  switch (use) {
    case 'ID':
      return findBadId(value)
    case 'REAL':
      return Number.isFinite(readReal(value)) ? undefined : { text: ' is not a number' }
    case 'STRING':
      return isText(value) ? undefined : notText
    case 'DATE':
    case 'DATETIME':
      return quickDay(value) !== undefined || isCalendarDay(readAscii(value))
        ? undefined
        : { text: `: ${describeValue(value)} is no ${use}` }
    case 'BIGINT':
      return value.type === 'String' ? { text: ' does not fit into 64 bits' } : undefined
    case 'BEYOND':
      return value.size === 0 ? undefined : beyond
    case 'FAULT':
      return { text: readText(value), isRow: true }
    default:
      return undefined
  }
}

const beyond: ValueFault = { text: 'its row has more cells than there are columns', isRow: true }

const numberPattern = /^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$/

/** A sheet column with numbers and strings is read as strings. */
function isNumber(value: Value): boolean {
  return value.type !== 'String' || numberPattern.test(readAscii(value))
}

function isExtreme(value: Value): boolean {
  const whole = readInteger(value)
  return whole === 2n ** 63n - 1n || whole === -(2n ** 63n)
}

/** Tells whether a string is valid in its encoding. Recoding replaces invalid bytes with U+FFFD. */
function isTextOf(value: Value, { convert }: ColumnPlan): boolean {
  const { bytes, at, size } = value
  return convert === undefined
    ? !bytes.subarray(at, at + size).includes(replacement)
    : convert(value) !== undefined
}

const replacement = Buffer.from('\uFFFD')

/** Fault of a string that is not UTF-8. */
const notText: ValueFault = { text: ' is not UTF-8', isText: true }

function findBadId(value: Value): ValueFault | undefined {
  const id = readInteger(value)
  if (id === undefined) return { text: ' is not a whole number' }
  return id >= -2_147_483_648 && id <= 2_147_483_647 ? undefined : { text: ' does not fit into 32 bits' }
}

/** Tells whether a string is UTF-8. Most strings are short and ASCII, for which a loop is faster than a native call. */
function isText({ bytes, at, size }: Value): boolean {
  for (let index = at; index < at + size; index++) {
    if ((bytes[index] as number) > 127) return isUtf8(bytes.subarray(at, at + size))
  }
  return true
}
