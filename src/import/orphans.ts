import type { Log } from '../core/log.ts'
import type { Database } from '../database/database.ts'
import { perDatabase } from '../database/per_database.ts'
import { dropStaging, findOrphans } from '../store/layer/staging_table.ts'
import { deleteOldPrepared } from '../store/upload/prepared_source.ts'

/** How long features wait that were prepared. */
export const preparedHours = 24

/** A table that was not spoken of for so long has no process that fills it. */
const silentMinutes = 5

/** Tables of this process that could not be dropped when they should have been, by their database. */
const waitingIn = perDatabase(() => new Set<string>())

/**
 * Drops a table unless a layer has adopted it: now, or with the orphans where the database cannot. What keeps it from
 * doing so is mostly what made the work fail, which is to be told instead.
 */
export async function discardStaging(database: Database, name: string, log: Log): Promise<void> {
  try {
    await dropStaging(database, name)
  } catch (error) {
    log.warn({ error, table: name }, 'a table that nobody needs could not be dropped yet')
    waitingIn(database).add(name)
  }
}

async function dropWaiting(database: Database): Promise<number> {
  const names = waitingIn(database)
  const count = names.size
  for (const name of names) {
    await dropStaging(database, name)
    names.delete(name)
  }
  return count
}

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
  return names.length + (await dropWaiting(database))
}
