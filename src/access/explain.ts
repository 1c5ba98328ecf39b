import { dataRequirements, findPermission, type PermissionName } from '../contract/permissions.ts'
import { classMask, permissionBit, ruleMask } from './mask.ts'
import type { AccessResource, AccessRule, AccessSubject, AccessTree, Key } from './tree.ts'

/** Something that speaks for or against a permission. */
export type Reason =
  /** A rule, and the resource it stands on. */
  | { readonly type: 'acl_rule'; readonly result: boolean; readonly resource: Key; readonly rule: AccessRule }
  /** Another permission that has to hold, on this resource or another one; with why it does or does not. */
  | {
      readonly type: 'requirement'
      readonly permission: PermissionName
      /** Whose permission it is, as seen from the resource. */
      readonly of: 'self' | 'parent' | 'connection'
      /** Undefined where there is no such resource, which fails what needs one. */
      readonly resource: Key | undefined
      readonly satisfied: boolean
      readonly reasons: readonly Reason[]
    }
  /** No rule speaks of it: then it is not held. To superusers none needs to. */
  | { readonly type: 'default'; readonly result: boolean }

/** Whether a permission holds, and everything that decides it. */
export interface Explanation {
  readonly result: boolean
  readonly reasons: readonly Reason[]
}

/** A permission on a resource. */
export interface Question {
  readonly key: Key
  readonly permission: PermissionName
}

/**
 * Explains a permission: the rules that speak of it, from the root down, and the permissions it requires. Its result is
 * that of `createEvaluator`.
 */
export function explainPermission(
  tree: AccessTree,
  subject: AccessSubject,
  { key, permission }: Question,
): Explanation {
  const resource = tree.get(key)
  if (resource === undefined || (classMask(resource.cls) & permissionBit(permission)) === 0)
    return { result: false, reasons: [{ type: 'default', result: false }] }
  if (subject.superuser) return { result: true, reasons: [{ type: 'default', result: true }] }
  const spoken = listRules(tree, subject, { key, permission })
  const rules: readonly Reason[] = spoken.length > 0 ? spoken : [{ type: 'default', result: false }]
  const granted = rules.every((reason) => reason.type !== 'acl_rule' || reason.result) && spoken.length > 0
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

function listRules(tree: AccessTree, subject: AccessSubject, { key, permission }: Question): RuleReason[] {
  const resource = tree.get(key)
  const found: RuleReason[][] = []
  for (let at: Key | undefined = key; at !== undefined; at = tree.get(at)?.parent) {
    const rules = (tree.get(at)?.rules ?? []).filter(
      (rule) =>
        (at === key || rule.propagate) &&
        (rule.identity === '' || rule.identity === resource?.cls) &&
        (ruleMask(rule.scope, rule.permission) & permissionBit(permission)) !== 0 &&
        speaksTo(rule, subject, resource),
    )
    const place = at
    found.unshift(
      rules.map((rule) => ({ type: 'acl_rule', result: rule.action === 'allow', resource: place, rule })),
    )
  }
  return found.flat()
}

function speaksTo(
  { principal }: AccessRule,
  { principals, ownerPrincipal, user }: AccessSubject,
  resource: AccessResource | undefined,
): boolean {
  if (principals.has(principal)) return true
  return principal === ownerPrincipal && resource?.owner === user
}

type Requirement = Pick<Extract<Reason, { type: 'requirement' }>, 'permission' | 'of' | 'resource'>

function requirementsOf(resource: AccessResource, { key, permission }: Question): Requirement[] {
  const found: Requirement[] = []
  const requires = findPermission(permission)?.requires
  const place = requires?.on === 'parent' ? resource.parent : key
  // The root has nothing above it that could hide it.
  if (requires !== undefined && place !== undefined)
    found.push({ permission: requires.permission as PermissionName, of: requires.on, resource: place })
  for (const { classes, permission: needs, requires: other, on } of dataRequirements) {
    if (needs !== permission || !classes.includes(resource.cls)) continue
    found.push({
      permission: other,
      of: on,
      resource: on === 'connection' ? resource.connection : resource.parent,
    })
  }
  return found
}
