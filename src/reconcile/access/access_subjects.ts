import type { AccessResource, AccessSubject, Key } from '../../access/access_tree.ts'
import type { Span } from '../../core/span.ts'
import type { Principals } from '../model/principals.ts'
import type { AccessTrees } from './access_trees.ts'

/** A user with its groups. */
export interface GroupMember {
  /** Id on the server; the full name of a user that the plan creates. */
  readonly id: Key
  readonly keyname: string
  readonly system: boolean
  readonly superuser?: boolean
  readonly disabled?: boolean
  readonly member_of?: readonly Key[]
  /** What the plan changes in the groups of the user. */
  readonly change?: MembershipEffect
}

/** Groups of a user after a plan. */
export interface MembershipEffect {
  readonly memberOf: readonly Key[]
  /** Positions of the memberships in the manifest. */
  readonly causes: readonly Span[]
}

/** Users and groups to compare. */
export interface AccessAudience {
  /** Undefined if the account cannot read the groups of users. */
  readonly users?: readonly GroupMember[] | undefined
  /** Full names of users and groups that are listed in any case. */
  readonly watched?: ReadonlySet<string> | undefined
}

/** Users with the same permissions, and the subject that has them. */
export interface SubjectGroup {
  /** Full names, sorted: `user:guest`, `group:editors`. */
  readonly names: readonly string[]
  readonly subject: AccessSubject
  /** The subject before the plan, if the plan changes its groups, and where. */
  readonly before?: { readonly subject: AccessSubject; readonly causes: readonly Span[] }
  /** Full names of the more general subjects: all signed-in users, and the groups of a user. */
  readonly general: readonly string[]
  /** Whether it has all permissions by its nature, so that new and deleted resources are not worth a line. */
  readonly isAdministrator: boolean
  /** Whether the causes of its changes are listed even if they are implied. */
  readonly isWatched: boolean
}

/** Owner of no resource: the user of a subject that stands for many users. */
const anyUser = 'any user'

const guest = 'user:guest'
const everyone = 'user:everyone'
const authenticated = 'user:authenticated'
const administrators = 'group:administrators'

/**
 * Lists the subjects whose permissions may change: guests, signed-in users, the groups in rules, and users who have
 * other permissions than these, because rules name them, they own resources or they belong to several groups.
 *
 * Watched users and groups are listed anyway.
 */
export function listSubjects(
  trees: Pick<AccessTrees, 'before' | 'after'>,
  principals: Principals,
  { users = [], watched = new Set() }: AccessAudience,
): SubjectGroup[] {
  const idOf = (name: string): Key => principals.ids.get(name) ?? name
  const named = listNamed(trees)
  for (const name of watched) named.add(idOf(name))
  const ownerPrincipal = idOf('user:owner')
  const signedIn = [idOf(authenticated), idOf(everyone)]
  const subjectOf = (user: Key, more: readonly Key[]): AccessSubject => ({
    user,
    principals: new Set(more),
    ownerPrincipal,
  })
  const nameOf = (id: Key) => (typeof id === 'number' ? principals.nameOf(id) : id)
  const created = [...principals.created].map((name) => [name, name] as const)
  const groups = [...principals.ids, ...created]
    .filter(([name, id]) => name.startsWith('group:') && named.has(id))
    .map(([name, id]) => ({
      names: [name],
      subject: subjectOf(anyUser, [id, ...signedIn]),
      general: [authenticated],
      isAdministrator: name === administrators,
      isWatched: watched.has(name),
    }))
  const owners = named.has(ownerPrincipal) ? listOwners(trees) : new Set<Key>()
  const members = users.filter(({ system, superuser, disabled }) => !system && !superuser && !disabled)
  const distinct = groupMembers(members, { named, owners }).map((one) => ({
    names: one.names,
    subject: subjectOf(one.user, [...one.ids, ...signedIn]),
    ...(one.before === undefined
      ? {}
      : {
          before: {
            subject: subjectOf(one.user, [...one.before.ids, ...signedIn]),
            causes: one.before.causes,
          },
        }),
    general: [authenticated, ...one.groupIds.map(nameOf)],
    isAdministrator: [...one.groupIds, ...(one.before?.ids ?? [])].some(
      (id) => nameOf(id) === administrators,
    ),
    isWatched: one.names.some((name) => watched.has(name)),
  }))
  return [
    single(guest, subjectOf(idOf(guest), [idOf(guest), idOf(everyone)])),
    single(authenticated, subjectOf(anyUser, signedIn)),
    ...groups.toSorted((a, b) => compareText(a.names[0] ?? '', b.names[0] ?? '')),
    ...distinct,
  ]
}

const single = (name: string, subject: AccessSubject): SubjectGroup => ({
  names: [name],
  subject,
  general: [],
  isAdministrator: false,
  isWatched: false,
})

const compareText = (a: string, b: string) => (a < b ? -1 : Number(a > b))

type Trees = Pick<AccessTrees, 'before' | 'after'>

const resourcesOf = ({ before, after }: Trees): AccessResource[] => [...before.values(), ...after.values()]

function listNamed(trees: Trees): Set<Key> {
  const named = new Set<Key>()
  for (const { rules } of resourcesOf(trees)) for (const { principal } of rules) named.add(principal)
  return named
}

const listOwners = (trees: Trees) => new Set(resourcesOf(trees).map(({ owner }) => owner))

interface DistinctMembers {
  readonly names: readonly string[]
  readonly user: Key
  /** The user, if rules name it, and its groups in rules. */
  readonly ids: readonly Key[]
  readonly groupIds: readonly Key[]
  /** If the plan changes the groups. */
  readonly before: { readonly ids: readonly Key[]; readonly causes: readonly Span[] } | undefined
}

const compareKeys = (a: Key, b: Key) => compareText(String(a).padStart(12), String(b).padStart(12))

/** Groups users by what determines their permissions. Users who differ in nothing from one group, or from all, are left out. */
function groupMembers(
  members: readonly GroupMember[],
  { named, owners }: { readonly named: ReadonlySet<Key>; readonly owners: ReadonlySet<Key> },
): DistinctMembers[] {
  const found = new Map<string, DistinctMembers>()
  const inRules = (ids: readonly Key[]) => ids.filter((group) => named.has(group)).toSorted(compareKeys)
  for (const { id, keyname, member_of: memberOf = [], change } of members) {
    const oldIds = inRules(memberOf)
    const groupIds = change === undefined ? oldIds : inRules(change.memberOf)
    const isChanged = groupIds.join() !== oldIds.join()
    const isDistinct = named.has(id) || owners.has(id)
    if (!isDistinct && !isChanged && groupIds.length < 2) continue
    const signature = JSON.stringify([isDistinct ? id : null, groupIds, isChanged ? oldIds : null])
    const same = found.get(signature)
    const names = [...(same?.names ?? []), `user:${keyname}`].toSorted(compareText)
    const causes = [...(same?.before?.causes ?? []), ...(change?.causes ?? [])]
    found.set(signature, {
      names,
      user: isDistinct ? id : anyUser,
      ids: [id, ...groupIds],
      groupIds,
      before: isChanged ? { ids: [id, ...oldIds], causes } : undefined,
    })
  }
  return [...found.values()].toSorted((a, b) => compareText(a.names[0] ?? '', b.names[0] ?? ''))
}
