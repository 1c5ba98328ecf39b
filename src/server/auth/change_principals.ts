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

/** What a change of users or groups needs of its request. */
export type Changer = Pick<ApiRequest, 'context' | 'caller' | 'signal'>

/** What a creation of users, groups or tokens needs of its request. */
export type Creator = Changer & Pick<ApiRequest, 'once'>

/**
 * Refuses those who administer nothing, by what is remembered of them.
 *
 * @throws {Problem} access/denied
 */
export function requireAdministrator({ caller }: Pick<ApiRequest, 'caller'>): void {
  if (!caller.isAdministrator && !caller.superuser) throw forAdministrators()
}

function forAdministrators(): Problem {
  return problem('access/denied', 'Users and groups are for administrators.')
}

/**
 * Changes users or groups in one transaction, one change after the other, and only for administrators. Somebody who can
 * log in and administer is always left.
 *
 * @throws {Problem} access/denied, principal/last-administrator, principal/name-taken, principal/referenced
 */
export async function changePrincipals<T>(
  { context, caller, signal }: Changer,
  work: (tx: Queryable) => Promise<T>,
): Promise<T> {
  const { database, authenticator } = context
  try {
    const result = await database.transaction(
      async (tx) => {
        await lockPrincipals(tx)
        if (!(await isAdministrator(tx, caller.id))) throw forAdministrators()
        const done = await keepAdministrator(tx, () => work(tx))
        await announceMemberships(tx)
        return done
      },
      { signal },
    )
    // The announcement comes here too, but later than the answer to this request.
    authenticator.forget()
    return result
  } catch (error) {
    throw findConflict(error) ?? error
  }
}

// Where a resource, a rule or a name came in between: the database held what the checks could not see.
function findConflict(error: unknown): Problem | undefined {
  if (!isProblem(error, 'database/constraint')) return undefined
  const { constraint, sqlstate } = error.data
  if (constraint === 'principal_keyname' || constraint === 'principal_display_name')
    return problem('principal/name-taken', 'The name has just been given to somebody else.')
  if (sqlstate !== '23503') return undefined
  return problem('principal/referenced', 'Something has just come to depend on it.')
}

/**
 * Does a change of users or groups, and refuses it where nobody who can log in would be left to administer the server,
 * or to manage a resource that an administrator can manage now. Principals have to be locked.
 *
 * @throws {Problem} principal/last-administrator
 */
async function keepAdministrator<T>(tx: Queryable, work: () => Promise<T>): Promise<T> {
  const before = await readAdministration(tx)
  const result = await work()
  const after = await readAdministration(tx)
  if (after.administrators.length === 0)
    throw problem('principal/last-administrator', 'No administrator who can log in would be left.')
  if (isWeaker(after, before)) await checkManaged(tx, before, after)
  return result
}

/** Tells whether an administrator is gone, or is spoken of by other rules than before. */
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

/** What of a user's access outlives its password. */
interface KeptAccess {
  /** Digest of the session that goes on. */
  readonly session?: string | undefined
  readonly tokens?: boolean | undefined
}

/** Ends the sessions of a user whose password changes, and revokes its tokens. Principals are the caller's to announce. */
export async function endAccess(tx: Queryable, userId: number, kept: KeptAccess): Promise<EndedAccess> {
  return {
    ended_sessions: await deleteUserSessions(tx, userId, kept.session),
    revoked_tokens: kept.tokens === true ? 0 : await deleteUserTokens(tx, userId),
  }
}
