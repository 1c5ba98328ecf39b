import type { Value } from './expression.ts'
import { countExpressionWork } from './expression_work.ts'

class EvaluationFault extends Error {}

/** Thrown where QGIS reports an evaluation error; the value of the whole expression is then null. */
export const evaluationFault: Error = new EvaluationFault('the expression has no value')

/** Maximum length of strings, so that nested calls cannot exhaust the memory. */
export const maxTextLength = 100_000

/** Returns an attribute of a feature as a value; null if it is neither a string, a number nor a boolean. */
export function attributeValue(attribute: unknown): Value {
  if (typeof attribute === 'string' || typeof attribute === 'boolean') return attribute
  if (typeof attribute === 'number') return Number.isNaN(attribute) ? null : attribute
  return typeof attribute === 'bigint' ? Number(attribute) : null
}

/** Converts a value to a string as QGIS does: 7.0 is `7`, 1e20 is `1e+20`. */
export function textOf(value: Exclude<Value, null>): string {
  return typeof value === 'number' ? formatNumber(value) : String(value)
}

/** Least number that is no longer a 64-bit integer. */
const integerLimit = 2 ** 63

function formatNumber(value: number): string {
  const size = Math.abs(value)
  if (size === 0) return '0'
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf'
  if (Number.isSafeInteger(value)) return String(value)
  if (size >= 1e-4 && size < integerLimit)
    return Number.isInteger(value) ? BigInt(value).toString() : String(value)
  return value.toExponential().replace(/e([-+])(\d)$/, 'e$10$2')
}

const numberPattern = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/i

/** Returns the number of a value that is a number or a string of one; undefined for others. */
export function findNumber(value: Value): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && numberPattern.test(value) ? Number(value) : undefined
}

/** Converts a value to a number; booleans are 0 and 1. Throws `evaluationFault` for strings that are not numbers. */
export function numberOf(value: Exclude<Value, null>): number {
  const number = typeof value === 'boolean' ? Number(value) : findNumber(value)
  if (number === undefined) throw evaluationFault
  return number
}

/** Converts a value to a truth value; null is unknown. Throws `evaluationFault` for strings that are not numbers. */
export function truthOf(value: Value): boolean | null {
  return value === null ? null : numberOf(value) !== 0
}

/** Reports whether the value of a filter selects a feature: numbers are rounded, and strings must be integers. */
export function isSelected(value: Value): boolean {
  if (typeof value === 'string') return /^\s*[-+]?\d+\s*$/.test(value) && Number(value) !== 0
  return value !== null && Math.round(Number(value)) !== 0
}

/** Difference below which numbers are equal, as in QGIS. */
export const tolerance = 4 * Number.EPSILON

/**
 * Compares two values: negative, zero or positive. Numerically if both are numbers or strings of numbers and one is a
 * number, else as strings.
 */
export function compareValues(one: Exclude<Value, null>, other: Exclude<Value, null>): number {
  if (typeof one === 'string' && typeof other === 'string') return compareTexts(one, other)
  const [a, b] = [findNumber(one), findNumber(other)]
  if (a === undefined || b === undefined) return compareTexts(textOf(one), textOf(other))
  return a === b || Math.abs(a - b) <= tolerance ? 0 : a - b
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

/** Returns a string of a limited length. Throws `evaluationFault` if it is longer. */
export function limitText(text: string): string {
  countExpressionWork(text.length >> 4)
  if (text.length > maxTextLength) throw evaluationFault
  return text
}
