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

const operators: readonly string[] = ['<', '<=', '>', '>='] satisfies readonly Bound['operator'][]

/** Returns the first comparison of a field with a number that must be true where a condition is; undefined without one. */
export function boundOf(filter: Expression): Bound | undefined {
  if (filter.op === 'and') return filter.operands.map(boundOf).find((bound) => bound !== undefined)
  if (filter.op !== 'binary' || !operators.includes(filter.operator)) return undefined
  const [field, number] = [unwrapConversion(filter.left), filter.right]
  if (field.op !== 'field' || number.op !== 'literal' || typeof number.value !== 'number') return undefined
  return { name: field.name, operator: filter.operator as Bound['operator'], value: number.value }
}

/**
 * Returns comparisons of which at least one is true, or has no value, for every feature that a style draws or labels at a scale.
 * Undefined if the scale excludes no rule, or if a rule draws other features.
 */
export function boundsAtScale({ rules }: Pick<Style, 'rules'>, scaleDenom: number): Bound[] | undefined {
  const shown = rules.filter((rule) => isInScale(rule, scaleDenom))
  if (shown.length === rules.length) return undefined
  const bounds = shown
    .filter(({ isDrawn }) => isDrawn)
    .map(({ filter, isElse }) => (filter === undefined || isElse ? undefined : boundOf(filter)))
  return bounds.every((bound) => bound !== undefined) ? bounds : undefined
}
