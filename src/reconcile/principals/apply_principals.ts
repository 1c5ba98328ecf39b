import { randomUUID } from 'node:crypto'
import { type PrincipalKind, passwordLength } from '../../contract/principal.ts'
import { problem } from '../../contract/problems.ts'
import { isProblem, type Problem } from '../../core/problem.ts'
import type { SecretSource } from '../../manifest/manifest.ts'
import { sendWithRetries } from '../../transfer/retry_request.ts'
import type { ApplyOptions } from '../apply/apply_options.ts'
import { skipAll } from '../apply/join_reports.ts'
import type { Outcome, Report } from '../apply/outcome.ts'
import type { Change } from '../model/change.ts'
import { membershipsOf } from './diff_memberships.ts'

/** Outcomes of the changes of users and groups, and all ids by full name. */
export interface AppliedPrincipals {
  readonly report: Report
  readonly principals: ReadonlyMap<string, number>
}

interface Work {
  readonly options: ApplyOptions
  readonly principals: Map<string, number>
  readonly passwords: ReadonlyMap<Change, string>
  readonly made: Map<Change, number>
}

/**
 * Applies the changes of users and groups, a request each: new groups, then users with their groups, then groups with
 * their members. The first failure skips the rest. All passwords are read before the first request.
 */
export async function applyPrincipals(options: ApplyOptions): Promise<AppliedPrincipals> {
  const { plan, onEvent } = options
  const principals = new Map(plan.principals)
  const outcomes = new Map<Change, Outcome>()
  const finish = (outcome: Outcome) => {
    outcomes.set(outcome.change, outcome)
    onEvent?.({ type: 'finished', outcome })
  }
  const { passwords, fault } = await readPasswords(options)
  if (fault !== undefined) finish(fault)
  const work: Work = { options, principals, passwords, made: new Map() }
  let isStopped = fault !== undefined
  for (const { change, isLast, send } of listRequests(plan.changes)) {
    if (isStopped || options.signal?.aborted === true) break
    onEvent?.({ type: 'started', change })
    try {
      const id = await send(work, change)
      if (isLast) finish({ change, outcome: change.action === 'create' ? 'created' : 'updated', id })
    } catch (error) {
      if (!isProblem(error)) throw error
      finish({ change, outcome: 'failed', problem: error })
      isStopped = true
    }
  }
  return { report: reportOf(options, outcomes), principals }
}

function reportOf(options: ApplyOptions, outcomes: ReadonlyMap<Change, Outcome>): Report {
  const { plan, signal } = options
  const open = plan.changes.filter((change) => !outcomes.has(change))
  const done = [...outcomes.values()]
  const rest = skipAll({ ...options, plan: { ...plan, changes: open } }, { outcomes: done })
  const found = new Map([...done, ...rest.outcomes].map((outcome) => [outcome.change, outcome] as const))
  return {
    outcomes: plan.changes.flatMap((change) => found.get(change) ?? []),
    interrupted: signal?.aborted === true && open.length > 0,
    atomic: false,
  }
}

interface PrincipalRequest {
  readonly change: Change
  /** Whether the change is done after it. */
  readonly isLast: boolean
  /** Returns the id of the user or group. */
  readonly send: (work: Work, change: Change) => Promise<number>
}

function listRequests(changes: readonly Change[]): PrincipalRequest[] {
  const groups = changes.filter(({ record }) => record === 'group')
  const created = groups.filter(({ action }) => action === 'create')
  const hasMembers = ({ body }: Change) => membershipsOf(body.group) !== undefined
  return [
    ...created.map((change) => ({ change, isLast: !hasMembers(change), send: create })),
    ...changes
      .filter(({ record }) => record === 'user')
      .map((change) => ({ change, isLast: true, send: change.action === 'create' ? create : update })),
    ...groups
      .filter((change) => change.action !== 'create' || hasMembers(change))
      .map((change) => ({ change, isLast: true, send: update })),
  ]
}

