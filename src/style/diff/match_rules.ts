import { isDeepStrictEqual } from 'node:util'
import { formatExpression } from '../expression/expression_format.ts'
import type { Rule } from '../style_model.ts'

/** Names the rules of a list by label, filter or position; the empty name is that of a single rule for all features. */
export function nameRules(rules: readonly Rule[]): string[] {
  const counts = new Map<string, number>()
  return rules.map((rule, at) => {
    const base = nameOf(rule) ?? (rules.length === 1 ? '' : `rule ${at + 1}`)
    const count = (counts.get(base) ?? 0) + 1
    counts.set(base, count)
    return count === 1 ? base : `${base} (${count})`
  })
}

function nameOf({ label, filter, isElse }: Rule): string | undefined {
  if (label !== undefined && label !== '') return `rule "${label}"`
  if (isElse) return 'rule ELSE'
  return filter === undefined ? undefined : `rule ${formatExpression(filter)}`
}

/**
 * Finds the rules that two lists share, as positions in the old list by those in the new one: rules with the same name, then with
 * the same filter, then, if as many are left, those in the same order.
 */
export function matchRules(from: readonly Rule[], to: readonly Rule[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>()
  const [old, next] = [nameRules(from), nameRules(to)]
  join(found, old, next)
  const filterOf = ({ filter }: Rule) => (filter === undefined ? undefined : JSON.stringify(filter))
  const open = (rules: readonly Rule[], taken: ReadonlySet<number>) =>
    rules.map((rule, at) => (taken.has(at) ? undefined : filterOf(rule)))
  join(found, open(from, new Set(found.values())), open(to, new Set(found.keys())))
  const taken = new Set(found.values())
  const left = from.flatMap((_, at) => (taken.has(at) ? [] : [at]))
  const added = to.flatMap((_, at) => (found.has(at) ? [] : [at]))
  if (left.length === added.length)
    for (const [index, at] of added.entries()) {
      const before = left[index] ?? 0
      if (isSimilar(from[before], to[at])) found.set(at, before)
    }
  return found
}

/** Joins the positions with the same identity; each position once. */
function join(
  found: Map<number, number>,
  old: readonly (string | undefined)[],
  next: readonly (string | undefined)[],
): void {
  const places = new Map<string, number>()
  for (const [at, name] of old.entries()) if (name !== undefined && !places.has(name)) places.set(name, at)
  for (const [at, name] of next.entries()) {
    const before = name === undefined ? undefined : places.get(name)
    if (name === undefined || before === undefined) continue
    places.delete(name)
    found.set(at, before)
  }
}

/** Whether two rules have layers of the same kinds in their symbols. */
function isSimilar(one: Rule | undefined, other: Rule | undefined): boolean {
  const kinds = (rule: Rule | undefined) => rule?.symbol?.layers.map(({ kind }) => kind)
  return isDeepStrictEqual(kinds(one), kinds(other))
}
