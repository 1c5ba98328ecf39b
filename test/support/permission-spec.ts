import type {
  AccessResource,
  AccessRule,
  AccessSubject,
  AccessTree,
  Key,
  Permissions,
} from '../../src/access/tree.ts'
import {
  dataRequirements,
  findPermission,
  type PermissionName,
  permissionsOf,
} from '../../src/contract/permissions.ts'
import { type Cls, descriptorOf } from '../../src/contract/registry.ts'

/**
 * The permission algorithm word by word, by names instead of bits and without anything that makes it quick: what the
 * real evaluator is held to.
 */
export function specifiedPermissions(tree: AccessTree, subject: AccessSubject): Map<Key, Permissions> {
  const evaluate = createEvaluator(tree, subject)
  return new Map([...tree.keys()].map((key) => [key, evaluate(key)]))
}

const nothing: Permissions = new Set()

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
    // A cycle of parents or connections, which no server has, gives nothing rather than no end.
    if (resource === undefined || open.has(key)) return nothing
    open.add(key)
    const permissions = subject.superuser
      ? new Set(classPermissions(resource.cls))
      : thoseThatCount({ tree, subject, evaluate }, key, resource)
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

function thoseThatCount(evaluation: Evaluation, key: Key, resource: AccessResource): Permissions {
  const granted = grantedByRules(evaluation, key, resource)
  const counting = new Set<PermissionName>()
  // Each asks for those it requires first, so that one pass is enough in any order.
  const counts = (name: PermissionName): boolean => {
    if (counting.has(name)) return true
    if (!granted.has(name) || !isRequirementMet(name) || !isDataReachable(evaluation, resource, name))
      return false
    counting.add(name)
    return true
  }
  const isRequirementMet = (name: PermissionName): boolean => {
    const requires = findPermission(name)?.requires
    if (requires === undefined) return true
    const required = requires.permission as PermissionName
    if (requires.on === 'self') return counts(required)
    return resource.parent === undefined || evaluation.evaluate(resource.parent).has(required)
  }
  for (const name of granted) counts(name)
  return counting
}

/** Whether the permission holds on the other resource that its class makes it depend on. */
function isDataReachable({ evaluate }: Evaluation, resource: AccessResource, name: PermissionName): boolean {
  return dataRequirements
    .filter(({ classes, permission }) => permission === name && classes.includes(resource.cls))
    .every(({ on, requires }) => {
      const other = on === 'connection' ? resource.connection : resource.parent
      return other !== undefined && evaluate(other).has(requires)
    })
}

function grantedByRules(evaluation: Evaluation, key: Key, resource: AccessResource): Set<PermissionName> {
  const names = classPermissions(resource.cls)
  const allowed = new Set<PermissionName>()
  const denied = new Set<PermissionName>()
  for (const rule of rulesFor(evaluation, key, resource)) {
    const set = rule.action === 'allow' ? allowed : denied
    for (const name of names) if (speaksOf(rule, name)) set.add(name)
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
  const seen = new Set<Key>()
  for (let at: Key | undefined = key; at !== undefined && !seen.has(at); at = tree.get(at)?.parent) {
    seen.add(at)
    const isOwn = at === key
    rules.push(...(tree.get(at)?.rules ?? []).filter((rule) => applies(rule, isOwn)))
  }
  return rules
}

/** An empty permission means all of the scope; an empty scope means everything, but only with an empty permission. */
function speaksOf({ scope, permission }: AccessRule, name: PermissionName): boolean {
  if (scope === '') return permission === ''
  return permission === '' ? name.startsWith(`${scope}.`) : name === `${scope}.${permission}`
}
