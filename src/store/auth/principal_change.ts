import type { Database, Queryable } from '../../database/database.ts'
import { touchPermissionEpoch } from '../access/effective_permission.ts'

const channel = 'landform_principal'

/** Makes changes of users, groups and memberships take turns, until the end of the transaction. */
export async function lockPrincipals(tx: Queryable): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtext(current_schema() || '.principal'))")
}

/**
 * Tells all processes that users, groups, sessions or tokens have changed: who somebody is has to be asked anew. They
 * hear it when the transaction stands.
 */
export async function announcePrincipals(tx: Queryable): Promise<void> {
  await tx.query(`select pg_notify('${channel}', current_schema())`)
}

/** The same, where it also changes what somebody may do. */
export async function announceMemberships(tx: Queryable): Promise<void> {
  await touchPermissionEpoch(tx)
  await announcePrincipals(tx)
}

/**
 * Calls back when users, groups, sessions or tokens of this database have changed, or may have, until the returned
 * function is called.
 */
export function listenToPrincipals(database: Database, onChange: () => void): Promise<() => Promise<void>> {
  return database.listen(channel, (payload) => {
    // An empty one says that something may have been missed.
    if (payload === '' || payload === database.schema) onChange()
  })
}
