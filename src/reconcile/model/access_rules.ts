import type { Rule } from '../../contract/resource.ts'
import type { WantedPermissions, WantedRule } from '../../manifest/manifest.ts'
import type { Edit } from './change.ts'
import type { Principals } from './principals.ts'

/** A wanted rule whose principal is written in full. */
export type NamedRule = WantedRule

/** What is to be done about the rules of a resource. */
export interface RuleDiff {
  readonly edits: readonly Edit[]
  /** The whole list to write. */
  readonly rules: readonly NamedRule[]
}

/** Writes a rule as one line; equal rules give equal lines, and lines sort into the canonical order. */
export function formatRule({ action, principal, identity, scope, permission, propagate }: NamedRule): string {
  const what = scope === '' && permission === '' ? 'everything' : `${scope || '*'}.${permission || '*'}`
  const which = identity === '' ? '' : ` on ${identity}`
  return `${action} ${principal} ${what}${which}${propagate ? ', and below' : ''}`
}

/** Brings a rule of the wire into the words of a manifest. */
export function nameRule(rule: Rule, principals: Principals): NamedRule {
  return { ...rule, principal: principals.nameOf(rule.principal.id) }
}

/**
 * Compares rules as sets. Where the manifest owns all rules, others go; where it owns the listed ones, they stay.
 * Undefined where there is nothing to do.
 */
export function compareRules(wanted: WantedPermissions, actual: readonly NamedRule[]): RuleDiff | undefined {
  const there = byLine(actual)
  const listed = byLine(wanted.rules)
  const added = [...listed.keys()].filter((line) => !there.has(line))
  const removed = wanted.owns === 'all' ? [...there.keys()].filter((line) => !listed.has(line)) : []
  if (added.length === 0 && removed.length === 0) return undefined
  const pointer = '/permissions'
  const edits = [
    ...removed.sort().map((from): Edit => ({ pointer, from })),
    ...added.sort().map((to): Edit => ({ pointer, to })),
  ]
  const rules = wanted.owns === 'all' ? listed : new Map([...there, ...listed])
  return { edits, rules: sortRules(rules) }
}

/** Gives rules without repetition, in the canonical order. */
export function sortedRules(rules: readonly NamedRule[]): NamedRule[] {
  return sortRules(byLine(rules))
}

function byLine(rules: readonly NamedRule[]): Map<string, NamedRule> {
  return new Map(rules.map((rule) => [formatRule(rule), rule] as const))
}

function sortRules(rules: ReadonlyMap<string, NamedRule>): NamedRule[] {
  return [...rules].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, rule]) => rule)
}
