import { datatypeCodecs, findStringFault, trimValue } from '../../contract/datatype_codec.ts'
import type { Datatype } from '../../contract/geometry.ts'
import { problem } from '../../contract/problems.ts'
import { LongNumber } from '../../core/long_number.ts'
import type { Problem } from '../../core/problem.ts'
import { checkLikePattern, type LikeOptions } from '../like_pattern.ts'

/** A value as bound to a statement: integers, dates and times are strings. */
export type FieldValue = string | number | null

/** Field of a value. */
export interface FieldType {
  readonly keyname: string
  readonly datatype: Datatype
}

/**
 * Parses the value of a field in a request.
 *
 * @throws {Problem} feature/invalid naming the field, if the value does not match its datatype
 */
export function parseFieldValue(field: FieldType, value: unknown): FieldValue {
  if (value === null || value === undefined) return null
  const { datatype } = field
  if (isTemporalType(datatype)) return findTemporalText(value, datatype) ?? refuse(field, value)
  if (datatype === 'REAL') return parseReal(field, value)
  if (datatype !== 'STRING') return parseInteger(field, value)
  if (typeof value !== 'string') return refuse(field, value)
  return checkText(field, value)
}

/** A parsed value that a field is compared with, and the SQL type in which they are compared. */
export interface ComparedValue {
  readonly text: string
  readonly type: string
}

/**
 * Parses a value that a field is compared with. Integers may be compared with any number. Dates may be compared with
 * dates and times: PostgreSQL compares them as the midnight of the date.
 *
 * @throws {Problem} feature/invalid naming the field
 */
export function parseCompared(field: FieldType, text: string): ComparedValue {
  const { datatype } = field
  const type = comparedType(datatype)
  if (datatype === 'STRING') return { text: checkText(field, text), type }
  if (isTemporalType(datatype)) return findComparedTime(text, datatype) ?? refuse(field, text)
  const numeral = trimValue('REAL', text)
  if (datatypeCodecs.REAL.parse(numeral) === undefined) return refuse(field, text, 'a number')
  return { text: numeral, type }
}

/** Time zone, which fields do not have: `xs:date` and `xs:time` may have one. */
const zone = /(?:Z|[-+][0-9]{2}:[0-9]{2})$/

/** GDAL writes literals as dates and times: times at this date, and dates at this time. */
const padding = { date: /^0000-00-00T/, time: /T00:00:00$/ } as const

function findComparedTime(text: string, datatype: TemporalType): ComparedValue | undefined {
  const local = trimValue(datatype, text).replace(zone, '')
  const plain = datatype === 'TIME' ? local.replace(padding.date, '') : local
  const found = findTemporalText(plain, datatype)
  if (found !== undefined) return { text: found, type: comparedType(datatype) }
  const instant = datatype === 'DATE' ? findTemporalText(plain, 'DATETIME') : undefined
  if (instant === undefined) return undefined
  const date = instant.replace(padding.time, '')
  return { text: date, type: comparedType(date === instant ? 'DATETIME' : 'DATE') }
}

/** Returns the SQL type in which values of a datatype are compared. */
export function comparedType(datatype: Datatype): string {
  const types = { INTEGER: 'numeric', BIGINT: 'numeric', REAL: 'double precision', STRING: 'text' } as const
  if (isTemporalType(datatype)) return { DATE: 'date', TIME: 'time', DATETIME: 'timestamp' }[datatype]
  return types[datatype]
}

/**
 * Returns a string if a field can store it.
 *
 * @throws {Problem} feature/invalid
 */
export function checkText(field: Pick<FieldType, 'keyname'>, text: string): string {
  const fault = findStringFault(text)
  if (fault !== undefined) throw invalid(field, fault)
  return text
}

/**
 * Returns a pattern of LIKE with adjacent wildcards merged.
 *
 * @throws {Problem} feature/invalid if it is too long, has too many wildcards, or ends within an escape
 */
export function checkPattern(
  field: Pick<FieldType, 'keyname'>,
  text: string,
  options: Pick<LikeOptions, 'hasEscapes'>,
): string {
  const checked = checkLikePattern(checkText(field, text), options)
  if ('fault' in checked)
    throw problem('feature/invalid', `field "${field.keyname}": ${checked.fault}`, {
      data: { field: field.keyname },
    })
  return checked.pattern
}

function parseInteger(field: FieldType, value: unknown): FieldValue {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
    return refuse(field, value, 'a string of digits, as numbers beyond 2^53 are rounded')
  const { parse, print } = datatypeCodecs[field.datatype]
  const parsed = parse(numeralOf(value) ?? '')
  return parsed === undefined ? refuse(field, value) : print(parsed)
}

function parseReal(field: FieldType, value: unknown): FieldValue {
  const parsed = typeof value === 'number' ? value : datatypeCodecs.REAL.parse(numeralOf(value) ?? '')
  return Number.isFinite(parsed) ? (parsed as number) : refuse(field, value)
}

/** Returns the numeral of a number, or of a string that may hold one. */
function numeralOf(value: unknown): string | undefined {
  if (value instanceof LongNumber) return value.digits
  if (typeof value === 'string') return trimValue('REAL', value)
  return typeof value === 'number' ? String(value) : undefined
}

function refuse(field: FieldType, value: unknown, expected = datatypeCodecs[field.datatype].expected): never {
  const shown = JSON.stringify(value) ?? String(value)
  throw invalid(field, `is ${shown.slice(0, 80)}, expected ${expected}`)
}

function invalid({ keyname }: Pick<FieldType, 'keyname'>, reason: string): Problem {
  return problem('feature/invalid', `field "${keyname}" ${reason}`, { data: { field: keyname } })
}

/** Part of a date or time. */
type Unit = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second'

const units: Readonly<Record<TemporalType, readonly Unit[]>> = {
  DATE: ['year', 'month', 'day'],
  TIME: ['hour', 'minute', 'second'],
  DATETIME: ['year', 'month', 'day', 'hour', 'minute', 'second'],
}

/** Datatypes of dates and times. */
export type TemporalType = 'DATE' | 'TIME' | 'DATETIME'

/** Returns whether a datatype is a date or time. */
export function isTemporalType(type: string): type is TemporalType {
  return Object.hasOwn(units, type)
}

/** Returns the parts of a datatype, in the order they are written in. */
export function temporalUnits(type: TemporalType): readonly Unit[] {
  return units[type]
}

/**
 * Parses a date or time from a string or an object of its parts. Other members are ignored, because GDAL sends all six
 * parts for a date.
 *
 * @returns an ISO 8601 string without time zone: `2020-01-02`, `10:00:00`, `2020-01-02T10:00:00`; undefined if the value
 * does not match the datatype
 */
function findTemporalText(value: unknown, type: TemporalType): string | undefined {
  const text = typeof value === 'string' ? trimValue(type, value) : textOfParts(value, type)
  const { parse, print } = datatypeCodecs[type]
  const parsed = text === undefined ? undefined : parse(text)
  return parsed === undefined ? undefined : print(parsed)
}

function textOfParts(value: unknown, type: TemporalType): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const members = value as Readonly<Record<string, unknown>>
  if (!units[type].every((unit) => Number.isInteger(members[unit]))) return undefined
  const [date, time] = [dateUnits, timeUnits].map((names) =>
    names.map((unit) => String(members[unit]).padStart(unit === 'year' ? 4 : 2, '0')),
  ) as [string[], string[]]
  if (type === 'DATE') return date.join('-')
  return type === 'TIME' ? time.join(':') : `${date.join('-')}T${time.join(':')}`
}

const dateUnits = units.DATE
const timeUnits = units.TIME
