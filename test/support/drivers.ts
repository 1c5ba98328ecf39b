import { afterAll, describe } from 'vitest'
import { silentLog } from '../../src/core/log.ts'
import type { Database } from '../../src/database/database.ts'
import { migrate, readMigrations } from '../../src/database/migrate.ts'
import { openPostgres, type PostgresOptions } from '../../src/database/postgres.ts'
import { migrationsFolder } from '../../src/store/migrations.ts'
import { openTestSchema } from './embedded.ts'
import { createTestDatabase } from './postgres.ts'

const all = ['pglite', 'postgres'] as const satisfies readonly Database['driver'][]
const chosen = process.env.LANDFORM_TEST_DATABASE
if (chosen !== undefined && !all.some((driver) => driver === chosen))
  throw new Error(`LANDFORM_TEST_DATABASE is "${chosen}", not one of ${all.join(', ')}`)

/**
 * The databases that everything on top of the interface is tested on: both, or the one that the variable
 * LANDFORM_TEST_DATABASE names.
 */
export const drivers = all.filter((driver) => chosen === undefined || driver === chosen)

/**
 * Opens a database of a driver that nobody else uses, with PostGIS and no table of ours. Closing it deletes all that is
 * in it. Prefer `describeDrivers`, which closes it too.
 *
 * @param options how PostgreSQL is used
 */
export async function openTestDatabase(
  driver: Database['driver'],
  options: Partial<PostgresOptions> = {},
): Promise<Database> {
  if (driver === 'pglite') return openTestSchema()
  const created = await createTestDatabase()
  const database = await openPostgres({ url: created.url, log: silentLog, ...options })
  const close = async () => {
    await closeDatabase()
    await created.drop()
  }
  const closeDatabase = database.close.bind(database)
  return Object.assign(database, { close })
}

/**
 * Runs a block of tests on each driver. `open` gives the block's database, migrated; always the same one, closed and
 * deleted after the block:
 *
 *     describeDrivers('layers', (open) => {
 *       test('…', async () => {
 *         const database = await open()
 *       })
 *     })
 */
export function describeDrivers(
  title: string,
  block: (open: () => Promise<Database>, driver: Database['driver']) => void,
): void {
  describe.each(drivers)(`${title} on %s`, (driver) => {
    let opening: Promise<Database> | undefined
    block(() => {
      opening ??= openMigrated(driver)
      return opening
    }, driver)
    afterAll(async () => {
      await (await opening?.catch(() => undefined))?.close()
    })
  })
}

async function openMigrated(driver: Database['driver']): Promise<Database> {
  const database = await openTestDatabase(driver)
  await migrate(database, await readMigrations(migrationsFolder), { version: 'test' })
  return database
}
