import { daysSince2000, isCalendarDate } from '../../contract/datatype_codec.ts'
import type { Value } from '../flatgeobuf/value.ts'

// There are millions of values: the most frequent forms are read from the bytes, without creating strings.

/** Parses a range of digits; returns -1 if it is empty or has other characters. */
function digitsAt(bytes: Buffer, from: number, to: number): number {
  let number = from < to ? 0 : -1
  for (let at = from; at < to; at++) {
    const digit = (bytes[at] as number) - 0x30
    if (digit < 0 || digit > 9) return -1
    number = number * 10 + digit
  }
  return number
}

const minus = 0x2d
const slash = 0x2f
const letterT = 0x54

/** Reads an integer of up to fifteen digits; undefined for any other form. */
export function quickInteger({ bytes, at, size }: Value): number | undefined {
  const isNegative = bytes[at] === minus
  const from = isNegative ? at + 1 : at
  if (size > 15) return undefined
  const number = digitsAt(bytes, from, at + size)
  if (number < 0) return undefined
  return isNegative ? 0 - number : number
}

/**
 * Reads a date of four, two and two digits, alone or before a `T`, as days since 2000-01-01; undefined for any other
 * form.
 */
export function quickDay({ bytes, at, size }: Value): number | undefined {
  if (size !== 10 && (size < 10 || bytes[at + 10] !== letterT)) return undefined
  if (bytes[at + 4] !== bytes[at + 7]) return undefined
  if (bytes[at + 4] !== minus && bytes[at + 4] !== slash) return undefined
  const year = digitsAt(bytes, at, at + 4)
  const month = digitsAt(bytes, at + 5, at + 7)
  const day = digitsAt(bytes, at + 8, at + 10)
  return isCalendarDate(year, month, day) ? daysSince2000(year, month, day) : undefined
}
