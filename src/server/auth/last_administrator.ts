import { problem } from '../../contract/problems.ts'
import type { Queryable } from '../../database/database.ts'
import { findManagedIds } from '../../store/access/effective_permission.ts'
import type { Asker } from '../../store/access/principal_ids.ts'
import { type Administration, readAdministration } from '../../store/auth/principal.ts'
import { listRepresentatives } from '../../store/resource/resource_tree.ts'

/**
 * Does a change of users or groups, and refuses it where nobody who can log in would be left to administer the server,
 * or to manage a resource that an administrator can manage now. Principals have to be locked.
 *
 * @throws {Problem} principal/last-administrator
 */
export async function keepAdministrator<T>(tx: Queryable, work: () => Promise<T>): Promise<T> {
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
  const rulesOf = ({ id, superuser, principalIds }: Asker) => JSON.stringify([id, superuser, principalIds])
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
