import type { PrincipalNames } from '../../api/read_former_principals.ts'
import type { PrincipalRecords } from '../../api/read_principals.ts'
import { type PrincipalKind, principalKinds } from '../../contract/principal.ts'
import type { Issue } from '../../core/issue.ts'
import type { WantedPrincipal, WantedPrincipals } from '../../manifest/manifest.ts'
import { membershipPointer } from '../../manifest/principals/check_principals.ts'
import type { Change, Edit, Plan, UncomparedSecret } from '../model/change.ts'
import { indexPrincipals, type Principals } from '../model/principals.ts'
import { issueAt } from '../plan/issue_at.ts'
import { reportOrphan } from '../plan/prune.ts'
import { diffMemberships } from './diff_memberships.ts'

/** Desired users and groups, and those of the server. */
export interface PrincipalInput {
  readonly wanted: WantedPrincipals | undefined
  /** Users and groups of the server; undefined if the account cannot read them. */
  readonly records: PrincipalRecords | undefined
  /** Users and groups that the manifest was the last to create or change; absent if that is not known. */
  readonly former?: PrincipalNames | undefined
  /** Names and ids of the users and groups of the server. */
  readonly principals: Principals
  /** Keys whose secrets are sent again. */
  readonly sendSecrets: ReadonlySet<string>
}

/** The part of a plan that concerns users and groups. */
export interface PrincipalPlan extends Pick<Plan, 'changes' | 'unchanged' | 'unknown' | 'issues'> {
  readonly uncompared: readonly UncomparedSecret[]
  /** Names as they are after the plan; created users and groups have no id. */
  readonly principals: Principals
}

