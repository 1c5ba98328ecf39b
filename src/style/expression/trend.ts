import type { BinaryOperation, Call, Expression } from './expression.ts'

/** A field on which an expression depends: with its value, that of the expression rises, or falls, or stays. */
export interface Trend {
  readonly name: string
  readonly isRising: boolean
}

/** Functions that rise with each of their operands. */
const rising: readonly string[] = [
  ...['coalesce', 'to_real', 'to_int', 'round', 'floor', 'ceil', 'sqrt', 'exp', 'ln', 'log10'],
  ...['min', 'max', 'clamp'],
]

/** Functions whose first operand is mapped from a range to one between the fourth and fifth. */
const scales: readonly string[] = ['scale_linear', 'scale_exp']

/**
 * Returns the only field of an expression if a higher value of it never gives a lower value, or never a higher one. Undefined for
 * other expressions, and those of which it is not known. Bases of powers are taken as positive.
 */
export function trendOf(expression: Expression): Trend | undefined {
  switch (expression.op) {
    case 'field':
      return { name: expression.name, isRising: true }
    case 'negate':
      return turned(trendOf(expression.operand), -1)
    case 'binary':
      return trendOfOperation(expression)
    case 'call':
      return trendOfCall(expression)
    default:
      return undefined
  }
}

function trendOfOperation({ operator, left, right }: BinaryOperation): Trend | undefined {
  const [before, after] = [numberOf(left), numberOf(right)]
  if (before !== undefined) {
    const factor = { '+': 1, '-': -1, '*': before }[operator as string]
    return factor === undefined ? undefined : turned(trendOf(right), factor)
  }
  if (after === undefined) return undefined
  const factor = { '+': 1, '-': 1, '*': after, '/': after, '^': after }[operator as string]
  return factor === undefined ? undefined : turned(trendOf(left), factor)
}

function trendOfCall({ name, operands }: Call): Trend | undefined {
  const [first] = operands
  if (first !== undefined && scales.includes(name)) {
    const [, from, to, low, high, ...exponents] = operands.map(numberOf)
    const isKnown = from !== undefined && to !== undefined && !exponents.includes(undefined)
    return isKnown && low !== undefined && high !== undefined ? turned(trendOf(first), high - low) : undefined
  }
  const variable = operands.filter((operand) => operand.op !== 'literal')
  const [only] = variable
  return rising.includes(name) && variable.length === 1 && only !== undefined ? trendOf(only) : undefined
}

/** Returns the trend times a factor. */
function turned(trend: Trend | undefined, factor: number): Trend | undefined {
  if (trend === undefined || factor === 0) return undefined
  return factor > 0 ? trend : { ...trend, isRising: !trend.isRising }
}

function numberOf(expression: Expression): number | undefined {
  if (expression.op === 'literal') return typeof expression.value === 'number' ? expression.value : undefined
  const number = expression.op === 'negate' ? numberOf(expression.operand) : undefined
  return number && -number
}
