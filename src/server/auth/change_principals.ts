import type { EndedAccess } from '../../contract/principal.ts'
import { problem } from '../../contract/problems.ts'
import { isProblem, type Problem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import { findManagedIds } from '../../store/access/effective_permission.ts'
import type { PermissionSubject } from '../../store/access/permission_subject.ts'
import { isAdministrator } from '../../store/auth/membership.ts'
import { type Administration, readAdministration } from '../../store/auth/principal.ts'
import { announceMemberships, lockPrincipals } from '../../store/auth/principal_change.ts'
import { deleteUserSessions } from '../../store/auth/session.ts'
import { deleteUserTokens } from '../../store/auth/token.ts'
import { listRepresentatives } from '../../store/resource/resource_tree.ts'
import type { ApiRequest } from '../http/handler.ts'

/** Request that changes users or groups. */
export type ChangeRequest = Pick<ApiRequest, 'context' | 'caller' | 'signal'>

/** Request that creates users, groups or tokens. */
export type CreateRequest = ChangeRequest & Pick<ApiRequest, 'idempotency'>

/**
 * Refuses callers that are not administrators, by their cached identity.
 *
 * @throws {Problem} access/denied
 */
export function requireAdministrator({ caller }: Pick<ApiRequest, 'caller'>): void {
  if (!caller.isAdministrator && !caller.superuser) throw administratorsOnly()
}

function administratorsOnly(): Problem {
  return problem('access/denied', 'Only administrators can manage users and groups.')
}

/**
 * Changes users or groups on behalf of an administrator, in one transaction that excludes concurrent changes. At least
 * one administrator who can sign in always remains.
 *
 * @throws {Problem} access/denied, principal/last-administrator, principal/name-taken, principal/referenced
 */
export async function changePrincipals<T>(
  { context, caller, signal }: ChangeRequest,
  work: (tx: Queryable) => Promise<T>,
): Promise<T> {
  const { database, authenticator } = context
  try {
    const result = await database.transaction(
      async (tx) => {
        await lockPrincipals(tx)
        if (!(await isAdministrator(tx, caller.id))) throw administratorsOnly()
        const done = await keepAdministrator(tx, () => work(tx))
        await announceMemberships(tx)
        return done
      },
      { signal },
    )
    // This process is notified as well, but possibly after the response to this request.
    authenticator.forget()
    return result
  } catch (error) {
    throw findConflict(error) ?? error
  }
}

// Constraint violations by concurrent changes of resources, rules or names, which the checks cannot see.
function findConflict(error: unknown): Problem | undefined {
  if (!isProblem(error, 'database/constraint')) return undefined
  const { constraint, sqlstate } = error.data
  if (constraint === 'principal_keyname' || constraint === 'principal_display_name')
    return problem('principal/name-taken', 'Another user or group has just taken the name.')
  if (sqlstate !== '23503') return undefined
  return problem('principal/referenced', 'A resource or a rule that refers to it has just been created.')
}

/**
 * Executes a change of users or groups. Rejects it if no administrator who can sign in would remain, or if a resource
 * that an administrator can manage now could not be managed any more. Requires the lock on principals.
 *
 * @throws {Problem} principal/last-administrator
 */
async function keepAdministrator<T>(tx: Queryable, work: () => Promise<T>): Promise<T> {
  const before = await readAdministration(tx)
  const result = await work()
  const after = await readAdministration(tx)
  if (after.administrators.length === 0)
    throw problem('principal/last-administrator', 'No administrator who can sign in would remain.')
  if (isWeaker(after, before)) await checkManaged(tx, before, after)
  return result
}

/** Tells whether an administrator was removed, or other rules apply to one than before. */
function isWeaker(after: Administration, before: Administration): boolean {
  const rulesOf = ({ id, superuser, principalIds }: PermissionSubject) =>
    JSON.stringify([id, superuser, principalIds])
  const known = new Set(after.administrators.map(rulesOf))
  return !before.administrators.every((one) => known.has(rulesOf(one)))
}

async function checkManaged(tx: Queryable, before: Administration, after: Administration): Promise<void> {
  const principalIds = [before, after].flatMap(({ administrators }) =>
    administrators.flatMap((one) => one.principalIds),
  )
  const all = await listRepresentatives(tx, [0], [before.ownerPrincipal, ...principalIds])
  const managed = await findManagedIds(tx, before, all)
  const left = await findManagedIds(tx, after, [...managed])
  const lost = [...managed].find((id) => !left.has(id))
  if (lost !== undefined)
    throw problem(
      'principal/last-administrator',
      `No enabled administrator could still read resource id = ${lost}, update it and change its permissions.`,
      {
        hint: 'Remove the rules that deny this to the other administrators first.',
        data: { resource_id: lost },
      },
    )
}

/** Access of a user that survives a password change. */
interface RetainedAccess {
  /** Digest of the session to keep. */
  readonly session?: string | undefined
  readonly tokens?: boolean | undefined
}

/** Ends the sessions and revokes the tokens of a user after a password change. The caller announces the change. */
export async function endAccess(
  tx: Queryable,
  userId: number,
  retained: RetainedAccess,
): Promise<EndedAccess> {
  return {
    ended_sessions: await deleteUserSessions(tx, userId, retained.session),
    revoked_tokens: retained.tokens === true ? 0 : await deleteUserTokens(tx, userId),
  }
}
