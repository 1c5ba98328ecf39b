import type { PrincipalRecords } from '../../api/read_principals.ts'
import type { PrincipalKind } from '../../contract/principal.ts'

/** A user or group of a server. */
export interface ActualPrincipal {
  readonly kind: PrincipalKind
  readonly id: number
  readonly keyname: string
  readonly displayName: string
  readonly system: boolean
  /** Members as in the API. */
  readonly members: Readonly<Record<string, unknown>>
  /** Keynames of the groups of a user, or of the users of a group. */
  readonly memberships: readonly string[]
  /** Whether a user has a password; undefined if unknown. */
  readonly hasPassword: boolean | undefined
}

/** Users and groups of a server, by kind and keyname in lower case: keynames are unique, ignoring case. */
export type ActualPrincipals = Readonly<Record<PrincipalKind, ReadonlyMap<string, ActualPrincipal>>>

/** Indexes users and groups by keyname. */
export function indexRecords({ users, groups }: PrincipalRecords): ActualPrincipals {
  const userNames = new Map(users.map(({ id, keyname }) => [id, keyname]))
  const groupNames = new Map(groups.map(({ id, keyname }) => [id, keyname]))
  const namesOf = (ids: readonly number[] | undefined, names: ReadonlyMap<number, string>) =>
    (ids ?? []).flatMap((id) => names.get(id) ?? []).toSorted()
  const read = (
    kind: PrincipalKind,
    record: PrincipalRecords['users'][number] | PrincipalRecords['groups'][number],
  ): [string, ActualPrincipal] => {
    const { id, keyname, display_name: displayName, system, ...members } = record
    const {
      member_of: groupIds,
      members: userIds,
      password,
    } = members as {
      readonly member_of?: readonly number[]
      readonly members?: readonly number[]
      readonly password?: boolean
    }
    const memberships = kind === 'user' ? namesOf(groupIds, groupNames) : namesOf(userIds, userNames)
    const found = {
      kind,
      id,
      keyname,
      displayName,
      system,
      members: record,
      memberships,
      hasPassword: password,
    }
    return [keyname.toLowerCase(), found]
  }
  return {
    user: new Map(users.map((user) => read('user', user))),
    group: new Map(groups.map((group) => read('group', group))),
  }
}
