import { equalityOf } from './expression/equality_index.ts'
import type { Expression } from './expression/expression.ts'
import { unwrapConversion } from './flat_rules.ts'
import { isInScale } from './match_rules.ts'
import type { Style } from './style_model.ts'

/** A comparison of a field with a number. */
export interface Bound {
  readonly name: string
  readonly operator: '<' | '<=' | '>' | '>='
  readonly value: number
}

/** The strings of which a field has one. */
export interface TextBound {
  readonly name: string
  readonly texts: readonly string[]
}

const operators: readonly string[] = ['<', '<=', '>', '>='] satisfies readonly Bound['operator'][]

/** Returns the first comparison of a field with a number that must be true where a condition is; undefined without one. */
export function boundOf(filter: Expression): Bound | undefined {
  if (filter.op === 'and') return filter.operands.map(boundOf).find((bound) => bound !== undefined)
  if (filter.op === 'between' && !filter.isNegated) return boundWith(filter.operand, '>=', filter.lower)
  if (filter.op !== 'binary' || !operators.includes(filter.operator)) return undefined
  return boundWith(filter.left, filter.operator as Bound['operator'], filter.right)
}

function boundWith(operand: Expression, operator: Bound['operator'], number: Expression): Bound | undefined {
  const field = unwrapConversion(operand)
  if (field.op !== 'field' || number.op !== 'literal' || typeof number.value !== 'number') return undefined
  return { name: field.name, operator, value: number.value }
}

function textBoundOf(filter: Expression): TextBound | undefined {
  if (filter.op === 'and') return filter.operands.map(textBoundOf).find((bound) => bound !== undefined)
  const { operand, values = [] } = equalityOf(filter) ?? {}
  const field = operand && unwrapText(operand)
  const texts = values.filter((value) => typeof value === 'string')
  if (field?.op !== 'field' || texts.length === 0 || texts.length < values.length) return undefined
  return { name: field.name, texts }
}

/** Returns what is converted to a string. */
export function unwrapText(expression: Expression): Expression {
  if (expression.op !== 'call' || !['to_string', 'coalesce'].includes(expression.name)) return expression
  const [inner, ...others] = expression.operands
  const isPlain = others.every((other) => other.op === 'literal' && other.value === '')
  return inner === undefined || !isPlain ? expression : unwrapText(inner)
}

/** Maximum number of constants in the bounds of a style. */
const maxConstants = 500

/**
 * Returns conditions of which at least one is true for every feature that a style draws or labels at a scale.
 * Undefined if a rule draws other features, or if they would exclude none. A text of a field that is not of strings says nothing.
 */
export function boundsAtScale(
  { rules }: Pick<Style, 'rules'>,
  scaleDenom: number,
): (Bound | TextBound)[] | undefined {
  if (rules.length === 0) return undefined
  const bounds = rules
    .filter((rule) => rule.isDrawn && isInScale(rule, scaleDenom))
    .map(({ filter, isElse }) =>
      filter === undefined || isElse ? undefined : (boundOf(filter) ?? textBoundOf(filter)),
    )
  if (!bounds.every((bound) => bound !== undefined)) return undefined
  const numbers = loosestBounds(bounds)
  if (coversAll(numbers)) return undefined
  const loosest = [...numbers, ...joinedTexts(bounds)]
  const constants = loosest.reduce((sum, bound) => sum + ('texts' in bound ? bound.texts.length : 1), 0)
  return constants > maxConstants ? undefined : loosest
}

/** Reports whether a condition may be true for a feature without a value: styles may take it as 0 or as an empty string. */
export function includesNull(bound: Bound | TextBound): boolean {
  return 'texts' in bound ? bound.texts.includes('') : isWithin(0, bound)
}

/** Reports whether a number satisfies a comparison. */
export function isWithin(value: number, { operator, value: bound }: Bound): boolean {
  if (operator === '<') return value < bound
  if (operator === '<=') return value <= bound
  return operator === '>' ? value > bound : value >= bound
}

/** Returns the loosest comparison of each field and operator. */
function loosestBounds(bounds: readonly (Bound | TextBound)[]): Bound[] {
  const loosest = new Map<string, Bound>()
  for (const bound of bounds) {
    if ('texts' in bound) continue
    const key = `${bound.operator} ${bound.name}`
    const known = loosest.get(key)
    const isLooser =
      known === undefined || (isUpper(bound) ? bound.value > known.value : bound.value < known.value)
    if (isLooser) loosest.set(key, bound)
  }
  return [...loosest.values()]
}

function joinedTexts(bounds: readonly (Bound | TextBound)[]): TextBound[] {
  const texts = Map.groupBy(
    bounds.filter((bound) => 'texts' in bound),
    ({ name }) => name,
  )
  return [...texts].map(([name, some]) => ({ name, texts: [...new Set(some.flatMap((one) => one.texts))] }))
}

const isUpper = ({ operator }: Bound) => operator === '<' || operator === '<='

/** Reports whether every number is below the upper bound of a field or above its lower one. */
function coversAll(bounds: readonly Bound[]): boolean {
  return bounds.some(
    (upper) =>
      isUpper(upper) &&
      bounds.some((lower) => lower.name === upper.name && !isUpper(lower) && lower.value < upper.value),
  )
}
