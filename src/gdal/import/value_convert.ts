import type { Datatype } from '../../contract/geometry.ts'
import { readAscii, readInteger, readReal, readString, type Value } from '../flatgeobuf/value.ts'
import { quickDay, quickInteger } from './quick_value.ts'
import { isCalendarDay, parseTimestamp, type Timestamp } from './timestamp.ts'

/** A decoded value: strings for STRING, numbers for other datatypes, timestamps as PostgreSQL encodes them. */
export type Scalar = number | bigint | string

/** Reads a value as another datatype; null for an empty value, undefined if it cannot be converted without loss. */
export type Conversion = (value: Value) => Scalar | null | undefined

const maxExactInteger = 2 ** 53
const dayMicroseconds = 86_400_000_000
const dash = 0x2d

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
      return quick === undefined ? parseString(value, (text) => inInt32(parseInteger(text))) : inInt32(quick)
    },
    BIGINT: (value) => quickInteger(value) ?? parseString(value, (text) => inInt64(parseInteger(text))),
    REAL: (value) => quickInteger(value) ?? parseString(value, parseReal),
    DATE: stringToDate,
    TIME: (value) => parseString(value, timeOf),
    DATETIME: (value) => parseString(value, timestampOf),
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

/** Parses a string; a blank one is null, as in table cells. */
function parseString<T extends Scalar>(
  value: Value,
  read: (text: string) => T | undefined,
): T | null | undefined {
  if (value.size === 0) return null
  // Strings that are not ASCII are neither numbers nor timestamps, so their encoding does not matter.
  const text = readAscii(value).replaceAll(/^ +| +$/g, '')
  return text === '' ? null : read(text)
}

/** Dates with slashes are rejected, as in field values of requests. */
function stringToDate(value: Value): number | null | undefined {
  const quick = value.size === 10 && value.bytes[value.at + 4] === dash ? quickDay(value) : undefined
  return quick ?? parseString(value, dayOf)
}

const integerPattern = /^[-+]?\d{1,19}$/

function parseInteger(text: string): number | bigint | undefined {
  if (!integerPattern.test(text)) return undefined
  // Doubles are exact up to fifteen digits, and much faster than bigints.
  return text.length <= 15 ? Number(text) : BigInt(text.replace('+', ''))
}

const realPattern = /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,3})?$/
const smallestReal = 2.3e-308

function parseReal(text: string): number | undefined {
  if (!realPattern.test(text)) return undefined
  const real = Number(text)
  if (!Number.isFinite(real)) return undefined
  // Numbers that are too small for a double must not become 0.
  return Math.abs(real) < smallestReal && /[1-9]/.test(text.replace(/e.*$/i, '')) ? undefined : real
}

const dayPattern = /^(?!0000)\d{4}-\d\d-\d\d$/
const clockPattern = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?$/
/** Timestamps are local times: a time zone is ignored, as in other formats. */
const timestampPattern =
  /^(?!0000)\d{4}-\d\d-\d\d([T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[-+]\d\d(:?\d\d)?)?)?$/

function dayOf(text: string): number | undefined {
  return dayPattern.test(text) && isCalendarDay(text) ? parseTimestamp(text)?.days : undefined
}

function timeOf(text: string): number | undefined {
  return clockPattern.test(text) ? parseTimestamp(`2000-01-01T${text}`)?.microseconds : undefined
}

function timestampOf(text: string): number | undefined {
  if (!timestampPattern.test(text) || !isCalendarDay(text)) return undefined
  const timestamp = parseTimestamp(text)
  return timestamp && timestamp.days * dayMicroseconds + timestamp.microseconds
}

function convertTimestamp<T>(value: Value, read: (timestamp: Timestamp) => T | undefined): T | undefined {
  const text = readAscii(value)
  const timestamp = isCalendarDay(text) ? parseTimestamp(text) : undefined
  return timestamp && read(timestamp)
}

/** Formats the time of a timestamp, rounded to seconds. */
function formatTime(value: Value): string | undefined {
  const timestamp = parseTimestamp(readAscii(value))
  if (timestamp === undefined) return undefined
  const seconds = Math.round(timestamp.microseconds / 1e6)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
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
