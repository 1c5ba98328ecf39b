import type { Datatype } from './geometry.ts'
import { maxStringBytes } from './limits.ts'

/**
 * Canonical value of a field: integers as a number up to 2^53 and a bigint beyond, reals as a number, dates as days
 * since 2000-01-01, times as seconds since midnight, timestamps as seconds since 2000-01-01.
 */
export type FieldScalar = number | bigint | string

/** Parses and prints the values of a datatype. */
export interface DatatypeCodec {
  /** Expected value, for messages: `a date, such as 2020-01-31`. */
  readonly expected: string
  /** Accepted strings, for documents. */
  readonly accepted: string
  /** Parses a trimmed string; undefined if it is not a value of the datatype, or would lose precision. */
  parse(text: string): FieldScalar | undefined
  /** Prints a value as the API and exports write it. */
  print(value: FieldScalar): string
}

/** Minimum and maximum of each integer datatype. */
export const integerLimits = {
  INTEGER: [-(2n ** 31n), 2n ** 31n - 1n],
  BIGINT: [-(2n ** 63n), 2n ** 63n - 1n],
} as const

/** Seconds in a day. */
export const daySeconds = 86_400

/**
 * Syntax of each datatype, as regular expressions for both JavaScript and PostgreSQL. Parts of dates and times are
 * groups. Time zones and fractions of a second are accepted and ignored: timestamps have neither.
 */
export const datatypePatterns = {
  integer: '^[-+]?[0-9]{1,40}$',
  real: '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$',
  date: '^([0-9]{4})([-/])([0-9]{1,2})\\2([0-9]{1,2})$',
  time: '^([0-9]{1,2}):([0-9]{2})(:([0-9]{2})([.][0-9]+)?)?$',
  timestamp:
    '^([0-9]{4})([-/])([0-9]{1,2})\\2([0-9]{1,2})([T ]([0-9]{1,2}):([0-9]{2})(:([0-9]{2})([.][0-9]+)?)?(Z|[-+][0-9]{2}(:?[0-9]{2})?)?)?$',
} as const

const regexps = {
  integer: new RegExp(datatypePatterns.integer),
  real: new RegExp(datatypePatterns.real),
  date: new RegExp(datatypePatterns.date),
  time: new RegExp(datatypePatterns.time),
  timestamp: new RegExp(datatypePatterns.timestamp),
}

/** Codec of each datatype. */
export const datatypeCodecs: Readonly<Record<Datatype, DatatypeCodec>> = {
  INTEGER: integerCodec('INTEGER', 32),
  BIGINT: integerCodec('BIGINT', 64),
  REAL: {
    expected: 'a finite number',
    accepted: 'digits with sign, decimal point and exponent: `-1.5`, `.5`, `1e3`; no decimal comma, no `NaN`',
    parse: parseReal,
    print: String,
  },
  STRING: {
    expected: 'a string',
    accepted: `all strings of up to ${maxStringBytes / 2 ** 20} MiB without NUL and lone surrogates, with the white space around them`,
    parse: (text) => (findStringFault(text) === undefined ? text : undefined),
    print: String,
  },
  DATE: {
    expected: 'a date, such as 2020-01-31',
    accepted:
      'year, month and day with dashes or slashes: `2020-01-31`, `2020/1/31`; years 1 to 9999, four digits',
    parse: parseDate,
    print: (days) => printDate(Number(days)),
  },
  TIME: {
    expected: 'a time, such as 23:59:59',
    accepted: 'hours, minutes and perhaps seconds: `9:30`, `23:59:59`; fractions of a second are dropped',
    parse: parseTime,
    print: (seconds) => printTime(Number(seconds)),
  },
  DATETIME: {
    expected: 'a date and time, such as 2020-01-31T23:59:59',
    accepted:
      'a date, and perhaps `T` or a space, a time and a time zone: `2020-01-31`, `2020-01-31T23:59:59`, `2020/1/31 9:30+01`; fractions of a second and time zones are dropped',
    parse: parseTimestamp,
    print: (value) => printTimestamp(Number(value)),
  },
}

/** Finds why a field cannot store a string. */
export function findStringFault(text: string): string | undefined {
  // PostgreSQL stores neither NUL nor lone surrogates.
  if (text.includes('\0') || !text.isWellFormed()) return 'contains a character that cannot be stored'
  // UTF-8 has three bytes at most for each unit of UTF-16.
  if (3 * text.length <= maxStringBytes) return undefined
  const bytes = new TextEncoder().encode(text).length
  return bytes > maxStringBytes ? `has ${bytes} bytes, more than ${maxStringBytes}` : undefined
}

