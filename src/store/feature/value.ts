import type { Datatype } from '../../contract/geometry.ts'
import { problem } from '../../contract/problems.ts'
import { LongNumber } from '../../core/long_number.ts'
import type { Problem } from '../../core/problem.ts'
import { findMoment, isMomentType } from './moment.ts'

/** A value as it is bound: whole numbers beyond 2^53 and moments are text. */
export type FieldValue = string | number | null

/** What a value is for. */
export interface FieldType {
  readonly keyname: string
  readonly datatype: Datatype
}

/** Largest whole number that JSON readers keep exactly, and the end of BIGINT. */
const limits = { INTEGER: [-(2n ** 31n), 2n ** 31n - 1n], BIGINT: [-(2n ** 63n), 2n ** 63n - 1n] } as const

/**
 * Reads the value a request gives a field.
 *
 * @throws {Problem} feature/invalid naming the field, where the value is not of its datatype
 */
export function parseFieldValue(field: FieldType, value: unknown): FieldValue {
  if (value === null || value === undefined) return null
  const { datatype } = field
  if (datatype === 'INTEGER' || datatype === 'BIGINT') return parseInteger(field, value)
  if (datatype === 'REAL') return parseReal(field, value)
  if (isMomentType(datatype)) return findMoment(value, datatype) ?? refuse(field, value, article(datatype))
  if (typeof value !== 'string') return refuse(field, value, 'a text')
  return checkText(field, value)
}

/**
 * Reads a text that a field is compared with. Numbers of any kind may be compared with a whole number.
 *
 * @throws {Problem} feature/invalid naming the field
 */
export function parseOperand(field: FieldType, text: string): string {
  const { datatype } = field
  if (datatype === 'STRING') return checkText(field, text)
  if (isMomentType(datatype)) return findMoment(text, datatype) ?? refuse(field, text, article(datatype))
  return numeral.test(text.trim()) ? text.trim() : refuse(field, text, 'a number')
}

/** Type in which a field is compared with what `parseOperand` gave. */
export function operandType(datatype: Datatype): string {
  const types = { INTEGER: 'numeric', BIGINT: 'numeric', REAL: 'double precision', STRING: 'text' } as const
  if (isMomentType(datatype)) return { DATE: 'date', TIME: 'time', DATETIME: 'timestamp' }[datatype]
  return types[datatype]
}

/**
 * Checks a text against what PostgreSQL can hold.
 *
 * @throws {Problem} feature/invalid
 */
export function checkText(field: Pick<FieldType, 'keyname'>, text: string): string {
  if (text.includes('\0') || !text.isWellFormed())
    throw invalid(field, 'holds a character that cannot be stored')
  return text
}

const numeral = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i

function parseInteger(field: FieldType, value: unknown): FieldValue {
  const expected = `a whole number of ${field.datatype === 'INTEGER' ? 32 : 64} bits`
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
    return refuse(field, value, 'a text of digits, as numbers beyond 2^53 lose some on the way')
  const text = textOfNumber(value)
  if (text === undefined || !/^[+-]?\d{1,19}(\.0*)?$/.test(text)) return refuse(field, value, expected)
  const whole = BigInt(text.replace(/^\+|\.0*$/g, ''))
  const [lowest, highest] = limits[field.datatype === 'INTEGER' ? 'INTEGER' : 'BIGINT']
  if (whole < lowest || whole > highest) return refuse(field, value, expected)
  return whole.toString()
}

function parseReal(field: FieldType, value: unknown): FieldValue {
  const text = typeof value === 'number' ? undefined : textOfNumber(value)
  const isNumeral = text !== undefined && numeral.test(text)
  const number = typeof value === 'number' || isNumeral ? Number(text ?? value) : Number.NaN
  return Number.isFinite(number) ? number : refuse(field, value, 'a finite number')
}

/** The digits of what is a number, or may be the text of one. */
function textOfNumber(value: unknown): string | undefined {
  if (value instanceof LongNumber) return value.digits
  if (typeof value === 'string') return value.trim()
  return typeof value === 'number' ? String(value) : undefined
}

const article = (datatype: Datatype) =>
  ({ DATE: 'a date, such as 2020-01-31', TIME: 'a time, such as 23:59:59' })[datatype as 'DATE' | 'TIME'] ??
  'a date and time, such as 2020-01-31T23:59:59'

function refuse(field: FieldType, value: unknown, expected: string): never {
  const shown = JSON.stringify(value) ?? String(value)
  throw invalid(field, `is ${shown.slice(0, 80)}, expected ${expected}`)
}

function invalid({ keyname }: Pick<FieldType, 'keyname'>, reason: string): Problem {
  return problem('feature/invalid', `field "${keyname}" ${reason}`, { data: { field: keyname } })
}
