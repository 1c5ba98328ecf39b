import type { Value } from './expression.ts'
import { compareValues, evaluationFault, limitText, numberOf, textOf } from './expression_value.ts'
import { countExpressionWork } from './expression_work.ts'
import { compileLinearPattern, maxSearchLength } from './linear_pattern.ts'

/** A function of expressions. */
export interface ExpressionFunction {
  readonly name: string
  /** Least and most number of operands. */
  readonly least: number
  readonly most: number
}

/** Evaluates a call; operands are evaluated when they are needed. */
export type EvaluateCall = (operands: readonly (() => Value)[]) => Value

type Present = Exclude<Value, null>

interface Definition {
  readonly arity: readonly [least: number, most: number]
  readonly call: EvaluateCall
}

/** A function whose value is null if an operand is null. */
function strict(
  count: number | readonly [least: number, most: number],
  call: (...operands: Present[]) => Value,
): Definition {
  const arity = typeof count === 'number' ? ([count, count] as const) : count
  return {
    arity,
    call: (operands: readonly (() => Value)[]) => {
      const values: Present[] = []
      for (const operand of operands) {
        const value = operand()
        if (value === null) return null
        values.push(value)
      }
      return call(...values)
    },
  }
}

const numeric = (count: number, call: (...operands: number[]) => number) =>
  strict(count, (...operands) => call(...operands.map(numberOf)))

const any = Number.POSITIVE_INFINITY

/** Function that expressions cannot name: the number at the start of a value, or 0, as in MapServer. */
export const numberFunction = '#number'

