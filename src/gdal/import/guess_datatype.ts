import type { Datatype } from '../../contract/geometry.ts'
import { readAscii, type Value } from '../flatgeobuf/value.ts'
import { quickDay, quickInteger } from './quick_value.ts'
import { findConversion } from './value_convert.ts'

/**
 * Datatype of the strings of a column that were read so far. HUGE means integers that doubles cannot represent exactly.
 */
export interface Guess {
  kind: Datatype | 'HUGE' | undefined
}

/**
 * Adds a string of a column. Strings must not lose information: codes with leading zeros, telephone numbers with a plus
 * and numbers that are too long stay strings. GDAL drops the zeros and truncates the numbers.
 */
export function refineGuess(guess: Guess, value: Value): void {
  if (guess.kind === 'STRING') return
  const kind = kindOf(value)
  if (kind === undefined) return
  guess.kind = guess.kind === undefined ? kind : join(guess.kind, kind)
}

/** Returns the datatype that represents all strings that were read. */
export function guessedDatatype({ kind }: Guess): Datatype {
  return kind === 'HUGE' ? 'BIGINT' : (kind ?? 'STRING')
}

const ladder = ['INTEGER', 'BIGINT', 'REAL'] as const

function join(a: Datatype | 'HUGE', b: Datatype | 'HUGE'): Datatype | 'HUGE' {
  if (a === b) return a
  const pair = [a, b]
  if (pair.includes('HUGE')) return pair.includes('INTEGER') || pair.includes('BIGINT') ? 'HUGE' : 'STRING'
  if (pair.every((kind) => kind === 'DATE' || kind === 'DATETIME')) return 'DATETIME'
  const steps = pair.map((kind) => ladder.indexOf(kind as 'REAL'))
  return Math.min(...steps) < 0 ? 'STRING' : (ladder[Math.max(...steps)] ?? 'STRING')
}

const [blank, dot, minus, zero, nine] = [0x20, 0x2e, 0x2d, 0x30, 0x39]

function kindOf(value: Value): Datatype | 'HUGE' | undefined {
  const { bytes, at, size } = value
  if (size === 0) return undefined
  const first = bytes[at] as number
  if (first === blank) return isBlank(value) ? undefined : 'STRING'
  const isSigned = first === minus
  if (!isDigit(first) && !isSigned && first !== dot) return 'STRING'
  if (size === 10 && quickDay(value) !== undefined) return bytes[at + 4] === minus ? 'DATE' : 'STRING'
  const digitAt = isSigned ? at + 1 : at
  const isCode = bytes[digitAt] === zero && digitAt + 1 < at + size && isDigit(bytes[digitAt + 1] as number)
  const whole = isCode ? undefined : quickInteger(value)
  if (whole !== undefined) return whole === (whole | 0) ? 'INTEGER' : 'BIGINT'
  return kindOfOther(value, isCode)
}

/** Tried in order. */
const others: readonly { readonly kind: Datatype | 'HUGE'; readonly from: Datatype }[] = [
  { kind: 'HUGE', from: 'BIGINT' },
  { kind: 'REAL', from: 'REAL' },
  { kind: 'TIME', from: 'TIME' },
  { kind: 'DATETIME', from: 'DATETIME' },
]
const conversions = others.map(({ kind, from }) => ({ kind, convert: findConversion('STRING', from) }))
const maxOtherLength = 40
const maxIntegerLength = 15

function kindOfOther(value: Value, isCode: boolean): Datatype | 'HUGE' {
  if (value.size > maxOtherLength) return 'STRING'
  const found = conversions.find(({ convert }) => convert(value) !== undefined)?.kind ?? 'STRING'
  if (found === 'TIME' || found === 'DATETIME') return isPadded(value) ? found : 'STRING'
  // An integer beyond 64 bits would match as a double.
  const isWhole = found === 'REAL' && value.size > maxIntegerLength && isAllDigits(value)
  return isCode || isWhole ? 'STRING' : found
}

/** Tells whether the parts of a date or time have all their digits, and those of a date dashes: others may be codes. */
function isPadded(value: Value): boolean {
  return /^(\d{4}-\d\d-\d\d[T ])?\d\d:/.test(readAscii(value))
}

function isDigit(byte: number): boolean {
  return byte >= zero && byte <= nine
}

function isBlank({ bytes, at, size }: Value): boolean {
  return bytes.subarray(at, at + size).every((byte) => byte === blank)
}

function isAllDigits({ bytes, at, size }: Value): boolean {
  return bytes.subarray(at + 1, at + size).every(isDigit)
}