/** A user or group of a server. */
interface ActualPrincipal {
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
type ActualPrincipals = Readonly<Record<PrincipalKind, ReadonlyMap<string, ActualPrincipal>>>

/** Computes the changes that bring users and groups to the desired state. Never deletes any. Pure. */
export function planPrincipals(input: PrincipalInput): PrincipalPlan {
  const { wanted, records, principals } = input
  const none = { changes: [], unchanged: 0, unknown: [], uncompared: [], issues: [] }
  if (wanted === undefined) return { ...none, principals }
  const blocks = principalKinds.flatMap((kind) => [...wanted[kind].values()])
  if (records === undefined) return { ...planUnread(blocks), principals: declare(principals, blocks) }
  const actual = indexRecords(records)
  const pairs = withNewNames(new Map(blocks.map((block) => [block, findMatch(block, actual)] as const)))
  const issues = blocks.flatMap((block) => [
    ...checkMatch(block, actual, pairs),
    ...checkMembers(block, actual, wanted),
  ])
  issues.push(...reportOrphans(actual, pairs, input.former))
  const changes = blocks.flatMap((block) => planOne(block, pairs.get(block), input) ?? [])
  return {
    changes,
    unchanged: blocks.length - changes.length,
    unknown: [],
    uncompared: listUncompared(blocks, pairs, changes),
    issues,
    principals: rename(principals, pairs),
  }
}

/** Reports users and groups that the manifest no longer contains; users who are disabled cannot sign in. */
function reportOrphans(actual: ActualPrincipals, pairs: Pairs, former: PrincipalNames | undefined): Issue[] {
  const kept = new Set([...pairs.values()].map((found) => found?.id))
  const orphans = principalKinds.flatMap((kind) =>
    [...actual[kind].values()].filter(
      ({ id, keyname, system, members }) =>
        former?.[kind].has(keyname) && !kept.has(id) && !system && members.disabled !== true,
    ),
  )
  return orphans.map(({ kind, keyname }) => {
    const stays = kind === 'user' ? '; the account stays active' : ''
    const remove = `Delete it with landform ${kind} delete ${keyname}`
    const hint = kind === 'user' ? `${remove}, or landform user update ${keyname} --disable.` : `${remove}.`
    return { ...reportOrphan(keyname, kind, stays), hint }
  })
}

/** Plans nothing if users and groups cannot be read: none is known to be absent. */
function planUnread(blocks: readonly WantedPrincipal[]): Omit<PrincipalPlan, 'principals'> {
  const reason = 'this account cannot read users and groups'
  const unknown = blocks.map(({ key, kind }) => ({ key, cls: kind, path: [key], reason }))
  const [first] = blocks
  if (first === undefined) return { changes: [], unchanged: 0, unknown, uncompared: [], issues: [] }
  const issue = issueAt(first, 'plan/unknown', 'this account cannot read and manage users and groups')
  return {
    changes: [],
    unchanged: 0,
    unknown,
    uncompared: [],
    issues: [{ ...issue, hint: 'Use the account of an administrator, or remove users: and groups:.' }],
  }
}

/** Lists the passwords of users who have one; those that are sent are edits. */
function listUncompared(
  blocks: readonly WantedPrincipal[],
  pairs: Pairs,
  changes: readonly Change[],
): UncomparedSecret[] {
  const sent = new Set(changes.flatMap(({ password, key }) => (password === undefined ? [] : [key])))
  const kept = blocks.filter((block) => block.password !== undefined && pairs.get(block) !== undefined)
  return kept.flatMap(({ key }) => (sent.has(key) ? [] : [{ key, field: 'password' }]))
}

const fullName = ({ kind, key }: Pick<WantedPrincipal, 'kind' | 'key'>) => `${kind}:${key}`

function declare(principals: Principals, blocks: readonly WantedPrincipal[]): Principals {
  const list = [...principals.ids].map(([name, id]) => principalOf(name, id))
  const created = new Set(blocks.map(fullName).filter((name) => !principals.ids.has(name)))
  return { ...indexPrincipals(list, created), known: principals.known }
}

/** What exists of the users and groups of the manifest. */
type Pairs = ReadonlyMap<WantedPrincipal, ActualPrincipal | undefined>

/** Gives renamed users and groups their new names, and adds those that the plan creates. */
function rename(principals: Principals, pairs: Pairs): Principals {
  const names = new Map([...principals.ids].map(([name, id]) => [id, name]))
  const created = new Set<string>()
  for (const [block, found] of pairs)
    if (found === undefined) created.add(fullName(block))
    else names.set(found.id, fullName(block))
  const isRenamed = [...principals.ids].some(([name, id]) => names.get(id) !== name)
  const index = indexPrincipals(
    [...names].map(([id, name]) => principalOf(name, id)),
    created,
  )
  return isRenamed ? { ...index, former: principals } : index
}

function principalOf(name: string, id: number) {
  const kind: PrincipalKind = name.startsWith('group:') ? 'group' : 'user'
  return { id, kind, keyname: name.slice(kind.length + 1) }
}

/** Names the members of groups, and the groups of users, as they are after the plan: a renamed one stays where it is. */
function withNewNames(pairs: Pairs): Pairs {
  const renamed = new Map(
    [...pairs].flatMap(([block, found]) =>
      found === undefined ? [] : [[`${found.kind}:${found.keyname}`, block.key] as const],
    ),
  )
  const rename = (found: ActualPrincipal): ActualPrincipal => {
    const other = found.kind === 'user' ? 'group' : 'user'
    return {
      ...found,
      memberships: found.memberships.map((name) => renamed.get(`${other}:${name}`) ?? name),
    }
  }
  return new Map([...pairs].map(([block, found]) => [block, found && rename(found)]))
}

function findMatch({ kind, key, was }: WantedPrincipal, actual: ActualPrincipals) {
  const old = was === undefined ? undefined : actual[kind].get(was.toLowerCase())
  return actual[kind].get(key.toLowerCase()) ?? old
}

/** Reports names that belong to others, and old keys without effect. */
function checkMatch(block: WantedPrincipal, actual: ActualPrincipals, pairs: Pairs): Issue[] {
  const { kind, key, was, members } = block
  const found = pairs.get(block)
  const issues: Issue[] = []
  if (was !== undefined && found?.keyname.toLowerCase() === key.toLowerCase()) {
    const message = `"${key}" already has its new key; was: "${was}" has no effect`
    issues.push({ ...issueAt(block, 'plan/spent', message, '/was'), severity: 'warning' })
  }
  const other = kind === 'user' ? 'group' : 'user'
  const taken = actual[other].get(key.toLowerCase())
  if (taken !== undefined) issues.push(takenName(block, `the keyname "${key}" is that of a ${other}`, ''))
  const name = String(members.display_name ?? (found === undefined ? key : found.displayName)).toLowerCase()
  const renamed = new Set([...pairs.values()].map((one) => one?.id))
  const holder = principalKinds
    .flatMap((one) => [...actual[one].values()])
    .find(({ id, displayName }) => displayName.toLowerCase() === name && id !== found?.id && !renamed.has(id))
  if (holder !== undefined)
    issues.push(
      takenName(
        block,
        `the display name "${holder.displayName}" is that of the ${holder.kind} "${holder.keyname}"`,
        '/display_name',
      ),
    )
  return issues
}

function takenName(block: WantedPrincipal, message: string, pointer: string): Issue {
  const hint = 'Choose another name: names are unique across users and groups, ignoring case.'
  return { ...issueAt(block, 'principal/name-taken', message, pointer), hint }
}

/** Reports memberships of users and groups that neither the manifest nor the server has. */
function checkMembers(block: WantedPrincipal, actual: ActualPrincipals, wanted: WantedPrincipals): Issue[] {
  const { kind, memberships } = block
  const other = kind === 'user' ? 'group' : 'user'
  return (memberships?.names ?? []).flatMap((name, at) => {
    if (memberships === undefined || wanted[other].has(name) || actual[other].has(name.toLowerCase()))
      return []
    const issue = issueAt(
      block,
      'plan/principal',
      `unknown ${other} "${name}"`,
      membershipPointer(kind, memberships, at),
    )
    return [{ ...issue, hint: `Add it to ${other}s: of the manifest, or correct the keyname.` }]
  })
}

/** Compares a user or group with its match; undefined if they are equal. */
function planOne(
  block: WantedPrincipal,
  found: ActualPrincipal | undefined,
  { wanted, sendSecrets }: PrincipalInput,
): Change | undefined {
  const { kind, key, members, password } = block
  const edits: Edit[] = []
  const body: Record<string, unknown> = {}
  if (found?.keyname !== key) {
    body.keyname = key
    if (found !== undefined) edits.push({ pointer: '/keyname', from: found.keyname, to: key })
  }
  for (const [name, to] of Object.entries(members)) {
    const from = found?.members[name] ?? undefined
    if (from === (to ?? undefined)) continue
    edits.push({ pointer: `/${name}`, ...(from === undefined ? {} : { from }), to })
    body[name] = to
  }
  const memberships = diffMemberships(block, found?.memberships ?? [], wanted)
  edits.push(...memberships.edits)
  const sends =
    password !== undefined && (found === undefined || found.hasPassword === false || sendSecrets.has(key))
  if (sends) edits.push({ pointer: '/password', secret: true })
  if (found !== undefined && edits.length === 0) return undefined
  const displayName = String(members.display_name ?? found?.displayName ?? key)
  return {
    action: found === undefined ? 'create' : 'update',
    record: kind,
    key,
    cls: kind,
    displayName,
    path: [displayName],
    ...(found === undefined ? {} : { id: found.id }),
    edits,
    ...(sends ? { password } : {}),
    body: { [kind]: { ...body, ...memberships.body } },
  }
}

/** Indexes users and groups by keyname. */
function indexRecords({ users, groups }: PrincipalRecords): ActualPrincipals {
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
