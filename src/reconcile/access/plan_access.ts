import type { Key } from '../../access/access_tree.ts'
import type { Span } from '../../core/span.ts'
import type { Manifest, WantedPrincipal } from '../../manifest/manifest.ts'
import { membershipField, membershipPointer } from '../../manifest/principals/check_principals.ts'
import { type AccessReport, type AccessTarget, unchangedAccess } from '../model/access_change.ts'
import { type ActualTree, labelOf } from '../model/actual_tree.ts'
import type { Change, Plan } from '../model/change.ts'
import type { Principals } from '../model/principals.ts'
import type { PlanReader } from '../plan/plan_reader.ts'
import { membershipsOf } from '../principals/diff_memberships.ts'
import { type GroupMember, listSubjects } from './access_subjects.ts'
import { type AccessTrees, affectedIn, buildTrees, keepDecisive } from './access_trees.ts'
import { type AffectedResource, compareAccess, listAffected } from './compare_access.ts'
import { findBlockedRules } from './find_blocked_rules.ts'
import { createCauseFinder } from './find_causes.ts'

/** Input of the comparison. */
export interface AccessInput {
  readonly plan: Pick<Plan, 'changes' | 'ids' | 'principals'>
  readonly manifest: Pick<Manifest, 'resources' | 'principals'>
  readonly actual: ActualTree
  /** Users and groups, named as in rules, whose changes are listed even if they follow from others. */
  readonly watched?: readonly string[] | undefined
}

interface Memberships {
  readonly plan: Pick<Plan, 'changes'>
  readonly manifest: Pick<Manifest, 'principals'>
  readonly principals: Principals
}

/** One user that a plan adds to a group, or removes from it. */
interface MembershipStep {
  readonly user: string
  readonly group: string
  readonly isAdded: boolean
  readonly cause: Span | undefined
}

/**
 * Compares the effective permissions of users and groups before and after a plan. Reads the groups of users in one
 * request, and only if the plan can change permissions.
 *
 * @throws {Problem} http/*
 */
export async function planAccess(
  { readUsers }: Pick<PlanReader, 'readUsers'>,
  input: AccessInput,
): Promise<AccessReport> {
  const trees = treesOf(input)
  if (trees === undefined) return unchangedAccess
  return reportAccess({ ...input, trees }, await readUsers())
}

/** Compares the effective permissions before and after a plan. Pure; `users` is undefined if unknown. */
export function computeAccess(input: AccessInput, users: readonly GroupMember[] | undefined): AccessReport {
  const trees = treesOf(input)
  return trees === undefined ? unchangedAccess : reportAccess({ ...input, trees }, users)
}

const treesOf = ({ plan, actual }: AccessInput) =>
  buildTrees({
    ...{ changes: plan.changes, ids: plan.ids, principals: plan.principals, actual },
    isNeeded: plan.changes.some(changesGroups),
  })

function reportAccess(
  { trees, manifest, actual, plan, watched }: AccessInput & { readonly trees: AccessTrees },
  users: readonly GroupMember[] | undefined,
): AccessReport {
  const { principals } = actual
  const members = users && applyMemberships(users, { plan, manifest, principals })
  const affected = listAffected(trees, plan.changes.some(changesGroups))
  // Rules elsewhere do not matter.
  const decisive = {
    before: keepDecisive(trees.before, listKeys(affected, 'before')),
    after: keepDecisive(trees.after, listKeys(affected, 'after')),
  }
  const subjects = listSubjects(decisive, principals, {
    users: members,
    watched: fullNames(watched ?? [], principals),
  })
  const describe = describer({ plan, actual, trees })
  const context = { trees, manifest, principals }
  const findCauses = createCauseFinder(context)
  const changes = compareAccess(subjects, { trees, affected, describe, findCauses })
  const describeKey = (key: Key) => describe({ before: trees.before.has(key) ? key : undefined, after: key })
  // A rule for a group has an effect for users who read what is above by another group.
  const blocked =
    users === undefined ? [] : findBlockedRules({ ...context, subjects, actual, describe: describeKey })
  const complete = principals.known && actual.complete && isKnown(trees, actual)
  return { complete, users: users !== undefined, changes, blocked }
}

const listKeys = (affected: readonly AffectedResource[], when: 'before' | 'after') =>
  affected.flatMap((one) => one[when] ?? [])

function fullNames(names: readonly string[], { find }: ActualTree['principals']): Set<string> {
  return new Set(names.map(find).flatMap((one) => ('name' in one ? [one.name] : [])))
}

