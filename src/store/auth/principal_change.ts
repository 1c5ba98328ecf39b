import type { Database, Queryable } from '../../database/database.ts'
import { touchPermissionEpoch } from '../access/effective_permission.ts'

const channel = 'landform_principal'

/** Serializes changes of users, groups and memberships until the end of the transaction. */
export async function lockPrincipals(tx: Queryable): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtext(current_schema() || '.principal'))")
}

/** Notifies every process, on commit, that users, groups, sessions or tokens have changed and must be read again. */
export async function announcePrincipals(tx: Queryable): Promise<void> {
  await tx.query(`select pg_notify('${channel}', current_schema())`)
}

/** Notifies every process of a change that also affects permissions. */
export async function announceMemberships(tx: Queryable): Promise<void> {
  await touchPermissionEpoch(tx)
  await announcePrincipals(tx)
}

/**
 * Calls back whenever users, groups, sessions or tokens of this database may have changed, until the returned function
 * is called.
 */
export function listenToPrincipals(database: Database, onChange: () => void): Promise<() => Promise<void>> {
  return database.listen(channel, (payload) => {
    // An empty payload means that notifications may have been lost.
    if (payload === '' || payload === database.schema) onChange()
  })
}
