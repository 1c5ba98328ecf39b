import type { Log } from '../core/log.ts'
import type { Database } from '../database/database.ts'
import { dropStaging, findOrphans } from '../store/layer/staging_table.ts'
import { deleteOldPreparedSources } from '../store/upload/prepared_source.ts'

/** Lifetime of prepared sources. */
export const preparedHours = 24

/** Time after which an untouched staging table counts as abandoned. */
const abandonedMinutes = 5

/** A process that fills staging tables. */
export interface StagingOwner {
  /** Identifies the process among those that share the database. */
  readonly instance: string
  /** Tables of the process that could not be dropped yet. */
  readonly undroppedTables: Set<string>
}

/**
 * Drops a staging table unless a layer has adopted it. A table that cannot be dropped is left to `dropOrphans`: the
 * database usually fails for the reason that made the import fail, and that reason is the one to report.
 */
export async function discardStaging(
  {
    database,
    log,
    undroppedTables,
  }: Pick<StagingOwner, 'undroppedTables'> & {
    readonly database: Database
    readonly log: Log
  },
  name: string,
): Promise<void> {
  try {
    await dropStaging(database, name)
  } catch (error) {
    log.warn({ error, table: name }, 'cannot drop an unused staging table yet')
    undroppedTables.add(name)
  }
}

async function dropUndropped(database: Database, names: Set<string>): Promise<number> {
  const count = names.size
  for (const name of names) {
    await dropStaging(database, name)
    names.delete(name)
  }
  return count
}

/**
 * Drops the staging tables of terminated processes and of expired prepared sources. On the embedded database no other
 * process can be running.
 *
 * @returns the number of tables dropped
 */
export async function dropOrphans(
  database: Database,
  { instance, undroppedTables }: StagingOwner,
): Promise<number> {
  await deleteOldPreparedSources(database, preparedHours)
  const idleMinutes = database.driver === 'pglite' ? 0 : abandonedMinutes
  const names = await findOrphans(database, { instance, idleMinutes })
  for (const name of names) await dropStaging(database, name)
  return names.length + (await dropUndropped(database, undroppedTables))
}