const definitions: Readonly<Record<string, Definition>> = {
  [numberFunction]: strict(1, leadingNumber),
  coalesce: {
    arity: [0, any],
    call: (operands) => {
      for (const operand of operands) {
        const value = operand()
        if (value !== null) return value
      }
      return null
    },
  },
  if: {
    arity: [3, 3],
    call: ([condition, then, otherwise]) => {
      const value = condition?.() ?? null
      return (value !== null && numberOf(value) !== 0 ? then : otherwise)?.() ?? null
    },
  },
  nullif: {
    arity: [2, 2],
    call: (operands) => {
      const [value = null, other = null] = operands.map((operand) => operand())
      return value !== null && other !== null && compareValues(value, other) === 0 ? null : value
    },
  },
  to_string: strict(1, (value) => textOf(value)),
  to_int: strict(1, (value) => integerOf(value)),
  to_real: strict(1, (value) => numberOf(value)),
  upper: text(1, (value) => value.toUpperCase()),
  lower: text(1, (value) => value.toLowerCase()),
  title: text(1, (value) =>
    value
      .toLowerCase()
      .replaceAll(/(^|[^\p{L}\p{M}\d'])(\p{L})/gu, (_, before, letter) => before + letter.toUpperCase()),
  ),
  trim: text(1, (value) => value.trim()),
  length: strict(1, (value) => textOf(value).length),
  substr: strict([2, 3], (value, from, length) => substring(textOf(value), from, length)),
  replace: text(3, replaceAll),
  left: strict(2, (value, count) => cut(textOf(value), integerOf(count), 'start')),
  right: strict(2, (value, count) => cut(textOf(value), integerOf(count), 'end')),
  lpad: strict(3, (value, width, fill) => pad(value, [width, fill], 'start')),
  rpad: strict(3, (value, width, fill) => pad(value, [width, fill], 'end')),
  strpos: strict(2, (value, part) => limitText(textOf(value)).indexOf(textOf(part)) + 1),
  concat: {
    arity: [0, any],
    call: (operands) => {
      const present = operands.map((operand) => operand()).filter((value) => value !== null)
      return present.length === 0
        ? null
        : present.reduce((whole: string, value) => limitText(whole + textOf(value)), '')
    },
  },
  // Calls are representations, which know the labels of a field.
  represent_value: { arity: [1, 2], call: () => null },
  regexp_match: strict(2, (value, pattern) => findPattern(textOf(value), textOf(pattern))),
  round: strict([1, 2], (value, places) =>
    round(numberOf(value), places === undefined ? 0 : integerOf(places)),
  ),
  floor: numeric(1, (value) => Math.floor(value)),
  ceil: numeric(1, (value) => Math.ceil(value)),
  abs: numeric(1, (value) => Math.abs(value)),
  sqrt: numeric(1, (value) => Math.sqrt(value)),
  exp: numeric(1, (value) => Math.exp(value)),
  ln: strict(1, (value) => logarithm(numberOf(value))),
  log10: strict(1, (value) => logarithm(numberOf(value), 10)),
  log: strict(2, (base, value) => logarithm(numberOf(value), numberOf(base))),
  sin: numeric(1, (value) => Math.sin(value)),
  cos: numeric(1, (value) => Math.cos(value)),
  tan: numeric(1, (value) => Math.tan(value)),
  radians: numeric(1, (value) => (value * Math.PI) / 180),
  degrees: numeric(1, (value) => (value * 180) / Math.PI),
  pi: { arity: [0, 0], call: () => Math.PI },
  min: extreme(Math.min),
  max: extreme(Math.max),
  clamp: numeric(3, (least, value, most) => (value <= least ? least : Math.min(value, most))),
  scale_linear: numeric(5, (...operands) => interpolate(operands)),
  scale_exp: numeric(6, (...operands) => interpolate(operands)),
  year: datePart(1),
  month: datePart(2),
  day: datePart(3),
  hour: datePart(4),
  minute: datePart(5),
  second: datePart(6),
}

/** Older names of functions. */
const aliases: Readonly<Record<string, string>> = {
  tostring: 'to_string',
  toint: 'to_int',
  toreal: 'to_real',
}

/** Finds a function by its name, which is not case-sensitive. */
export function findFunction(name: string): ExpressionFunction | undefined {
  const folded = name.toLowerCase()
  const known = Object.hasOwn(aliases, folded) ? (aliases[folded] ?? folded) : folded
  const definition = Object.hasOwn(definitions, known) ? definitions[known] : undefined
  return definition && { name: known, least: definition.arity[0], most: definition.arity[1] }
}

/** Returns the function of a `Call`. */
export function callOf(name: string): EvaluateCall {
  const definition = Object.hasOwn(definitions, name) ? definitions[name] : undefined
  return definition?.call ?? (() => null)
}

function text(count: number, call: (...operands: string[]) => string): Definition {
  return strict(count, (...operands) => limitText(call(...operands.map(textOf))))
}

function leadingNumber(value: Present): number {
  if (typeof value !== 'string') return Number(value)
  return Number(/^\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)/i.exec(value)?.[1] ?? 0)
}

/** Rounds halves up, as QGIS converts numbers to integers; strings must be integers. */
function integerOf(value: Present): number {
  if (typeof value === 'string' && !/^\s*[-+]?\d+\s*$/.test(value)) throw evaluationFault
  return Math.floor(numberOf(value) + 0.5)
}

function round(value: number, places: number): number {
  const factor = 10 ** places
  const scaled = Math.abs(value) * factor
  return Number.isFinite(scaled) && factor > 0
    ? (Math.sign(value) * Math.floor(scaled + 0.5)) / factor
    : value
}

/** Counts from 1; a negative start counts from the end, a negative length leaves characters out at the end. */
function substring(value: string, from: Present, length: Present | undefined): string {
  const first = integerOf(from)
  const start = first < 0 ? Math.max(0, value.length + first) : Math.max(0, first - 1)
  const count = length === undefined ? any : integerOf(length)
  return value.slice(start, count < 0 ? Math.max(start, value.length + count) : start + count)
}

/** A negative count returns the whole text. */
function cut(value: string, count: number, side: 'start' | 'end'): string {
  if (count < 0 || count >= value.length) return value
  return side === 'start' ? value.slice(0, count) : value.slice(value.length - count)
}

/** Fills with the first character only, and cuts longer texts at the end. */
function pad(value: Present, [width, fill]: readonly [Present, Present], side: 'start' | 'end'): string {
  const [content, size, first] = [textOf(value), Math.max(0, integerOf(width)), textOf(fill).slice(0, 1)]
  if (size > content.length && limitSize(size) && first !== '')
    return side === 'start' ? content.padStart(size, first) : content.padEnd(size, first)
  return content.slice(0, size)
}

function limitSize(size: number): boolean {
  if (size > 1000) throw evaluationFault
  return true
}

/** Refuses a result that is too long before it is made. */
function replaceAll(value = '', part = '', replacement = ''): string {
  countExpressionWork(2 * value.length)
  const pieces = part === '' ? ['', ...value, ''] : value.split(part)
  const length = value.length + (pieces.length - 1) * (replacement.length - part.length)
  if (length > 1_000_000) throw evaluationFault
  return pieces.join(replacement)
}

function findPattern(value: string, pattern: string): number {
  const search = searchOf(pattern)
  if (search === undefined) throw evaluationFault
  // Each character is compared with each part of the pattern, in the worst case.
  countExpressionWork(Math.min(value.length, maxSearchLength) * pattern.length)
  return search(value) + 1
}

const searches = new Map<string, ReturnType<typeof compileLinearPattern>>()

/** Compiles a pattern, with a small cache: most patterns are literals. */
function searchOf(pattern: string): ReturnType<typeof compileLinearPattern> {
  if (searches.has(pattern)) return searches.get(pattern)
  countExpressionWork(pattern.length)
  if (searches.size >= 100) searches.clear()
  const search = compileLinearPattern(pattern, { ignoresCase: false })
  searches.set(pattern, search)
  return search
}

function logarithm(value: number, base = Math.E): number | null {
  if (value <= 0 || base <= 0) return null
  if (base === 10) return Math.log10(value)
  return base === Math.E ? Math.log(value) : Math.log(value) / Math.log(base)
}

/** Null operands do not count. */
function extreme(choose: (...values: number[]) => number): Definition {
  return {
    arity: [0, any],
    call: (operands) => {
      const present = operands.map((operand) => operand()).filter((value) => value !== null)
      return present.length === 0 ? null : present.map(numberOf).reduce((one, other) => choose(one, other))
    },
  }
}

/** Maps a value from one range to another, both given by their bounds, with an exponent. */
function interpolate([
  value = 0,
  from = 0,
  to = 0,
  low = 0,
  high = 0,
  exponent = 1,
]: readonly number[]): number {
  if (from >= to || exponent <= 0) throw evaluationFault
  if (value <= from) return low
  return value >= to ? high : ((value - from) / (to - from)) ** exponent * (high - low) + low
}

const datePattern =
  /^\s*(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?:Z|[-+]\d\d:?\d\d)?)?\s*$/

/** Reads a part of an ISO 8601 date or date with time; null if it has no time. */
function datePart(index: number): Definition {
  return strict(1, (value) => {
    const match = datePattern.exec(textOf(value))
    if (match === null) throw evaluationFault
    const part = match[index]
    return part === undefined ? null : Number(part)
  })
}
