import type { PermissionName } from '../contract/permissions.ts'
import {
  type DataRequirement,
  dataRequirements,
  findPermission,
  permissionNames,
} from '../contract/permissions.ts'
import type { Cls } from '../contract/registry.ts'
import { classMask, namesOf, type PermissionMask, permissionBit, ruleMask, withoutUnmet } from './mask.ts'
import type { AccessResource, AccessRule, AccessSubject, AccessTree, Key, Permissions } from './tree.ts'

/** Gives the mask of one resource of the tree; 0 for one that is not in it. */
export type Evaluator = (key: Key) => PermissionMask

/**
 * Makes the function that gives a subject's permissions on the resources of a tree. What resources share, above all
 * what comes down from above, is worked out once.
 *
 * Rules of the resource, and those of the resources above it that propagate, are collected; they speak of the class
 * and the owner of the resource *asked about*, wherever they stand. A deny beats every allow, whatever the depth.
 * Then, stratum by stratum, a permission counts only while what it requires holds too: reading needs reading on every
 * resource above, writing needs reading, data of a layer need its connection, data of a style need those of its layer.
 *
 * A resource that hangs below one that is not in the tree has nothing.
 */
export function createEvaluator(tree: AccessTree, subject: AccessSubject): Evaluator {
  const ownOf = createOwnEvaluator(tree, subject)
  const evaluate: Evaluator = (key) => {
    const resource = tree.get(key)
    if (resource === undefined) return 0
    let { mask } = ownOf(key)
    if (subject.superuser) return mask
    for (const { permission, requires, on } of dataRequirementsOf.get(resource.cls) ?? []) {
      const other = on === 'connection' ? resource.connection : resource.parent
      const otherMask = other === undefined ? 0 : on === 'connection' ? ownOf(other).mask : evaluate(other)
      if ((otherMask & permissionBit(requires)) === 0) mask &= ~permissionBit(permission)
    }
    return withoutUnmet(mask)
  }
  return evaluate
}

/** Gives the permissions a subject has on one resource. */
export function effectivePermissions(tree: AccessTree, key: Key, subject: AccessSubject): Permissions {
  return new Set(namesOf(createEvaluator(tree, subject)(key)))
}

/** Gives the permissions a subject has on each resource of a tree. */
export function allEffectivePermissions(tree: AccessTree, subject: AccessSubject): Map<Key, Permissions> {
  const evaluate = createEvaluator(tree, subject)
  return new Map([...tree.keys()].map((key) => [key, new Set(namesOf(evaluate(key)))]))
}

/** What rules say to the subject about resources of one class, or of all. */
interface Grant {
  readonly identity: string
  /** Speaks only of what the subject owns. */
  readonly isForOwner: boolean
  readonly allow: PermissionMask
  readonly deny: PermissionMask
}

/** What holds on a resource before its data are looked at, and what comes down from it. */
interface Own {
  readonly mask: PermissionMask
  /** The same list for all below that add nothing to it. */
  readonly propagated: readonly Grant[]
}

const nothing: Own = { mask: 0, propagated: [] }

function createOwnEvaluator(tree: AccessTree, subject: AccessSubject): (key: Key) => Own {
  const known = new Map<Key, Own>()
  const ownOf = (key: Key): Own => {
    const found = known.get(key)
    if (found !== undefined) return found
    const resource = tree.get(key)
    if (resource === undefined) return nothing
    // Parents in a circle, which no server has, give nothing rather than no end.
    known.set(key, nothing)
    const above = resource.parent === undefined ? undefined : ownOf(resource.parent)
    const own = evaluateOwn(resource, subject, above)
    known.set(key, own)
    return own
  }
  return ownOf
}

function evaluateOwn(resource: AccessResource, subject: AccessSubject, above: Own | undefined): Own {
  const { cls, owner, rules } = resource
  if (subject.superuser) return { mask: classMask(cls), propagated: [] }
  const inherited = above?.propagated ?? []
  const spoken = rules.filter((rule) => speaksTo(rule, subject))
  const propagating = spoken.filter(({ propagate }) => propagate)
  const grants = addGrants(inherited, spoken, subject)
  let mask = grantedBy(grants, cls, owner === subject.user)
  for (const { bit, requires } of parentRequirements)
    if (above !== undefined && (above.mask & requires) === 0) mask &= ~bit
  return { mask: withoutUnmet(mask), propagated: addGrants(inherited, propagating, subject) }
}

function speaksTo({ principal }: AccessRule, { principals, ownerPrincipal }: AccessSubject): boolean {
  return principals.has(principal) || principal === ownerPrincipal
}

/** Adds rules to what came down, one grant for each class and kind of principal. */
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

/** Permissions that count only while one of the parent does. */
const parentRequirements = permissionNames.flatMap((name) => {
  const requires = findPermission(name)?.requires
  return requires?.on === 'parent'
    ? [{ bit: permissionBit(name), requires: permissionBit(requires.permission as PermissionName) }]
    : []
})

/** Requirements on another resource, by class; those on connections first, since those on parents rest on them. */
const dataRequirementsOf: ReadonlyMap<string, readonly DataRequirement[]> = Map.groupBy(
  dataRequirements.flatMap((requirement) => requirement.classes.map((cls) => ({ ...requirement, cls }))),
  ({ cls }) => cls,
)
