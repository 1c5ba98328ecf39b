import { problem } from '../../contract/problems.ts'
import { isProblem, type Problem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import { isAdministrator } from '../../store/auth/membership.ts'
import { announceMemberships, lockPrincipals } from '../../store/auth/principal_change.ts'
import type { ApiRequest } from '../http/handler.ts'
import { keepAdministrator } from './last_administrator.ts'

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
