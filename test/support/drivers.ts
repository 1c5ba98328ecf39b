import { afterAll, describe } from 'vitest'
import { silentLog } from '../../src/core/log.ts'
import type { Database } from '../../src/database/database.ts'
import { migrate, readMigrations } from '../../src/database/migrate.ts'
import { openPostgres, type PostgresOptions } from '../../src/database/postgres.ts'
import { migrationsFolder } from '../../src/store/migrations.ts'
import { openTestSchema } from './embedded.ts'
import { createTestDatabase } from './postgres.ts'

const all = ['pglite', 'postgres'] as const satisfies readonly Database['driver'][]
const selected = process.env.LANDFORM_TEST_DATABASE
if (selected !== undefined && !all.some((driver) => driver === selected))
  throw new Error(`LANDFORM_TEST_DATABASE is "${selected}", not one of ${all.join(', ')}`)

/**
 * The database drivers to test on: both, or the one in the environment variable LANDFORM_TEST_DATABASE.
 */
export const drivers = all.filter((driver) => selected === undefined || driver === selected)

/** The driver of tests that run on one, see `describeServer`: the quicker one, if it is tested on. */
export const oneDriver = drivers.slice(-1)

/**
 * Opens an empty database of a driver, with PostGIS. Closing it drops the database. Prefer `describeDrivers`, which
 * also closes it.
 *
 * @param options options of the PostgreSQL driver; `isMigrated` saves its migrations, which the embedded database runs
 */
export async function openTestDatabase(
  driver: Database['driver'],
  { isMigrated = false, ...options }: Partial<PostgresOptions> & { readonly isMigrated?: boolean } = {},
): Promise<Database> {
  if (driver === 'pglite') return openTestSchema()
  const created = await createTestDatabase({ isMigrated })
  const database = await openPostgres({ url: created.url, log: silentLog, ...options })
  const close = async () => {
    await closeDatabase()
    await created.drop()
  }
  const closeDatabase = database.close.bind(database)
  return Object.assign(database, { close })
}

/**
 * Runs a block of tests on each driver. `open` returns the migrated database of the block, always the same one, which
 * is dropped after the block:
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
  const database = await openTestDatabase(driver, { isMigrated: true })
  await migrate(database, await readMigrations(migrationsFolder), { version: 'test' })
  return database
}
