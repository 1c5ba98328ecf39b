import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLog } from '../../../src/core/log.ts'
import type { Database } from '../../../src/database/database.ts'
import { migrate, readMigrations } from '../../../src/database/migrate.ts'
import { openPostgres } from '../../../src/database/postgres.ts'
import { createHotMemory, type HotMemory } from '../../../src/server/hot/hot_memory.ts'
import { migrationsFolder } from '../../../src/store/migrations.ts'
import { usePostgres } from '../../support/postgres.ts'

const postgres = usePostgres()
let database: Database
let hot: HotMemory
let reads = 0

const read = () =>
  hot.get('key', async () => {
    reads += 1
    return reads
  })

beforeAll(async () => {
  database = await openPostgres({ url: postgres.url, log: silentLog })
  await migrate(database, await readMigrations(migrationsFolder), { version: 'test' })
  hot = await createHotMemory(database)
})
afterAll(async () => {
  await hot.close()
  await database.close()
})

test('concurrent calls share a read, which is not kept if a change arrives before its end', async () => {
  const gate = Promise.withResolvers<string>()
  const first = hot.get('shared', () => gate.promise)
  const second = hot.get('shared', async () => 'never read')
  await database.transaction((tx) => tx.query('update permission_epoch set value = value'))
  gate.resolve('old')
  expect([await first, await second]).toEqual(['old', 'old'])
  expect(await hot.get('shared', async () => 'new')).toBe('new')
})

test.each([
  ['a statement', () => database.query('update permission_epoch set value = value')],
  ['a transaction', () => database.transaction((tx) => tx.query('delete from rule where false'))],
  ['a failure', () => database.query('select nothing').catch(() => undefined)],
  [
    'a transaction that fails',
    () => database.transaction((tx) => tx.query('select nothing')).catch(() => undefined),
  ],
])('forgets after %s of its own process', async (_title, change) => {
  await read()
  const before = reads
  await change()
  await read()
  expect(reads).toBe(before + 1)
})

test('keeps nothing while it cannot listen', async () => {
  const lost = Promise.withResolvers<void>()
  const restored = Promise.withResolvers<void>()
  const stop = await database.listen('elsewhere', () => restored.resolve(), lost.resolve)
  const other = await openPostgres({ url: postgres.url, log: silentLog })
  await other.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like 'listen %'`,
  )
  await lost.promise
  const before = reads
  expect([await read(), await read()]).toEqual([before + 1, before + 2])
  await restored.promise
  await stop()
  await other.close()
  const after = await read()
  expect(after).toBe(before + 3)
})
