import { datatypeCodecs, daySeconds, trimValue } from '../../contract/datatype_codec.ts'
import type { Datatype } from '../../contract/geometry.ts'
import { readAscii, readInteger, readReal, readString, type Value } from '../flatgeobuf/value.ts'
import { quickDay, quickInteger } from './quick_value.ts'
import { isCalendarDay, parseTimestamp, second, type Timestamp } from './timestamp.ts'

/** A decoded value: strings for STRING, numbers for other datatypes, timestamps as PostgreSQL encodes them. */
export type Scalar = number | bigint | string

/** Reads a value as another datatype; null for an empty value, undefined if it cannot be converted without loss. */
export type Conversion = (value: Value) => Scalar | null | undefined

const maxExactInteger = 2 ** 53
const dayMicroseconds = daySeconds * second

/** Conversions without loss, which are the same as between fields of layers. */
const conversions: Readonly<Record<Datatype, Readonly<Partial<Record<Datatype, Conversion>>>>> = {
  INTEGER: { BIGINT: readInteger, REAL: toReal, STRING: formatInteger },
  BIGINT: { INTEGER: (value) => inInt32(readInteger(value)), REAL: toReal, STRING: formatInteger },
  REAL: {
    INTEGER: (value) => inInt32(readInteger(value)),
    BIGINT: (value) => inInt64(readInteger(value)),
    STRING: (value) => String(readReal(value)),
  },
  STRING: {
    INTEGER: (value) => {
      const quick = quickInteger(value)
      return quick === undefined ? parseString(value, 'INTEGER') : inInt32(quick)
    },
    BIGINT: (value) => quickInteger(value) ?? parseString(value, 'BIGINT'),
    REAL: (value) => quickInteger(value) ?? parseString(value, 'REAL'),
    DATE: (value) => (value.size === 10 ? quickDay(value) : undefined) ?? parseString(value, 'DATE'),
    TIME: (value) => toMicroseconds(parseString(value, 'TIME')),
    DATETIME: (value) => toMicroseconds(parseString(value, 'DATETIME')),
  },
  DATE: {
    STRING: (value) => convertTimestamp(value, () => readAscii(value).slice(0, 10).replaceAll('/', '-')),
    DATETIME: (value) => convertTimestamp(value, ({ days }) => days * dayMicroseconds),
  },
  TIME: { STRING: (value) => formatTime(value) },
  DATETIME: {
    STRING: (value) =>
      convertTimestamp(
        value,
        () => `${readAscii(value).slice(0, 10).replaceAll('/', '-')}T${formatTime(value)}`,
      ),
    DATE: (value) =>
      convertTimestamp(value, ({ days, microseconds }) => (microseconds === 0 ? days : undefined)),
  },
}

/** Returns the conversion between two datatypes. */
export function findConversion(from: Datatype, to: Datatype): Conversion {
  return conversions[from][to] ?? (() => undefined)
}

function inInt32(value: number | bigint | undefined): number | undefined {
  return value !== undefined && value >= -2_147_483_648 && value <= 2_147_483_647 ? Number(value) : undefined
}

function inInt64(value: number | bigint | undefined): bigint | undefined {
  if (value === undefined) return undefined
  const whole = BigInt(value)
  return BigInt.asIntN(64, whole) === whole ? whole : undefined
}

function toReal(value: Value): number | undefined {
  const whole = readInteger(value)
  return whole !== undefined && whole >= -maxExactInteger && whole <= maxExactInteger
    ? Number(whole)
    : undefined
}

function formatInteger(value: Value): string | undefined {
  return readInteger(value)?.toString()
}

/** Parses a string with the codec of requests; a blank one is null, as in table cells. */
function parseString(value: Value, datatype: Datatype): Scalar | null | undefined {
  if (value.size === 0) return null
  // Strings that are not ASCII are neither numbers nor timestamps, so their encoding does not matter.
  const text = trimValue(datatype, readAscii(value))
  return text === '' ? null : datatypeCodecs[datatype].parse(text)
}

const toMicroseconds = (seconds: Scalar | null | undefined) =>
  typeof seconds === 'number' ? seconds * second : seconds

function convertTimestamp<T>(value: Value, read: (timestamp: Timestamp) => T | undefined): T | undefined {
  const text = readAscii(value)
  const timestamp = isCalendarDay(text) ? parseTimestamp(text) : undefined
  return timestamp && read(timestamp)
}

/** Formats the time of a timestamp. */
function formatTime(value: Value): string | undefined {
  const timestamp = parseTimestamp(readAscii(value))
  return timestamp && datatypeCodecs.TIME.print(timestamp.microseconds / second)
}

/** Conversions within a datatype of timestamps that a format stores as floating-point numbers. */
export const roundingConversions: Readonly<Partial<Record<Datatype, Conversion>>> = {
  TIME: (value) => {
    const timestamp = parseTimestamp(readAscii(value), true)
    // There is no hour 24.
    return timestamp && Math.min(timestamp.microseconds, (daySeconds - 1) * second)
  },
  DATETIME: (value) => {
    const text = readAscii(value)
    const timestamp = isCalendarDay(text) ? parseTimestamp(text, true) : undefined
    return timestamp && timestamp.days * dayMicroseconds + timestamp.microseconds
  },
}

/** Formats a value that cannot be converted. */
export function describeValue(value: Value): string {
  switch (value.type) {
    case 'String':
    case 'Json':
    case 'DateTime':
      return JSON.stringify(shorten(readString(value)))
    case 'Binary':
      return 'a binary value'
    case 'Float':
    case 'Double':
      return String(readReal(value))
    default:
      return String(readInteger(value))
  }
}

const maxShownLength = 80

function shorten(text: string): string {
  return text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text
}
