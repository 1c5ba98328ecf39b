import { isUtf8 } from 'node:buffer'
import { maxStringBytes } from '../../contract/limits.ts'
import { readAscii, readInteger, readReal, readString, type Value } from '../flatgeobuf/value.ts'
import { type ColumnPlan, type ColumnUse, isField } from './copy_row.ts'
import { quickDay } from './quick_value.ts'
import { isCalendarDay } from './timestamp.ts'
import { describeValue } from './value_convert.ts'

/** Fault of a value. */
export interface ValueFault {
  /** Message that follows the name of the field. */
  readonly message: string
  /** Whether the value is a string in the wrong encoding. */
  readonly isMisencoded?: boolean
  /** Whether the message is complete, since the fault concerns the whole row. */
  readonly isRow?: boolean
}

/** Finds why a value cannot be written for the use of its column. */
export function findBadValue(value: Value, column: ColumnPlan): ValueFault | undefined {
  const { use, convert, encoding } = column
  if (column.isClamped !== undefined && isExtreme(value) && column.isClamped())
    return { message: ' does not fit into 64 bits' }
  if (value.size > maxStringBytes && isField(use))
    return { message: ` has ${value.size} bytes, more than ${maxStringBytes}` }
  if (encoding !== undefined) {
    return isValidString(value, column) ? undefined : { message: ` is not ${encoding}`, isMisencoded: true }
  }
  if (convert !== undefined) {
    return convert(value) === undefined
      ? { message: `: ${describeValue(value)} is not a valid ${use}` }
      : undefined
  }
  return use === 'COORDINATE' || use === 'GEOMETRY'
    ? findBadGeometry(value, column)
    : findBadField(value, use)
}

/** Tells whether a value has a datatype that cannot be converted to that of its field. */
export function isUnconvertible(value: Value, { convert, encoding }: ColumnPlan): boolean {
  return encoding === undefined && convert !== undefined && convert(value) === undefined
}

/** Checks the source of a geometry: GDAL reads invalid numbers as 0, and ignores trailing text. */
function findBadGeometry(value: Value, { use, wkt }: ColumnPlan): ValueFault | undefined {
  if (use === 'COORDINATE')
    return isNumber(value) ? undefined : { message: `: ${describeValue(value)} is not a number` }
  return wkt?.isWhole(value) === false
    ? { message: `: ${describeValue(value)} is not a valid geometry` }
    : undefined
}

function findBadField(value: Value, use: ColumnUse): ValueFault | undefined {
  switch (use) {
    case 'ID':
      return findBadId(value)
    case 'REAL':
      return Number.isFinite(readReal(value)) ? undefined : { message: ' is not a number' }
    case 'STRING':
      return isUtf8String(value) ? undefined : notUtf8
    case 'DATE':
    case 'DATETIME':
      return quickDay(value) !== undefined || isCalendarDay(readAscii(value))
        ? undefined
        : { message: `: ${describeValue(value)} is not a valid ${use}` }
    case 'BIGINT':
      return value.type === 'String' ? { message: ' does not fit into 64 bits' } : undefined
    case 'SURPLUS':
      return value.size === 0 ? undefined : surplusCells
    case 'FAULT':
      return { message: readString(value), isRow: true }
    default:
      return undefined
  }
}

const surplusCells: ValueFault = { message: 'its row has more cells than the table has columns', isRow: true }

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
function isValidString(value: Value, { convert }: ColumnPlan): boolean {
  const { bytes, at, size } = value
  return convert === undefined
    ? !bytes.subarray(at, at + size).includes(replacement)
    : convert(value) !== undefined
}

const replacement = Buffer.from('\uFFFD')

/** Fault of a string that is not UTF-8. */
const notUtf8: ValueFault = { message: ' is not UTF-8', isMisencoded: true }

function findBadId(value: Value): ValueFault | undefined {
  const id = readInteger(value)
  if (id === undefined) return { message: ' is not an integer' }
  return id >= -2_147_483_648 && id <= 2_147_483_647 ? undefined : { message: ' does not fit into 32 bits' }
}

/** Tells whether a string is UTF-8. Most strings are short and ASCII, for which a loop is faster than a native call. */
function isUtf8String({ bytes, at, size }: Value): boolean {
  for (let index = at; index < at + size; index++) {
    if ((bytes[index] as number) > 127) return isUtf8(bytes.subarray(at, at + size))
  }
  return true
}
