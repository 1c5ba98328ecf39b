import type { Rule } from '../../contract/bodies/resource.ts'
import { findPermission } from '../../contract/permissions.ts'
import { ruleIdentities } from '../../contract/registry.ts'
import type { Queryable } from '../../database/database.ts'
import { type RuleLists, replaceRules } from '../../store/access/permission_rule.ts'
import { findPrincipals } from '../../store/auth/principal.ts'
import { invalidAt } from '../http/invalid_request.ts'

/**
 * Validates and replaces the rules of resources.
 *
 * @throws {Problem} request/invalid, with the pointer to the rule
 */
export async function writeRules(tx: Queryable, lists: RuleLists): Promise<void> {
  if (lists.size === 0) return
  const all = [...lists.values()].flat()
  const principals = await findPrincipals(tx, [...new Set(all.map(({ principal }) => principal.id))])
  for (const rules of lists.values()) checkRules(rules, principals)
  await replaceRules(tx, lists)
}

function checkRules(rules: readonly Rule[], principals: ReadonlyMap<number, unknown>): void {
  for (const [at, rule] of rules.entries()) {
    const path = `/resource/permissions/${at}`
    const { identity, scope, permission, principal } = rule
    if (!ruleIdentities.includes(identity)) throw invalidAt(`${path}/identity`, `unknown class "${identity}"`)
    if (scope === '' ? permission !== '' : permission !== '' && !findPermission(`${scope}.${permission}`))
      throw invalidAt(`${path}/permission`, `scope "${scope}" has no permission "${permission}"`)
    if (!principals.has(principal.id))
      throw invalidAt(`${path}/principal`, `user or group id = ${principal.id} does not exist`)
  }
}

/** Tells whether two lists have the same rules in any order. */
export function isSameRules(one: readonly Rule[], other: readonly Rule[]): boolean {
  const left = new Set(one.map(ruleKey))
  const right = new Set(other.map(ruleKey))
  return left.size === right.size && [...left].every((key) => right.has(key))
}

/** Returns a string that is the same for equal rules. */
export function ruleKey({ action, principal, identity, scope, permission, propagate }: Rule): string {
  return JSON.stringify([action, principal.id, identity, scope, permission, propagate])
}
