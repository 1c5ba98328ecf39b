import type { Expression } from '../expression/expression.ts'
import { numberFunction } from '../expression/expression_functions.ts'

/** Compares a field with a value: numerically if the value is a number, else as strings. */
export interface Comparison {
  readonly op: 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'
  readonly field: string
  readonly value: string | number
}

/** Matches if the field, as a string, is one of the values. */
export interface Membership {
  readonly op: 'in'
  readonly field: string
  readonly values: readonly string[]
}

/** Matches if a regular expression matches the field, as a string. */
export interface Match {
  readonly op: 'matches'
  readonly field: string
  readonly pattern: string
  readonly ignoreCase: boolean
}

/** Value of a field, constant, function or arithmetic operation. A text is compared as a string, all others as numbers. */
export type Operand =
  | { readonly kind: 'field'; readonly name: string; readonly isText: boolean }
  | { readonly kind: 'literal'; readonly value: string | number }
  | { readonly kind: 'call'; readonly name: 'length' | 'upper' | 'lower'; readonly operand: Operand }
  | {
      readonly kind: 'arithmetic'
      readonly operator: '+' | '-' | '*' | '/' | '%'
      readonly left: Operand
      readonly right: Operand
    }

/** Compares two operands, of which one is not a field or the other not a constant. */
export interface Computation {
  readonly op: 'computed'
  readonly comparison: Comparison['op']
  readonly left: Operand
  readonly right: Operand
}

/** Matches if all (`and`) or any (`or`) of the filters match. */
export interface Combination {
  readonly op: 'and' | 'or'
  readonly filters: readonly Filter[]
}

/** Matches if the filter does not match. */
export interface Negation {
  readonly op: 'not'
  readonly filter: Filter
}

/** Condition that selects the features of a class. */
export type Filter = Comparison | Computation | Membership | Match | Combination | Negation

/**
 * Returns a filter as an expression. As in MapServer, a null or missing value is an empty string, and the number of a
 * string is that at its start, or 0.
 */
export function expressionOfFilter(filter: Filter): Expression {
  switch (filter.op) {
    case 'and':
    case 'or':
      return { op: filter.op, operands: filter.filters.map(expressionOfFilter) }
    case 'not':
      return { op: 'not', operand: expressionOfFilter(filter.filter) }
    case 'in':
      return { op: 'in', operand: textOf(filter.field), items: filter.values.map(literal), isNegated: false }
    case 'matches':
      return call(
        'regexp_match',
        textOf(filter.field),
        literal(`${filter.ignoreCase ? '(?i)' : ''}${filter.pattern}`),
      )
    case 'computed':
      return compute(filter)
    default:
      return compare(filter)
  }
}

const operators = { eq: '=', ne: '<>', lt: '<', le: '<=', gt: '>', ge: '>=' } as const

function compare({ op, field, value }: Comparison): Expression {
  const operator = operators[op]
  if (typeof value === 'string' && (op === 'eq' || op === 'ne'))
    return { op: 'in', operand: textOf(field), items: [literal(value)], isNegated: op === 'ne' }
  if (typeof value === 'string') return { op: 'binary', operator, left: textOf(field), right: literal(value) }
  return { op: 'binary', operator, left: numberOf(field), right: literal(value) }
}

function compute({ comparison, left, right }: Computation): Expression {
  const isText = [left, right].some(isTextual)
  const operands = [left, right].map((operand) => (isText ? textOperand(operand) : numberOperand(operand)))
  const [one = literal(0), other = literal(0)] = operands
  const compared: Expression = { op: 'binary', operator: operators[comparison], left: one, right: other }
  // A division by 0 has no value.
  return call('coalesce', compared, literal(0))
}

function isTextual(operand: Operand): boolean {
  if (operand.kind === 'field') return operand.isText
  if (operand.kind === 'literal') return typeof operand.value === 'string'
  return operand.kind === 'call' && operand.name !== 'length'
}

function textOperand(operand: Operand): Expression {
  if (operand.kind === 'field') return textOf(operand.name)
  if (operand.kind === 'call' && operand.name !== 'length')
    return call(operand.name, textOperand(operand.operand))
  return call('to_string', operand.kind === 'literal' ? literal(operand.value) : numberOperand(operand))
}

function numberOperand(operand: Operand): Expression {
  switch (operand.kind) {
    case 'field':
      return numberOf(operand.name)
    case 'literal':
      return call(numberFunction, literal(operand.value))
    case 'call':
      return operand.name === 'length'
        ? call('length', textOperand(operand.operand))
        : call(numberFunction, textOperand(operand))
    case 'arithmetic': {
      const [left, right] = [numberOperand(operand.left), numberOperand(operand.right)]
      return { op: 'binary', operator: operand.operator, left, right }
    }
  }
}

const numberOf = (name: string): Expression =>
  call('coalesce', call(numberFunction, { op: 'field', name }), literal(0))

const textOf = (name: string): Expression =>
  call('coalesce', call('to_string', { op: 'field', name }), literal(''))

const call = (name: string, ...operands: readonly Expression[]): Expression => ({
  op: 'call',
  name,
  operands,
})

const literal = (value: string | number): Expression => ({ op: 'literal', value })
