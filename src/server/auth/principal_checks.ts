import { hasPermission } from '../../access/permission_mask.ts'
import { isResourceId } from '../../contract/limits.ts'
import { problem } from '../../contract/problems.ts'
import type { Problem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import { findPermissionMasks } from '../../store/access/effective_permission.ts'
import { findPrincipals } from '../../store/auth/principal.ts'
import {
  findPrincipalNameHolders,
  findPrincipalRecord,
  type NameHolder,
  type PrincipalRecord,
} from '../../store/auth/principal_record.ts'
import { findPrincipalUses } from '../../store/auth/principal_use.ts'
import { invalidAt } from '../http/invalid_request.ts'
import type { Caller } from './caller.ts'

type Kind = PrincipalRecord['kind']

/**
 * Finds a user or a group.
 *
 * @throws {Problem} principal/not-found
 */
export async function getPrincipal(tx: Queryable, kind: Kind, id: number): Promise<PrincipalRecord> {
  const found = isResourceId(id) ? await findPrincipalRecord(tx, kind, id) : undefined
  if (found === undefined)
    throw problem('principal/not-found', `There is no ${kind} with id = ${id}.`, { data: { id } })
  return found
}

/** New names of a user or a group. */
export interface PrincipalNames {
  readonly id?: number
  readonly keyname?: string
  readonly displayName?: string
}

/**
 * Refuses names that another principal of the same kind has, or that are a keyname or display name of the other kind.
 *
 * @throws {Problem} principal/name-taken
 */
export async function checkPrincipalNames(tx: Queryable, kind: Kind, names: PrincipalNames): Promise<void> {
  const conflict = await findNameConflict(tx, kind, names)
  if (conflict !== undefined) throw nameTaken(kind, conflict)
}

/**
 * Like `checkPrincipalNames`, without saying who has the name: users may not list each other.
 *
 * @throws {Problem} principal/name-taken
 */
export async function checkOwnNames(tx: Queryable, names: PrincipalNames): Promise<void> {
  const conflict = await findNameConflict(tx, 'user', names)
  if (conflict === undefined) return
  const { member, name } = conflict
  throw problem('principal/name-taken', `The ${member} "${name}" is taken.`, {
    data: { location: ['body', `/${member}`] },
  })
}

interface NameConflict {
  readonly member: string
  readonly name: string | undefined
  readonly holder: NameHolder
}

async function findNameConflict(
  tx: Queryable,
  kind: Kind,
  names: PrincipalNames,
): Promise<NameConflict | undefined> {
  const { keyname, displayName } = names
  const holders = await findPrincipalNameHolders(tx, kind, names)
  if (holders.keynameHolder !== null)
    return { member: 'keyname', name: keyname, holder: holders.keynameHolder }
  if (holders.displayNameHolder === null) return undefined
  return { member: 'display_name', name: displayName, holder: holders.displayNameHolder }
}

function nameTaken(kind: Kind, { member, name, holder }: NameConflict): Problem {
  const owner = holder.kind === kind ? `another ${kind}` : `a ${holder.kind}`
  return problem('principal/name-taken', `The ${member} "${name}" belongs to ${owner}, id = ${holder.id}.`, {
    data: { location: ['body', `/${member}`], id: holder.id },
  })
}

/**
 * Checks that ids refer to principals of a kind that can take part in a membership; system users cannot be members.
 *
 * @throws {Problem} request/invalid with the location
 */
export async function checkMemberIds(
  tx: Queryable,
  kind: Kind,
  { member, ids = [] }: { readonly member: string; readonly ids?: readonly number[] | undefined },
): Promise<void> {
  const found = await findPrincipals(tx, ids)
  for (const [at, id] of ids.entries()) {
    const one = found.get(id)
    if (one?.kind !== kind) throw invalidAt(`/${member}/${at}`, `there is no ${kind} with id ${id}`)
    if (kind === 'user' && one.system)
      throw invalidAt(`/${member}/${at}`, `user ${id} is a system user and cannot be a member of a group`)
  }
}

/** Maximum number of resources that an error lists. */
const maxListed = 10

/**
 * Refuses to delete a principal that owns resources or that rules refer to. Lists the resources that the caller may see.
 *
 * @throws {Problem} principal/referenced
 */
export async function checkUnused(tx: Queryable, caller: Caller, record: PrincipalRecord): Promise<void> {
  const { count, first } = await findPrincipalUses(tx, record.id, maxListed)
  if (count === 0) return
  const masks = await findPermissionMasks(
    tx,
    caller,
    first.map(({ resourceId }) => resourceId),
  )
  const shown = first.filter(({ resourceId }) => hasPermission(masks.get(resourceId) ?? 0, 'resource.read'))
  const places = shown.map(
    ({ use, displayName, resourceId }) =>
      `${use === 'owner' ? 'owner' : 'in a rule'} of "${displayName}" (id = ${resourceId})`,
  )
  if (count > shown.length) places.push(`${count - shown.length} more`)
  throw problem('principal/referenced', `${nameOf(record)} is ${places.join(', ')}.`, {
    hint:
      record.kind === 'group'
        ? 'Remove it from the rules first.'
        : 'Transfer its resources to another user and remove it from the rules, or disable it.',
    data: { count, resources: shown.map(({ resourceId, use }) => ({ id: resourceId, use })) },
  })
}

/** Returns the name of a principal for messages: `User "ada"`. */
export function nameOf({ kind, keyname }: PrincipalRecord): string {
  return `${kind === 'user' ? 'User' : 'Group'} "${keyname}"`
}