function integerCodec(datatype: keyof typeof integerLimits, bits: number): DatatypeCodec {
  const [least, most] = integerLimits[datatype]
  return {
    expected: `a ${bits}-bit integer`,
    accepted: `digits with or without sign: \`7\`, \`-7\`, \`007\`; from ${least} to ${most}`,
    parse(text) {
      if (!regexps.integer.test(text)) return undefined
      // Doubles are exact up to fifteen digits, and much faster than bigints.
      const value = text.length <= 15 ? Number(text) : BigInt(text.replace('+', ''))
      if (value < least || value > most) return undefined
      return Number.isSafeInteger(Number(value)) ? Number(value) + 0 : value
    },
    print: String,
  }
}

function parseReal(text: string): number | undefined {
  if (!regexps.real.test(text)) return undefined
  const real = Number(text)
  if (!Number.isFinite(real)) return undefined
  // An underflow to 0 loses the value.
  return real === 0 && /[1-9]/.test(text.replace(/e.*$/i, '')) ? undefined : real
}

function parseDate(text: string): number | undefined {
  const match = regexps.date.exec(text)
  return match === null ? undefined : daysOf(match[1], match[3], match[4])
}

function parseTime(text: string): number | undefined {
  const match = regexps.time.exec(text)
  return match === null ? undefined : secondsOf(match[1], match[2], match[4])
}

function parseTimestamp(text: string): number | undefined {
  const match = regexps.timestamp.exec(text)
  if (match === null) return undefined
  const days = daysOf(match[1], match[3], match[4])
  const seconds = secondsOf(match[6] ?? '0', match[7] ?? '0', match[9])
  return days === undefined || seconds === undefined ? undefined : days * daySeconds + seconds
}

type Digits = string | undefined

function daysOf(...parts: readonly [year: Digits, month: Digits, day: Digits]): number | undefined {
  const [year, month, day] = parts.map(Number) as [number, number, number]
  return isCalendarDate(year, month, day) ? daysSince2000(year, month, day) : undefined
}

function secondsOf(...[hours, minutes, seconds]: readonly [Digits, Digits, Digits]): number | undefined {
  const [hour, minute, second] = [Number(hours), Number(minutes), Number(seconds ?? 0)]
  return hour < 24 && minute < 60 && second < 60 ? (hour * 60 + minute) * 60 + second : undefined
}

/** Tells whether a date exists in the calendar, in the years 1 to 9999. */
export function isCalendarDate(year: number, month: number, day: number): boolean {
  if (year < 1 || year > 9999 || month < 1 || month > 12) return false
  return day >= 1 && (day <= 28 || day <= daysOfMonth(year, month))
}

function daysOfMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

const daysTo2000 = 730_425

/**
 * Counts the days since 2000-01-01 in the proleptic Gregorian calendar, as PostgreSQL does. Years start in March here,
 * so that the leap day is the last day of the year.
 */
export function daysSince2000(year: number, month: number, day: number): number {
  const shifted = month > 2 ? year : year - 1
  const leapDays = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400)
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  return 365 * shifted + leapDays + dayOfYear - daysTo2000
}

const msTo2000 = Date.UTC(2000, 0, 1)

function printDate(days: number): string {
  return new Date(msTo2000 + days * daySeconds * 1000).toISOString().slice(0, 10)
}

function printTime(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}

function printTimestamp(value: number): string {
  const days = Math.floor(value / daySeconds)
  return `${printDate(days)}T${printTime(value - days * daySeconds)}`
}

/** Characters around a value that are ignored, except for STRING. */
export const trimmedCharacters = ' \t\n\r'

const outerSpace = new RegExp(`^[${trimmedCharacters}]+|[${trimmedCharacters}]+$`, 'g')

/** Removes the characters around a value that are ignored, except for STRING. */
export function trimValue(datatype: Datatype, text: string): string {
  if (datatype === 'STRING') return text
  const [first, last] = [text.charCodeAt(0), text.charCodeAt(text.length - 1)]
  // Most values have none.
  return first > 0x20 && last > 0x20 ? text : text.replaceAll(outerSpace, '')
}

/** Parses a string, ignoring white space around it except for STRING. */
export function parseTrimmed(datatype: Datatype, text: string): FieldScalar | undefined {
  return datatypeCodecs[datatype].parse(trimValue(datatype, text))
}
