import type { Expression } from './expression.ts'
import { numberFunction } from './expression_functions.ts'

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
export type Filter = Comparison | Membership | Match | Combination | Negation

/**
 * Returns a filter as an expression. A null or missing value is an empty string, which is unequal to every number and
 * neither less nor greater.
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
  const left = call(numberFunction, { op: 'field', name: field })
  return call(
    'coalesce',
    { op: 'binary', operator, left, right: literal(value) },
    literal(op === 'ne' ? 1 : 0),
  )
}

const textOf = (name: string): Expression =>
  call('coalesce', call('to_string', { op: 'field', name }), literal(''))

const call = (name: string, ...operands: readonly Expression[]): Expression => ({
  op: 'call',
  name,
  operands,
})

const literal = (value: string | number): Expression => ({ op: 'literal', value })