/** Tells whether the account reads the rules of all resources that determine the changed permissions. */
function isKnown({ after, touched }: AccessTrees, actual: ActualTree): boolean {
  const isAffected = affectedIn(after, touched)
  return [...after.keys()].every((key) => {
    const resource = typeof key === 'string' ? undefined : actual.byId.get(key)
    if (resource === undefined) return true
    return resource.rules !== undefined || !isAffected(key)
  })
}

function describer({
  plan,
  actual,
  trees,
}: Pick<AccessInput, 'plan' | 'actual'> & { readonly trees: AccessTrees }): (
  resource: AffectedResource,
) => AccessTarget {
  const changes = new Map(
    plan.changes.filter(({ record }) => record === undefined).map((one) => [one.key, one]),
  )
  const manifestKeys = new Map<Key, string>([...plan.ids].map(([key, id]) => [id, key] as const))
  const known = new Map<Key, AccessTarget>()
  const describe = ({ before, after }: AffectedResource): AccessTarget => {
    const resource = before === undefined ? undefined : actual.byId.get(Number(before))
    const key =
      typeof after === 'string'
        ? after
        : (manifestKeys.get(after ?? '') ?? (resource === undefined ? String(before) : labelOf(resource)))
    const change = changes.get(key)
    const cls = (trees.after.get(after ?? '') ?? trees.before.get(before ?? ''))?.cls ?? ''
    return { key, cls, displayName: change?.displayName ?? resource?.displayName ?? key }
  }
  return (resource) => {
    const id = resource.after ?? resource.before ?? ''
    const found = known.get(id) ?? describe(resource)
    known.set(id, found)
    return found
  }
}

/** Tells whether a change adds users to groups or removes them. */
export function changesGroups({ record, body }: Change): boolean {
  return record !== undefined && membershipsOf(body[record]) !== undefined
}

/** Adds the groups that users have after a plan, and the users that it creates. */
function applyMemberships(users: readonly GroupMember[], input: Memberships): GroupMember[] {
  const { plan, principals } = input
  const steps = new Map<string, MembershipStep[]>()
  for (const step of plan.changes.flatMap((change) => listSteps(change, input)))
    steps.set(step.user, [...(steps.get(step.user) ?? []), step])
  const created = plan.changes.flatMap(({ record, action, key, body }): GroupMember[] =>
    record === 'user' && action === 'create'
      ? [{ id: `user:${key}`, keyname: key, system: false, disabled: body.user?.disabled === true }]
      : [],
  )
  const idOf = (name: string): Key => principals.ids.get(name) ?? name
  return [...users.map((user) => withNewName(user, principals)), ...created].map((user) => {
    const own = steps.get(user.keyname.toLowerCase()) ?? []
    if (own.length === 0) return user
    const groups = new Set(user.member_of)
    for (const { group, isAdded } of own)
      if (isAdded) groups.add(idOf(`group:${group}`))
      else groups.delete(idOf(`group:${group}`))
    return { ...user, change: { memberOf: [...groups], causes: own.flatMap(({ cause }) => cause ?? []) } }
  })
}

/** Users have the names that they get by the plan. */
function withNewName(user: GroupMember, { nameOf }: Principals): GroupMember {
  const name = typeof user.id === 'number' ? nameOf(user.id) : ''
  return name.startsWith('user:') ? { ...user, keyname: name.slice('user:'.length) } : user
}

function listSteps({ record, key, body }: Change, { manifest }: Memberships): MembershipStep[] {
  if (record !== 'user' && record !== 'group') return []
  const change = membershipsOf(body[record])
  const block = manifest.principals?.[record].get(key)
  const stepOf = (name: string, isAdded: boolean): MembershipStep => ({
    ...(record === 'user' ? { user: key, group: name } : { user: name, group: key }),
    isAdded,
    cause: block?.spanOf(pointerOf(block, name)),
  })
  const steps = [
    ...(change?.added ?? []).map((name) => stepOf(name, true)),
    ...(change?.removed ?? []).map((name) => stepOf(name, false)),
  ]
  return steps.map((step) => ({ ...step, user: step.user.toLowerCase() }))
}

function pointerOf({ kind, memberships }: WantedPrincipal, name: string): string {
  const at = memberships?.names.indexOf(name) ?? -1
  return memberships === undefined || at < 0
    ? `/${membershipField[kind]}`
    : membershipPointer(kind, memberships, at)
}
