import type { Key } from '../../access/access_tree.ts'
import type { Span } from '../../core/span.ts'
import type { Manifest, WantedPrincipal } from '../../manifest/manifest.ts'
import { membershipField, membershipPointer } from '../../manifest/principals/check_principals.ts'
import type { Change, Plan } from '../model/change.ts'
import type { Principals } from '../model/principals.ts'
import { membershipsOf } from '../principals/diff_memberships.ts'
import type { GroupMember } from './access_subjects.ts'

/** Tells whether a change adds users to groups or removes them. */
export function changesGroups({ record, body }: Change): boolean {
  return record !== undefined && membershipsOf(body[record]) !== undefined
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

/** Adds the groups that users have after a plan, and the users that it creates. */
export function applyMemberships(users: readonly GroupMember[], input: Memberships): GroupMember[] {
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
