import { type PrincipalKind, principalKinds } from '../../contract/principal.ts'
import type { Issue } from '../../core/issue.ts'
import { joinPointer } from '../../core/pointer.ts'
import { checkTexts } from '../checks/check_content.ts'
import { checkUnique, checkWas } from '../checks/check_identity.ts'
import type { WantedMemberships } from '../manifest.ts'
import { blockIssue, placeOf } from '../manifest_block.ts'
import type { PrincipalBlock } from './principal_block.ts'

/** The first block of each key, by kind. */
export type PrincipalBlocks = Readonly<Record<PrincipalKind, ReadonlyMap<string, PrincipalBlock>>>

/** Checks names and memberships of users and groups, for rules that their schemas cannot express. */
export function checkPrincipalBlocks(blocks: PrincipalBlocks): Issue[] {
  const all = principalKinds.flatMap((kind) => [...blocks[kind].values()])
  return [
    ...all.flatMap((block) => [...checkTexts(block), ...checkWas(block, blocks[block.kind])]),
    ...principalKinds.flatMap((kind) => checkUnique([...blocks[kind].values()], 'was')),
    ...checkNames(all, 'keyname', ({ key }) => key),
    ...checkNames(all, 'display name', ({ value }) => value.display_name),
    ...all.flatMap(checkDuplicates),
    ...[...blocks.user.values()].flatMap((user) => checkMemberships(user, blocks.group)),
  ]
}

/** Checks that names are unique among users and groups, ignoring case. */
function checkNames(
  blocks: readonly PrincipalBlock[],
  what: 'keyname' | 'display name',
  nameOf: (block: PrincipalBlock) => unknown,
): Issue[] {
  const seen = new Map<string, PrincipalBlock>()
  return blocks.flatMap((block) => {
    const name = nameOf(block)
    if (typeof name !== 'string') return []
    const first = seen.get(name.toLowerCase())
    if (first === undefined) {
      seen.set(name.toLowerCase(), block)
      return []
    }
    const message = `the ${what} "${name}" is also that of the ${first.kind} "${first.key}" in ${placeOf(first)}`
    return [
      blockIssue(block, {
        code: 'manifest/duplicate-name',
        pointer: what === 'keyname' ? '' : '/display_name',
        message,
        hint: 'rename one of them: names are unique among users and groups, ignoring case',
        at: what === 'keyname' ? 'key' : 'value',
      }),
    ]
  })
}

/** Field with the memberships of a kind. */
export const membershipField: Readonly<Record<PrincipalKind, 'member_of' | 'members'>> = {
  user: 'member_of',
  group: 'members',
}

/** Reads the memberships of a block; undefined if it has none, or no valid ones. */
export function readMemberships({ kind, value }: PrincipalBlock): WantedMemberships | undefined {
  const written = value[membershipField[kind]]
  const names = Array.isArray(written) ? written : (written as { include?: unknown } | undefined)?.include
  if (!Array.isArray(names)) return undefined
  return { owns: Array.isArray(written) ? 'all' : 'listed', names: names.map(String) }
}

/** Returns the pointer of a membership in its block. */
export function membershipPointer(kind: PrincipalKind, { owns }: WantedMemberships, at: number): string {
  const field = membershipField[kind]
  return owns === 'all' ? joinPointer('', field, at) : joinPointer('', field, 'include', at)
}

function checkDuplicates(block: PrincipalBlock): Issue[] {
  const memberships = readMemberships(block)
  return (memberships?.names ?? []).flatMap((name, at, names) => {
    if (memberships === undefined || names.indexOf(name) === at) return []
    const pointer = membershipPointer(block.kind, memberships, at)
    return [
      blockIssue(block, {
        code: 'manifest/duplicate-item',
        pointer,
        message: `"${name}" is listed twice`,
        hint: 'remove one of them',
      }),
    ]
  })
}

/** Reports memberships that the user and the group contradict: one lists it, the other one lists all and not it. */
function checkMemberships(user: PrincipalBlock, groups: ReadonlyMap<string, PrincipalBlock>): Issue[] {
  const own = readMemberships(user)
  return [...groups.values()].flatMap((group) => {
    const theirs = readMemberships(group)
    if (own === undefined || theirs === undefined) return []
    const at = own.names.indexOf(group.key)
    const isListed = theirs.names.includes(user.key)
    const isContradiction = at >= 0 ? theirs.owns === 'all' && !isListed : own.owns === 'all' && isListed
    if (!isContradiction) return []
    return [
      blockIssue(user, {
        code: 'manifest/conflict',
        pointer: at >= 0 ? membershipPointer('user', own, at) : '/member_of',
        message: `the group "${group.key}" ${isListed ? 'lists' : 'does not list'} the user, in ${placeOf(group)}`,
        hint: 'write the membership in one place: in member_of: of the user, or in members: of the group',
      }),
    ]
  })
}
