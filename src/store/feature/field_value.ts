import { datatypeCodecs } from '../../contract/datatype_codec.ts'
import type { Datatype } from '../../contract/geometry.ts'
import { problem } from '../../contract/problems.ts'
import { LongNumber } from '../../core/long_number.ts'
import type { Problem } from '../../core/problem.ts'
import { findTemporalText, isTemporalType } from './temporal_value.ts'

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

/**
 * Parses the operand of a comparison with a field. Integers may be compared with any number.
 *
 * @throws {Problem} feature/invalid naming the field
 */
export function parseOperand(field: FieldType, text: string): string {
  const { datatype } = field
  if (datatype === 'STRING') return checkText(field, text)
  if (isTemporalType(datatype)) return findTemporalText(text, datatype) ?? refuse(field, text)
  const numeral = text.trim()
  return datatypeCodecs.REAL.parse(numeral) === undefined ? refuse(field, text, 'a number') : numeral
}

/** Returns the SQL type in which a field is compared with a parsed operand. */
export function operandType(datatype: Datatype): string {
  const types = { INTEGER: 'numeric', BIGINT: 'numeric', REAL: 'double precision', STRING: 'text' } as const
  if (isTemporalType(datatype)) return { DATE: 'date', TIME: 'time', DATETIME: 'timestamp' }[datatype]
  return types[datatype]
}

/**
 * Returns a string if PostgreSQL can store it.
 *
 * @throws {Problem} feature/invalid
 */
export function checkText(field: Pick<FieldType, 'keyname'>, text: string): string {
  if (datatypeCodecs.STRING.parse(text) === undefined)
    throw invalid(field, 'holds a character that cannot be stored')
  return text
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
  if (typeof value === 'string') return value.trim()
  return typeof value === 'number' ? String(value) : undefined
}

function refuse(field: FieldType, value: unknown, expected = datatypeCodecs[field.datatype].expected): never {
  const shown = JSON.stringify(value) ?? String(value)
  throw invalid(field, `is ${shown.slice(0, 80)}, expected ${expected}`)
}

function invalid({ keyname }: Pick<FieldType, 'keyname'>, reason: string): Problem {
  return problem('feature/invalid', `field "${keyname}" ${reason}`, { data: { field: keyname } })
}