async function readPasswords({ plan, readSecret }: ApplyOptions) {
  const passwords = new Map<Change, string>()
  for (const change of plan.changes) {
    if (change.password === undefined) continue
    try {
      passwords.set(change, await readPassword(change.password, readSecret))
    } catch (error) {
      if (!isProblem(error)) throw error
      return { passwords, fault: { change, outcome: 'failed', problem: error } as const }
    }
  }
  return { passwords, fault: undefined }
}

async function readPassword(source: SecretSource, readSecret: ApplyOptions['readSecret']): Promise<string> {
  if (readSecret === undefined) throw problem('apply/failed', 'This program cannot read passwords.')
  const password = withoutEnd(await readSecret(source))
  if (password === '') throw problem('apply/failed', `The password of ${describeSecret(source)} is empty.`)
  if (password.length > passwordLength.max)
    throw problem('apply/failed', `The password of ${describeSecret(source)} is too long.`)
  return password
}

/** Removes the end of the line from the output of a command, or the text of a file. */
export const withoutEnd = (password: string) => password.replace(/\r?\n$/, '')

/** Describes where a secret is, without the secret. */
export function describeSecret(source: SecretSource): string {
  if ('env' in source) return `the environment variable ${source.env}`
  return 'file' in source ? `the file "${source.file}"` : `the command "${source.command[0]}"`
}

async function create({ options, principals, passwords, made }: Work, change: Change): Promise<number> {
  const { api, signal } = options
  const kind = kindOf(change)
  const { memberships, ...fields } = change.body[kind] ?? {}
  const groups = kind === 'user' ? { member_of: idsOf(memberships, 'group', principals) } : {}
  const password = passwords.get(change)
  const body = {
    ...fields,
    keyname: change.key,
    ...(memberships === undefined ? {} : groups),
    ...(password === undefined ? {} : { password }),
  }
  const key = randomUUID()
  const { id } = await sendWithRetries(() => api.call(`auth.${kind}_create`, { body, key, signal }), {
    signal,
  })
  principals.set(`${kind}:${change.key}`, id)
  made.set(change, id)
  return id
}

async function update({ options, principals, passwords, made }: Work, change: Change): Promise<number> {
  const { api, plan, signal } = options
  const kind = kindOf(change)
  const created = made.get(change)
  const id = created ?? change.id ?? 0
  const { memberships: _, ...fields } = change.body[kind] ?? {}
  const password = passwords.get(change)
  const body = {
    ...(created === undefined ? fields : {}),
    ...membersBody(change, principals, plan.landform !== undefined),
    ...(password === undefined ? {} : { password }),
  }
  const send = () => api.call(`auth.${kind}_update`, { params: { id }, body, signal })
  await sendWithRetries<unknown>(send, { signal })
  return id
}

/** Other servers than landform replace the list of members. */
function membersBody(
  { record, body }: Change,
  principals: ReadonlyMap<string, number>,
  merges: boolean,
): Readonly<Record<string, readonly number[]>> {
  const change = membershipsOf(body[record ?? ''])
  if (change === undefined) return {}
  if (record === 'user') return { member_of: idsOf(change, 'group', principals) }
  if (!merges) return { members: idsOf(change, 'user', principals) }
  const ids = (names: readonly string[]) => idsOf({ names }, 'user', principals)
  return { add_members: ids(change.added), remove_members: ids(change.removed) }
}

function idsOf(change: unknown, kind: PrincipalKind, principals: ReadonlyMap<string, number>): number[] {
  const { names = [] } = (change ?? {}) as { readonly names?: readonly string[] }
  const known = new Map([...principals].map(([name, id]) => [name.toLowerCase(), id] as const))
  return names.flatMap((name) => known.get(`${kind}:${name.toLowerCase()}`) ?? [])
}

const kindOf = ({ record }: Change): PrincipalKind => (record === 'group' ? 'group' : 'user')

/** Tells whether a change is one of a user or group. */
export function isPrincipal({ record }: Pick<Change, 'record'>): boolean {
  return record === 'user' || record === 'group'
}

/** Returns the Problem of a secret that cannot be read. */
export function secretProblem(source: SecretSource, reason: string): Problem {
  const message = `Cannot read the password of ${describeSecret(source)}: ${reason}.`
  return problem('apply/failed', message, { data: { reason } })
}
