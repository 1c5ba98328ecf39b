import { findPermission, type PermissionName } from '../contract/permissions.ts'
import { findRequirement } from '../contract/registry.ts'
import type { AccessResource, AccessRule, AccessSubject, AccessTree, Key } from './access_tree.ts'
import { classMask, permissionBit, ruleMask } from './permission_mask.ts'

/** A reason for or against a permission. */
export type Reason =
  /** A rule, and the resource that it is set on. */
  | { readonly type: 'acl_rule'; readonly result: boolean; readonly resource: Key; readonly rule: AccessRule }
  /** Another permission that is required, on this resource or another one, with its own reasons. */
  | {
      readonly type: 'requirement'
      readonly permission: PermissionName
      /** The resource of the required permission, relative to the explained one. */
      readonly of: 'self' | 'parent' | 'connection'
      /** Undefined if the resource does not exist; then the requirement is not satisfied. */
      readonly resource: Key | undefined
      readonly satisfied: boolean
      readonly reasons: readonly Reason[]
    }
  /** No rule applies: denied, except for superusers. */
  | { readonly type: 'default'; readonly result: boolean }

/** Whether a permission is held, with all reasons. */
export interface Explanation {
  readonly result: boolean
  readonly reasons: readonly Reason[]
}

/** A permission on a resource. */
export interface PermissionQuery {
  readonly key: Key
  readonly permission: PermissionName
}

/**
 * Explains a permission: the permissions it requires and the rules that apply, from the root down. The result equals
 * that of `createEvaluator`.
 */
export function explainPermission(
  tree: AccessTree,
  subject: AccessSubject,
  { key, permission }: PermissionQuery,
): Explanation {
  const resource = tree.get(key)
  if (resource === undefined || (classMask(resource.cls) & permissionBit(permission)) === 0)
    return { result: false, reasons: [{ type: 'default', result: false }] }
  if (subject.superuser) return { result: true, reasons: [{ type: 'default', result: true }] }
  const applicable = listRules(tree, subject, { key, permission })
  const rules: readonly Reason[] = applicable.length > 0 ? applicable : [{ type: 'default', result: false }]
  const granted =
    rules.every((reason) => reason.type !== 'acl_rule' || reason.result) && applicable.length > 0
  const requirements = requirementsOf(resource, { key, permission }).map((requirement): Reason => {
    const { result, reasons } =
      requirement.resource === undefined
        ? { result: false, reasons: [] }
        : explainPermission(tree, subject, { key: requirement.resource, permission: requirement.permission })
    return { type: 'requirement', ...requirement, satisfied: result, reasons }
  })
  const satisfied = requirements.every((reason) => reason.type !== 'requirement' || reason.satisfied)
  return { result: granted && satisfied, reasons: [...requirements, ...rules] }
}

type RuleReason = Extract<Reason, { type: 'acl_rule' }>

function listRules(
  tree: AccessTree,
  subject: AccessSubject,
  { key, permission }: PermissionQuery,
): RuleReason[] {
  const resource = tree.get(key)
  const found: RuleReason[][] = []
  for (let at: Key | undefined = key; at !== undefined; at = tree.get(at)?.parent) {
    const rules = (tree.get(at)?.rules ?? []).filter(
      (rule) =>
        (at === key || rule.propagate) &&
        (rule.identity === '' || rule.identity === resource?.cls) &&
        (ruleMask(rule.scope, rule.permission) & permissionBit(permission)) !== 0 &&
        appliesTo(rule, subject, resource),
    )
    const place = at
    found.unshift(
      rules.map((rule) => ({ type: 'acl_rule', result: rule.action === 'allow', resource: place, rule })),
    )
  }
  return found.flat()
}

function appliesTo(
  { principal }: AccessRule,
  { principals, ownerPrincipal, user }: AccessSubject,
  resource: AccessResource | undefined,
): boolean {
  if (principals.has(principal)) return true
  return principal === ownerPrincipal && resource?.owner === user
}

type Requirement = Pick<Extract<Reason, { type: 'requirement' }>, 'permission' | 'of' | 'resource'>

function requirementsOf(resource: AccessResource, { key, permission }: PermissionQuery): Requirement[] {
  const found: Requirement[] = []
  const requires = findPermission(permission)?.requires
  const place = requires?.on === 'parent' ? resource.parent : key
  // The root has no parent to require a permission on.
  if (requires !== undefined && place !== undefined)
    found.push({ permission: requires.permission as PermissionName, of: requires.on, resource: place })
  const data = findRequirement(resource.cls)
  if (data?.permission === permission)
    found.push({
      permission: data.requires,
      of: data.on,
      resource: data.on === 'connection' ? resource.connection : resource.parent,
    })
  return found
}
