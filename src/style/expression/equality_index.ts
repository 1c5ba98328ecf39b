import type { Expression, Value } from './expression.ts'
import { compileExpression, type EvaluationContext } from './expression_evaluate.ts'
import { findNumber, textOf, tolerance } from './expression_value.ts'
import { countExpressionWork, operationWork } from './expression_work.ts'

/** Least number of filters that compare the same value for which looking it up is faster. */
const leastShared = 4

/** Filters of a list that may select a feature, by their positions. */
export interface EqualityIndex {
  /** Positions of filters that have to be tried always. */
  readonly others: readonly number[]
  /** Lists the positions of further filters that may select a feature, in ascending order. */
  readonly find: (context: EvaluationContext) => readonly number[]
}

/**
 * Indexes filters that compare one value with constants, such as those of thousands of categories. All that select a
 * feature are found, and rarely others.
 */
export function indexEqualities(filters: readonly (Expression | undefined)[]): EqualityIndex {
  const shared = new Map<string, { operand: Expression; items: [value: string | number, at: number][] }>()
  for (const [at, filter] of filters.entries()) {
    const found = filter && equalityOf(filter)
    if (found === undefined) continue
    const key = JSON.stringify(found.operand)
    const group = shared.get(key) ?? { operand: found.operand, items: [] }
    shared.set(key, group)
    for (const value of found.values) group.items.push([value, at])
  }
  const groups = [...shared.values()].filter(({ items }) => items.length >= leastShared)
  const indexed = new Set(groups.flatMap(({ items }) => items.map(([, at]) => at)))
  const others = [...filters.keys()].filter((at) => !indexed.has(at))
  const lookups = groups.map(({ operand, items }) => ({
    value: compileExpression(operand),
    find: lookupOf(items),
  }))
  const find = (context: EvaluationContext) => {
    const [first = [], ...more] = lookups.map((lookup) => lookup.find(lookup.value(context)))
    return more.length === 0 ? first : [...new Set(first.concat(...more))].sort((a, b) => a - b)
  }
  return { others, find: lookups.length === 0 ? () => [] : find }
}

/** A value that a filter compares with constants. */
export interface Equality {
  readonly operand: Expression
  readonly values: readonly (string | number)[]
}

/** Returns what a filter compares with constants; undefined for other filters. */
export function equalityOf(filter: Expression): Equality | undefined {
  if (filter.op === 'in' && !filter.isNegated) return equalityWith(filter.operand, filter.items)
  if (filter.op !== 'binary' || filter.operator !== '=') return undefined
  return filter.right.op === 'literal'
    ? equalityWith(filter.left, [filter.right])
    : equalityWith(filter.right, [filter.left])
}

function equalityWith(operand: Expression, items: readonly Expression[]): Equality | undefined {
  const values = items.flatMap(({ op, ...item }) => {
    const value = op === 'literal' && 'value' in item ? item.value : undefined
    return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value)) ? [value] : []
  })
  return values.length === items.length && values.length > 0 ? { operand, values } : undefined
}

/** Returns a function that finds the positions of the constants to which a value may be equal, as `compareValues` tells. */
function lookupOf(items: readonly (readonly [value: string | number, at: number])[]) {
  const texts = new Map<string, number[]>()
  for (const [value, at] of items) {
    if (typeof value !== 'string') continue
    const known = texts.get(value)
    if (known === undefined) texts.set(value, [at])
    else if (known.at(-1) !== at) known.push(at)
  }
  // Strings of numbers are equal to numbers, but not to other strings of the same number.
  const numbers = numbersOf(items.filter(([value]) => typeof value === 'number'))
  const all = numbersOf(items)
  return (value: Value): readonly number[] => {
    countExpressionWork(operationWork)
    if (value === null) return []
    const number = findNumber(value)
    const same = texts.get(textOf(value)) ?? []
    if (number === undefined) return same
    const near = (typeof value === 'string' ? numbers : all)(number)
    return near.length === 0 ? same : [...new Set([...same, ...near])].sort((a, b) => a - b)
  }
}

/** Returns a function that finds the positions of numbers near a number. */
function numbersOf(items: readonly (readonly [value: string | number, at: number])[]) {
  const sorted = items
    .flatMap(([value, at]) => {
      const number = findNumber(value)
      return number === undefined ? [] : [{ number, at }]
    })
    .sort((a, b) => a.number - b.number)
  return (number: number): number[] => {
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sorted[middle]?.number ?? 0) < number - tolerance) low = middle + 1
      else high = middle
    }
    const found: number[] = []
    for (let at = low; (sorted[at]?.number ?? Number.NaN) <= number + tolerance; at += 1)
      found.push(sorted[at]?.at ?? 0)
    return found
  }
}
