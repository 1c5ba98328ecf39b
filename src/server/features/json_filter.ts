import { problem } from '../../contract/problems.ts'
import { findHint } from '../../core/suggest.ts'
import { createBindings } from '../../store/feature/feature_sql.ts'
import {
  type Comparison,
  expressionSql,
  type FilterExpression,
  type Operand,
} from '../../store/feature/filter_expression.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'

/** Maximum nesting of conditions, and maximum number of conditions and values. */
const limits = { depth: 32, parts: 1000 }

const comparisons: Readonly<Record<string, Comparison>> = {
  '==': '=',
  '!=': '<>',
  '>': '>',
  '>=': '>=',
  '<': '<',
  '<=': '<=',
}

const operators = [
  'all',
  'any',
  ...Object.keys(comparisons),
  'in',
  '!in',
  'is_null',
  '!is_null',
  'has',
  '!has',
  'ilike',
  '!ilike',
]

/**
 * Reads a filter such as `["all", ["==", ["get", "kind"], "road"], [">", ["fid"], 7]]`; undefined for an empty one.
 *
 * @param name parameter that errors name
 * @throws {Problem} request/invalid, feature/invalid for a value of the wrong type
 */
export function readJsonFilter(layer: Layer, name: string, text: string): FilterExpression | undefined {
  const expression = new FilterReader(layer, name).read(text)
  // Fields and types of values are checked where SQL is made of them.
  if (expression !== undefined) expressionSql(layer, expression, createBindings())
  return expression
}

class FilterReader {
  readonly #fields: readonly string[]
  readonly #name: string
  #parts = 0

  constructor({ fields }: Layer, name: string) {
    this.#fields = fields.map(({ keyname }) => keyname)
    this.#name = name
  }

  read(text: string): FilterExpression | undefined {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      throw this.#refuse('expected JSON')
    }
    return value === null || isEmptyList(value) ? undefined : this.#condition(value, 0)
  }

  #condition(value: unknown, depth: number): FilterExpression {
    if (depth > limits.depth)
      throw this.#refuse(`conditions are nested more than ${limits.depth} levels deep`)
    this.#count()
    if (!Array.isArray(value)) throw this.#refuse(`expected a condition, got ${show(value)}`)
    const [operator, ...operands] = value as readonly unknown[]
    if (operator === 'all' || operator === 'any') {
      const items = operands.flatMap((one) => (isEmptyList(one) ? [] : [this.#condition(one, depth + 1)]))
      return { kind: operator === 'all' || items.length === 0 ? 'and' : 'or', items }
    }
    if (typeof operator !== 'string' || !operators.includes(operator)) throw this.#unknownOperator(operator)
    const isUnary = /^!?(?:is_null|has)$/.test(operator)
    if (operands.length !== (isUnary ? 1 : 2))
      throw this.#refuse(`${show(operator)} has ${isUnary ? 'one operand' : 'two operands'}`)
    return this.#compare(operator, this.#operand(operands[0]), operands[1])
  }

  #compare(operator: string, left: Operand, value: unknown): FilterExpression {
    const comparison = comparisons[operator]
    if (comparison !== undefined) {
      if (value !== null || !/^[=!]=$/.test(operator)) return this.#comparison(comparison, left, value)
      return operator === '==' ? this.#isNull(left) : { kind: 'not', item: this.#isNull(left) }
    }
    if (operator === 'is_null' || operator === '!has') return this.#isNull(left)
    if (operator === '!is_null' || operator === 'has') return { kind: 'not', item: this.#isNull(left) }
    const item = operator.endsWith('in') ? this.#isIn(left, value) : this.#isLike(left, value)
    return operator.startsWith('!') ? { kind: 'not', item } : item
  }

  #comparison(operator: Comparison, left: Operand, value: unknown): FilterExpression {
    const right = { literal: this.#literal(value) }
    return { kind: 'compare', operator, left, right, matchCase: true }
  }

  #isNull(operand: Operand): FilterExpression {
    // Features always have an id.
    return 'field' in operand ? { kind: 'null', field: operand.field } : { kind: 'or', items: [] }
  }

  #isIn(left: Operand, values: unknown): FilterExpression {
    if (!Array.isArray(values)) throw this.#refuse(`expected a list of values, got ${show(values)}`)
    const items = values.map((value) => this.#comparison('=', left, value))
    return { kind: 'or', items }
  }

  #isLike(left: Operand, value: unknown): FilterExpression {
    if (!('field' in left)) throw this.#refuse('"ilike" needs a field')
    return { kind: 'like', field: left.field, pattern: this.#literal(value), matchCase: false }
  }

  #operand(value: unknown): Operand {
    const [word, name, ...more] = Array.isArray(value) ? (value as readonly unknown[]) : []
    if (word === 'fid' && name === undefined) return { isId: true }
    if (word !== 'get' || typeof name !== 'string' || more.length > 0)
      throw this.#refuse(`expected ["get", "field"] or ["fid"], got ${show(value)}`)
    if (this.#fields.includes(name)) return { field: name }
    if (name === 'id') return { isId: true }
    throw this.#refuse(`the layer has no field ${show(name)}`, findHint(name, this.#fields))
  }

  #literal(value: unknown): string {
    this.#count()
    if (typeof value === 'string') return value
    if (typeof value === 'number' && Number.isFinite(value)) return String(value)
    throw this.#refuse(`expected a string or a number, got ${show(value)}`)
  }

  #count(): void {
    this.#parts += 1
    if (this.#parts > limits.parts)
      throw this.#refuse(`the filter has more than ${limits.parts} conditions and values`)
  }

  #unknownOperator(operator: unknown) {
    const hint = typeof operator === 'string' ? findHint(operator, operators) : undefined
    return this.#refuse(`unknown operator ${show(operator)}, expected ${operators.join(', ')}`, hint)
  }

  #refuse(message: string, hint?: string) {
    return problem('request/invalid', `${this.#name}: ${message}.`, {
      data: { location: ['query', this.#name] },
      ...(hint === undefined ? {} : { hint }),
    })
  }
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
