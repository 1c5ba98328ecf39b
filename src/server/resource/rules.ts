import { hasPermission } from '../../access/permission_mask.ts'
import { findPermission, type PermissionName } from '../../contract/permissions.ts'
import { ruleIdentities } from '../../contract/registry.ts'
import type { Rule } from '../../contract/resource.ts'
import type { Queryable } from '../../database/database.ts'
import { findPermissionMasks } from '../../store/permission.ts'
import { findAdministrators, findPrincipals } from '../../store/principal.ts'
import { type RuleLists, replaceRules } from '../../store/rule.ts'
import { invalidAt } from '../invalid.ts'

/**
 * Gives resources other rules: checks the words of the rules and that their principals exist, and refuses rules that
 * take from administrators what they need to mend them.
 *
 * @throws {Problem} request/invalid, naming the rule
 */
export async function writeRules(tx: Queryable, lists: RuleLists): Promise<void> {
  if (lists.size === 0) return
  const all = [...lists.values()].flat()
  const principals = await findPrincipals(tx, [...new Set(all.map(({ principal }) => principal.id))])
  for (const rules of lists.values()) checkRules(rules, principals)
  await keepAdministrators(tx, [...lists.keys()], () => replaceRules(tx, lists))
}

function checkRules(rules: readonly Rule[], principals: ReadonlyMap<number, unknown>): void {
  for (const [at, rule] of rules.entries()) {
    const path = `/resource/permissions/${at}`
    const { identity, scope, permission, principal } = rule
    if (!ruleIdentities.includes(identity)) throw invalidAt(`${path}/identity`, `unknown class "${identity}"`)
    if (scope === '' ? permission !== '' : permission !== '' && !findPermission(`${scope}.${permission}`))
      throw invalidAt(`${path}/permission`, `scope "${scope}" has no permission "${permission}"`)
    if (!principals.has(principal.id))
      throw invalidAt(`${path}/principal`, `there is no user or group with id ${principal.id}`)
  }
}

/** What administrators need to mend the rules of a resource. */
const kept: readonly PermissionName[] = ['resource.read', 'resource.update', 'resource.change_permissions']

async function keepAdministrators(
  tx: Queryable,
  ids: readonly number[],
  change: () => Promise<void>,
): Promise<void> {
  const administrators = await findAdministrators(tx)
  const before = await findPermissionMasks(tx, administrators, ids)
  await change()
  const after = await findPermissionMasks(tx, administrators, ids)
  for (const id of ids) {
    const lost = kept.filter(
      (name) => hasPermission(before.get(id) ?? 0, name) && !hasPermission(after.get(id) ?? 0, name),
    )
    if (lost.length > 0)
      throw invalidAt('/resource/permissions', `the rules would take ${lost.join(', ')} from administrators`)
  }
}

/** Tells whether two lists hold the same rules, whatever their order. */
export function isSameRules(one: readonly Rule[], other: readonly Rule[]): boolean {
  const left = new Set(one.map(keyOf))
  const right = new Set(other.map(keyOf))
  return left.size === right.size && [...left].every((key) => right.has(key))
}

function keyOf({ action, principal, identity, scope, permission, propagate }: Rule): string {
  return JSON.stringify([action, principal.id, identity, scope, permission, propagate])
}
