import { isUtf8 } from 'node:buffer'
import { readAscii, readInteger, readReal, readText, type Value } from '../flatgeobuf/value.ts'
import type { ColumnPlan, ColumnUse } from './copy_row.ts'
import { quickDay } from './quick_value.ts'
import { isCalendarDay } from './timestamp.ts'
import { describeValue } from './value_convert.ts'

/** What is wrong with a value. */
export interface ValueFault {
  /** Follows upon the name of the field. */
  readonly text: string
  /** Whether it is a text in another encoding than it should be. */
  readonly isText?: boolean
  /** Whether it says all there is to say: it is the row that is at fault. */
  readonly isRow?: boolean
}

/** Finds what keeps a value from being written as what its column is for. */
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

/** What a shape was made of is looked at too: GDAL takes what is no number for 0, and stops where it has enough. */
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

/** What a sheet holds in a column of numbers and texts is all text. */
function isNumber(value: Value): boolean {
  return value.type !== 'String' || numberPattern.test(readAscii(value))
}

function isExtreme(value: Value): boolean {
  const whole = readInteger(value)
  return whole === 2n ** 63n - 1n || whole === -(2n ** 63n)
}

/** Where a file was recoded, what was no text of its encoding has become U+FFFD. */
function isTextOf(value: Value, { convert }: ColumnPlan): boolean {
  const { bytes, at, size } = value
  return convert === undefined
    ? !bytes.subarray(at, at + size).includes(replacement)
    : convert(value) !== undefined
}

const replacement = Buffer.from('\uFFFD')

/** What is said of text in another encoding than it should be. */
const notText: ValueFault = { text: ' is not UTF-8', isText: true }

function findBadId(value: Value): ValueFault | undefined {
  const id = readInteger(value)
  if (id === undefined) return { text: ' is not a whole number' }
  return id >= -2_147_483_648 && id <= 2_147_483_647 ? undefined : { text: ' does not fit into 32 bits' }
}

/** Most texts are of ASCII and short, and done with before a call out of JavaScript would have begun. */
function isText({ bytes, at, size }: Value): boolean {
  for (let index = at; index < at + size; index++) {
    if ((bytes[index] as number) > 127) return isUtf8(bytes.subarray(at, at + size))
  }
  return true
}
