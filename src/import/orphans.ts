import type { Database } from '../database/database.ts'
import { dropStaging, findOrphans } from '../store/staging.ts'

/** A table that was not spoken of for so long has no process that fills it. */
const silentMinutes = 5

/**
 * Drops the tables that imports of dead processes left behind. On the embedded database no other process can be alive.
 *
 * @returns how many there were
 */
export async function dropOrphans(database: Database, instance: string): Promise<number> {
  const silent = database.driver === 'pglite' ? 0 : silentMinutes
  const names = await findOrphans(database, { instance, silentMinutes: silent })
  for (const name of names) await dropStaging(database, name)
  return names.length
}
