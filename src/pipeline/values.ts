import type { Datatype } from '../contract/geometry.ts'

/** Says why a text is not a value of the datatype, or gives undefined where it is one. */
type TextCheck = (text: string) => string | undefined

const checks: Readonly<Record<Datatype, TextCheck>> = {
  INTEGER: (text) => checkInteger(text, -2147483648n, 2147483647n),
  BIGINT: (text) => checkInteger(text, -9223372036854775808n, 9223372036854775807n),
  REAL: (text) => (isNumber(text) ? undefined : `"${text}" is not a number`),
  STRING: (text) => (text.includes('\0') ? 'text holds a NUL character' : undefined),
  DATE: (text) => (isDate(text) ? undefined : `"${text}" is not a date of the form YYYY-MM-DD`),
  TIME: (text) => (isTime(text) ? undefined : `"${text}" is not a time of the form HH:MM:SS`),
  DATETIME: (text) => (isDateTime(text) ? undefined : `"${text}" is not of the form YYYY-MM-DDTHH:MM:SS`),
}

/** Says why a text is not a value of a datatype, or gives undefined where it is one. The empty text is no value. */
export function checkText(datatype: Datatype, text: string): string | undefined {
  return checks[datatype](text)
}

function checkInteger(text: string, least: bigint, most: bigint): string | undefined {
  if (!/^[+-]?\d+$/.test(text)) return `"${text}" is not a whole number`
  // Up to fifteen digits a double is exact, and much faster than a bigint.
  const value = text.length <= 15 ? Number(text) : BigInt(text)
  return value < least || value > most ? `${text} is out of range` : undefined
}

function isNumber(text: string): boolean {
  return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text) && Number.isFinite(Number(text))
}

function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (parts === null) return false
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number]
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month)
}

function daysOf(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

function isTime(text: string): boolean {
  return /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/.test(text)
}

function isDateTime(text: string): boolean {
  const at = text[10] === 'T' || text[10] === ' ' ? 10 : -1
  return at === 10 && isDate(text.slice(0, 10)) && isTime(text.slice(11))
}
