import type { Rule } from '../../contract/bodies/resource.ts'
import type { WantedPermissions, WantedRule } from '../../manifest/manifest.ts'
import type { Edit } from './change.ts'
import { identify, type Principals } from './principals.ts'

/** A rule whose principal has its full name, such as `user:guest`. */
export type NamedRule = WantedRule

/** Difference between two lists of rules. */
export interface RuleDiff {
  readonly edits: readonly Edit[]
  /** All rules to write. */
  readonly rules: readonly NamedRule[]
}

/** Formats a rule as one line. Equal rules have equal lines; sorted lines are in canonical order. */
export function formatRule({ action, principal, identity, scope, permission, propagate }: NamedRule): string {
  const what = scope === '' && permission === '' ? 'everything' : `${scope || '*'}.${permission || '*'}`
  const which = identity === '' ? '' : ` on ${identity}`
  return `${action} ${principal} ${what}${which}${propagate ? ', and below' : ''}`
}

/** Lines of rules for records, with the ids of users and groups; sorted, without duplicates. */
export function formatByIds(rules: readonly NamedRule[], ids: ReadonlyMap<string, number>): string[] {
  return [...new Set(rules.map((rule) => identifyLine(formatRule(rule), ids)))].sort()
}

/** Replaces the name of the user or group in the line of a rule by its id, for records. Names contain no spaces. */
export function identifyLine(line: string, ids: ReadonlyMap<string, number>): string {
  const [action = '', principal = '', ...rest] = line.split(' ')
  return [action, identify(principal, ids), ...rest].join(' ')
}

/** Converts a rule of the API to a rule of a manifest. */
export function nameRule(rule: Rule, principals: Principals): NamedRule {
  return { ...rule, principal: principals.nameOf(rule.principal.id) }
}

/** Gives the principals of rules their full names, as far as they exist. */
export function withFullNames(rules: readonly WantedRule[], principals: Principals): NamedRule[] {
  return rules.map((rule) => ({ ...rule, principal: fullName(rule.principal, principals) }))
}

/** Returns the full name of a principal, such as `user:guest`; the name itself if it does not exist. */
export function fullName(name: string, principals: Principals): string {
  const found = principals.find(name)
  return 'name' in found ? found.name : name
}

/**
 * Compares rules as sets. Other rules are removed if the manifest owns all rules; if it owns only the listed ones, those that
 * it has dropped are removed. Undefined if the rules are equal.
 *
 * @param dropped lines of rules that the manifest once listed
 */
export function compareRules(
  wanted: WantedPermissions,
  actual: readonly NamedRule[],
  dropped: ReadonlySet<string> = new Set(),
): RuleDiff | undefined {
  const actualLines = byLine(actual)
  const listed = byLine(wanted.rules)
  const added = [...listed.keys()].filter((line) => !actualLines.has(line))
  const removed = [...actualLines.keys()].filter(
    (line) => !listed.has(line) && (wanted.owns === 'all' || dropped.has(line)),
  )
  if (added.length === 0 && removed.length === 0) return undefined
  const pointer = '/permissions'
  const edits = [
    ...removed.sort().map((from): Edit => ({ pointer, from })),
    ...added.sort().map((to): Edit => ({ pointer, to })),
  ]
  const rules = wanted.owns === 'all' ? listed : new Map([...actualLines, ...listed])
  for (const line of removed) rules.delete(line)
  return { edits, rules: sortRules(rules) }
}

/** Returns unique rules in canonical order. */
export function sortedRules(rules: readonly NamedRule[]): NamedRule[] {
  return sortRules(byLine(rules))
}

function byLine(rules: readonly NamedRule[]): Map<string, NamedRule> {
  return new Map(rules.map((rule) => [formatRule(rule), rule] as const))
}

function sortRules(rules: ReadonlyMap<string, NamedRule>): NamedRule[] {
  return [...rules].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, rule]) => rule)
}
