import type { Database } from '../database/database.ts'
import { deleteOldPrepared } from '../store/prepared_source.ts'
import { dropStaging, findOrphans } from '../store/staging.ts'

/** How long features wait that were prepared. */
export const preparedHours = 24

/** A table that was not spoken of for so long has no process that fills it. */
const silentMinutes = 5

/**
 * Drops the tables that imports of dead processes left behind, and those that were prepared and never used. On the embedded database no other process can be alive.
 *
 * @returns how many there were
 */
export async function dropOrphans(database: Database, instance: string): Promise<number> {
  await deleteOldPrepared(database, preparedHours)
  const silent = database.driver === 'pglite' ? 0 : silentMinutes
  const names = await findOrphans(database, { instance, silentMinutes: silent })
  for (const name of names) await dropStaging(database, name)
  return names.length
}
