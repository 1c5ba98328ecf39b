import type { WantedPrincipal, WantedPrincipals } from '../../manifest/manifest.ts'
import { membershipField } from '../../manifest/principals/check_principals.ts'
import type { Edit } from '../model/change.ts'

/** Memberships to add and remove, and all after the change; keynames. */
export interface MembershipChange {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly names: readonly string[]
}

/** Difference between the desired and the actual memberships of a user or group. */
export interface MembershipDiff {
  readonly edits: readonly Edit[]
  /** Empty if nothing changes. */
  readonly body: { readonly memberships?: MembershipChange }
}

/**
 * Compares the memberships of a user or group. A membership that both the user and the group write is changed with the
 * group only.
 */
export function diffMemberships(
  block: WantedPrincipal,
  current: readonly string[],
  wanted: WantedPrincipals | undefined,
): MembershipDiff {
  const { kind, key, memberships } = block
  if (memberships === undefined) return { edits: [], body: {} }
  const { owns, names } = memberships
  const isOwn = (name: string) => kind === 'group' || !isWrittenByGroup(key, name, wanted)
  const has = (list: readonly string[], name: string) =>
    list.some((one) => one.toLowerCase() === name.toLowerCase())
  const added = names.filter((name) => !has(current, name) && isOwn(name))
  const removed = owns === 'listed' ? [] : current.filter((name) => !has(names, name) && isOwn(name))
  if (added.length + removed.length === 0) return { edits: [], body: {} }
  const pointer = `/${membershipField[kind]}`
  const kept = current.filter((name) => !removed.includes(name))
  return {
    edits: [...added.map((to) => ({ pointer, to })), ...removed.map((from) => ({ pointer, from }))],
    body: { memberships: { added, removed, names: [...kept, ...added] } },
  }
}

function isWrittenByGroup(user: string, group: string, wanted: WantedPrincipals | undefined): boolean {
  const memberships = wanted?.group.get(group)?.memberships
  return memberships !== undefined && (memberships.owns === 'all' || memberships.names.includes(user))
}

/** Reads the change of memberships of a planned change. */
export function membershipsOf(
  body: Readonly<Record<string, unknown>> | undefined,
): MembershipChange | undefined {
  return body?.memberships as MembershipChange | undefined
}
