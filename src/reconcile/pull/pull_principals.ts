import type { Api } from '../../api/api.ts'
import { type PrincipalRecords, readPrincipalRecords } from '../../api/read_principals.ts'
import { problem } from '../../contract/problems.ts'
import type { WrittenBlock } from '../../manifest/rewrite.ts'

/** Users and groups as blocks of a manifest, by keyname. */
export interface PulledPrincipals {
  readonly users: Readonly<Record<string, WrittenBlock>>
  readonly groups: Readonly<Record<string, WrittenBlock>>
}

/**
 * Reads the users and groups of a server, without those of the system, as blocks of a manifest. Passwords are
 * environment variables named after the user.
 *
 * @throws {Problem} access/denied if the account is not an administrator, http/*
 */
export async function pullPrincipals(api: Api, signal: AbortSignal | undefined): Promise<PulledPrincipals> {
  const records = await readPrincipalRecords(api, signal)
  if (records !== undefined) return writePrincipals(records)
  throw problem('access/denied', 'This account cannot read users and groups.', {
    hint: 'Use the account of an administrator, or pull without --users.',
  })
}

/** Writes users and groups as blocks. Memberships in groups of the system are those of the user. */
export function writePrincipals({ users, groups }: PrincipalRecords): PulledPrincipals {
  const keynames = new Map(users.map(({ id, keyname }) => [id, keyname] as const))
  const systemGroups = new Map(groups.flatMap(({ id, keyname, system }) => (system ? [[id, keyname]] : [])))
  const writtenUsers = users.filter(({ system }) => !system)
  const written = new Set(writtenUsers.map(({ id }) => id))
  return {
    users: blocksOf(writtenUsers, ({ keyname, language, disabled, password, member_of: groupIds = [] }) => {
      const include = groupIds.flatMap((id) => systemGroups.get(id) ?? []).toSorted()
      return {
        ...(language === undefined ? {} : { language }),
        ...(disabled ? { disabled } : {}),
        ...(include.length === 0 ? {} : { member_of: { include } }),
        ...(password ? { password: { env: variableOf(keyname) } } : {}),
      }
    }),
    groups: blocksOf(
      groups.filter(({ system }) => !system),
      ({ members = [] }) => ({
        members: members
          .filter((id) => written.has(id))
          .flatMap((id) => keynames.get(id) ?? [])
          .toSorted(),
      }),
    ),
  }
}

const variableOf = (keyname: string) => `${keyname.replaceAll(/[^A-Za-z0-9]/g, '_').toUpperCase()}_PASSWORD`

interface NamedRecord {
  readonly keyname: string
  readonly display_name: string
  readonly description?: string | null
}

function blocksOf<T extends NamedRecord>(
  records: readonly T[],
  ownFields: (record: T) => WrittenBlock,
): Record<string, WrittenBlock> {
  const sorted = records.toSorted((a, b) => (a.keyname < b.keyname ? -1 : 1))
  return Object.fromEntries(
    sorted.map((record) => [
      record.keyname,
      {
        display_name: record.display_name,
        ...(record.description ? { description: record.description } : {}),
        ...ownFields(record),
      },
    ]),
  )
}
