import type {
  AccessResource,
  AccessRule,
  AccessSubject,
  AccessTree,
  Key,
  Permissions,
} from '../../src/access/access_tree.ts'
import { findPermission, type PermissionName, permissionsOf } from '../../src/contract/permissions.ts'
import { type Cls, descriptorOf } from '../../src/contract/registry.ts'

/**
 * Reference implementation of the permission algorithm, by names instead of bits and without optimizations. The real
 * evaluator is tested against it.
 */
export function specifiedPermissions(tree: AccessTree, subject: AccessSubject): Map<Key, Permissions> {
  const evaluate = createEvaluator(tree, subject)
  return new Map([...tree.keys()].map((key) => [key, evaluate(key)]))
}

const noPermissions: Permissions = new Set()

function classPermissions(cls: Cls): readonly PermissionName[] {
  return permissionsOf(descriptorOf(cls).scopes)
}

type Evaluate = (key: Key) => Permissions

function createEvaluator(tree: AccessTree, subject: AccessSubject): Evaluate {
  const known = new Map<Key, Permissions>()
  const open = new Set<Key>()
  const evaluate: Evaluate = (key) => {
    const found = known.get(key)
    if (found !== undefined) return found
    const resource = tree.get(key)
    // Terminates on a cycle of parents or connections, which a server never has.
    if (resource === undefined || open.has(key)) return noPermissions
    open.add(key)
    const permissions = subject.superuser
      ? new Set(classPermissions(resource.cls))
      : heldPermissions({ tree, subject, evaluate }, key, resource)
    open.delete(key)
    known.set(key, permissions)
    return permissions
  }
  return evaluate
}

interface Evaluation {
  readonly tree: AccessTree
  readonly subject: AccessSubject
  readonly evaluate: Evaluate
}

function heldPermissions(evaluation: Evaluation, key: Key, resource: AccessResource): Permissions {
  const granted = grantedByRules(evaluation, key, resource)
  const held = new Set<PermissionName>()
  // Each permission checks its requirements first, so that one pass is enough in any order.
  const isHeld = (name: PermissionName): boolean => {
    if (held.has(name)) return true
    if (!granted.has(name) || !isRequirementMet(name) || !isDataReachable(evaluation, resource, name))
      return false
    held.add(name)
    return true
  }
  const isRequirementMet = (name: PermissionName): boolean => {
    const requires = findPermission(name)?.requires
    if (requires === undefined) return true
    const required = requires.permission as PermissionName
    if (requires.on === 'self') return isHeld(required)
    return resource.parent === undefined || evaluation.evaluate(resource.parent).has(required)
  }
  for (const name of granted) isHeld(name)
  return held
}

/** Reports whether the data requirements of a permission on other resources are met. */
function isDataReachable({ evaluate }: Evaluation, resource: AccessResource, name: PermissionName): boolean {
  const { requires: data } = descriptorOf(resource.cls)
  if (data?.permission !== name) return true
  const other = data.on === 'connection' ? resource.connection : resource.parent
  return other !== undefined && evaluate(other).has(data.requires)
}

function grantedByRules(evaluation: Evaluation, key: Key, resource: AccessResource): Set<PermissionName> {
  const names = classPermissions(resource.cls)
  const allowed = new Set<PermissionName>()
  const denied = new Set<PermissionName>()
  for (const rule of rulesFor(evaluation, key, resource)) {
    const set = rule.action === 'allow' ? allowed : denied
    for (const name of names) if (matchesPermission(rule, name)) set.add(name)
  }
  for (const name of denied) allowed.delete(name)
  return allowed
}

function rulesFor({ tree, subject }: Evaluation, key: Key, resource: AccessResource): AccessRule[] {
  const rules: AccessRule[] = []
  const applies = (rule: AccessRule, isOwn: boolean) =>
    (rule.propagate || isOwn) &&
    (rule.identity === '' || rule.identity === resource.cls) &&
    (subject.principals.has(rule.principal) ||
      (rule.principal === subject.ownerPrincipal && resource.owner === subject.user))
  const visited = new Set<Key>()
  for (let at: Key | undefined = key; at !== undefined && !visited.has(at); at = tree.get(at)?.parent) {
    visited.add(at)
    const isOwn = at === key
    rules.push(...(tree.get(at)?.rules ?? []).filter((rule) => applies(rule, isOwn)))
  }
  return rules
}

/**
 * An empty permission matches all of the scope; an empty scope matches everything, but only with an empty permission.
 */
function matchesPermission({ scope, permission }: AccessRule, name: PermissionName): boolean {
  if (scope === '') return permission === ''
  return permission === '' ? name.startsWith(`${scope}.`) : name === `${scope}.${permission}`
}
