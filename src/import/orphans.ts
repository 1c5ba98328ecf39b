import type { Log } from '../core/log.ts'
import type { Database } from '../database/database.ts'
import { dropStaging, findOrphans } from '../store/layer/staging_table.ts'
import { deleteOldPrepared } from '../store/upload/prepared_source.ts'

/** How long features wait that were prepared. */
export const preparedHours = 24

/** A table that was not spoken of for so long has no process that fills it. */
const silentMinutes = 5

/** A process that fills staging tables. */
export interface StagingOwner {
  /** Identifies the process among those that share the database. */
  readonly instance: string
  /** Its tables that could not be dropped yet. */
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
 * Drops the staging tables of dead processes, and prepared ones that were never used. On the embedded database no
 * other process can be alive.
 *
 * @returns the number of tables dropped
 */
export async function dropOrphans(
  database: Database,
  { instance, undroppedTables }: StagingOwner,
): Promise<number> {
  await deleteOldPrepared(database, preparedHours)
  const silent = database.driver === 'pglite' ? 0 : silentMinutes
  const names = await findOrphans(database, { instance, silentMinutes: silent })
  for (const name of names) await dropStaging(database, name)
  return names.length + (await dropUndropped(database, undroppedTables))
}
