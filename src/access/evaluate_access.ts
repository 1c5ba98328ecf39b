import type { PermissionName } from '../contract/permissions.ts'
import { findPermission, permissionNames } from '../contract/permissions.ts'
import { type Cls, findRequirement } from '../contract/registry.ts'
import type {
  AccessResource,
  AccessRule,
  AccessSubject,
  AccessTree,
  Key,
  Permissions,
} from './access_tree.ts'
import {
  classMask,
  clearUnmet,
  namesOf,
  type PermissionMask,
  permissionBit,
  ruleMask,
} from './permission_mask.ts'

/** Returns the mask of a resource of the tree; 0 for a resource that is not in it. */
export type Evaluator = (key: Key) => PermissionMask

/**
 * Creates the function that evaluates the permissions of a subject on the resources of a tree. Shared results, such as
 * inherited rules, are computed once.
 *
 * The rules of the resource and the propagating rules of its ancestors are collected; they are matched against the
 * class and the owner of the resource being evaluated. A deny overrides every allow at any depth. Then, stratum by
 * stratum, a permission is held only if its requirements are held: reading requires reading on every ancestor, writing
 * requires reading, data of a layer require its connection, data of a style require those of its layer.
 *
 * A resource whose parent is not in the tree has no permissions.
 */
export function createEvaluator(tree: AccessTree, subject: AccessSubject): Evaluator {
  const ownOf = createOwnEvaluator(tree, subject)
  const evaluate: Evaluator = (key) => {
    const resource = tree.get(key)
    if (resource === undefined) return 0
    let { mask } = ownOf(key)
    if (subject.superuser) return mask
    const data = findRequirement(resource.cls)
    if (data !== undefined) {
      const other = data.on === 'connection' ? resource.connection : resource.parent
      const otherMask =
        other === undefined ? 0 : data.on === 'connection' ? ownOf(other).mask : evaluate(other)
      if ((otherMask & permissionBit(data.requires)) === 0) mask &= ~permissionBit(data.permission)
    }
    return clearUnmet(mask)
  }
  return evaluate
}

/** Returns the permissions of a subject on one resource. */
export function effectivePermissions(tree: AccessTree, key: Key, subject: AccessSubject): Permissions {
  return new Set(namesOf(createEvaluator(tree, subject)(key)))
}

/** Returns the permissions of a subject on each resource of a tree. */
export function allEffectivePermissions(tree: AccessTree, subject: AccessSubject): Map<Key, Permissions> {
  const evaluate = createEvaluator(tree, subject)
  return new Map([...tree.keys()].map((key) => [key, new Set(namesOf(evaluate(key)))]))
}

/** Permissions that rules allow and deny the subject on resources of one class, or of all. */
interface Grant {
  readonly identity: string
  /** Whether it applies only to resources that the subject owns. */
  readonly isForOwner: boolean
  readonly allow: PermissionMask
  readonly deny: PermissionMask
}

/** Permissions of a resource before data requirements, and the grants it passes to its children. */
interface OwnAccess {
  readonly mask: PermissionMask
  /** Shared with all descendants that add nothing to it. */
  readonly propagated: readonly Grant[]
}

const noAccess: OwnAccess = { mask: 0, propagated: [] }

function createOwnEvaluator(tree: AccessTree, subject: AccessSubject): (key: Key) => OwnAccess {
  const known = new Map<Key, OwnAccess>()
  const ownOf = (key: Key): OwnAccess => {
    const found = known.get(key)
    if (found !== undefined) return found
    const resource = tree.get(key)
    if (resource === undefined) return noAccess
    // Terminates on a cycle of parents, which a server never has.
    known.set(key, noAccess)
    const above = resource.parent === undefined ? undefined : ownOf(resource.parent)
    const own = evaluateOwn(resource, subject, above)
    known.set(key, own)
    return own
  }
  return ownOf
}

function evaluateOwn(
  resource: AccessResource,
  subject: AccessSubject,
  above: OwnAccess | undefined,
): OwnAccess {
  const { cls, owner, rules } = resource
  if (subject.superuser) return { mask: classMask(cls), propagated: [] }
  const inherited = above?.propagated ?? []
  const applicable = rules.filter((rule) => appliesTo(rule, subject))
  const propagating = applicable.filter(({ propagate }) => propagate)
  const grants = addGrants(inherited, applicable, subject)
  let mask = grantedBy(grants, cls, owner === subject.user)
  for (const { bit, requires } of parentRequirements)
    if (above !== undefined && (above.mask & requires) === 0) mask &= ~bit
  return { mask: clearUnmet(mask), propagated: addGrants(inherited, propagating, subject) }
}

function appliesTo({ principal }: AccessRule, { principals, ownerPrincipal }: AccessSubject): boolean {
  return principals.has(principal) || principal === ownerPrincipal
}

/** Merges rules into the inherited grants, one grant for each class and kind of principal. */
function addGrants(
  inherited: readonly Grant[],
  rules: readonly AccessRule[],
  { principals }: AccessSubject,
): readonly Grant[] {
  if (rules.length === 0) return inherited
  const grants = new Map(inherited.map((grant) => [keyOf(grant), grant]))
  for (const { action, principal, identity, scope, permission } of rules) {
    const isForOwner = !principals.has(principal)
    const key = keyOf({ identity, isForOwner })
    const { allow = 0, deny = 0 } = grants.get(key) ?? {}
    const mask = ruleMask(scope, permission)
    const more = action === 'allow' ? { allow: allow | mask, deny } : { allow, deny: deny | mask }
    grants.set(key, { identity, isForOwner, ...more })
  }
  return [...grants.values()]
}

function keyOf({ identity, isForOwner }: Pick<Grant, 'identity' | 'isForOwner'>): string {
  return `${identity} ${isForOwner}`
}

function grantedBy(grants: readonly Grant[], cls: Cls, isOwner: boolean): PermissionMask {
  let allowed = 0
  let denied = 0
  for (const { identity, isForOwner, allow, deny } of grants) {
    if ((identity !== '' && identity !== cls) || (isForOwner && !isOwner)) continue
    allowed |= allow
    denied |= deny
  }
  return classMask(cls) & allowed & ~denied
}

/** Permissions that require a permission on the parent. */
const parentRequirements = permissionNames.flatMap((name) => {
  const requires = findPermission(name)?.requires
  return requires?.on === 'parent'
    ? [{ bit: permissionBit(name), requires: permissionBit(requires.permission as PermissionName) }]
    : []
})
