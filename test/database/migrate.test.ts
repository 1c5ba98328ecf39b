import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { silentLog } from '../../src/core/log.ts'
import type { Database } from '../../src/database/database.ts'
import { type Migration, migrate, readMigrations } from '../../src/database/migrate.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { migrationsFolder } from '../../src/store/migrations.ts'
import { drivers, openTestDatabase } from '../support/drivers.ts'
import { usePostgres } from '../support/postgres.ts'

const first = migration(1, 'create table a (id int)')
const second = migration(2, 'create table b (id int); insert into b values (1)')
const version = '1.2.3'

describe.each(drivers)('on %s', (driver) => {
  let database: Database

  beforeEach(async () => {
    database = await openTestDatabase(driver)
  })

  afterEach(() => database.close())

  test('applies each missing migration once', async () => {
    expect(await migrate(database, [first], { version })).toEqual([1])
    expect(await migrate(database, [first, second], { version })).toEqual([2])
    expect(await migrate(database, [first, second], { version })).toEqual([])
    expect(await database.query('select * from a, b')).toEqual([])
    expect(await database.query('select number, name, version from migration order by 1')).toEqual([
      { number: 1, name: 'm1', version },
      { number: 2, name: 'm2', version },
    ])
  })

  test('keeps the migrations before one that fails, and rolls back the failed one', async () => {
    const broken = migration(2, 'create table b (id int); select 1/0')
    await expect(migrate(database, [first, broken], { version })).rejects.toMatchObject({
      code: 'database/query',
    })
    expect(await database.query("select to_regclass('a')::text as a, to_regclass('b') as b")).toEqual([
      { a: 'a', b: null },
    ])
    expect(await migrate(database, [first, second], { version })).toEqual([2])
  })

  test('refuses a database newer than the program, and reports its version', async () => {
    await migrate(database, [first, second], { version: '9.0.0' })
    await expect(migrate(database, [first], { version })).rejects.toMatchObject({
      code: 'database/newer',
      message: 'the database contains migration 2 (m2), applied by landform 9.0.0',
    })
  })

  test('refuses a migration whose content differs from the applied one', async () => {
    await migrate(database, [first], { version })
    const changed = migration(1, 'create table a (id bigint)')
    await expect(migrate(database, [changed, second], { version })).rejects.toMatchObject({
      code: 'database/migration',
    })
    expect(await database.query("select to_regclass('b') as b")).toEqual([{ b: null }])
  })

  test('applies the migrations of the server', async () => {
    const own = await readMigrations(migrationsFolder)
    expect(await migrate(database, own, { version })).toEqual(own.map(({ number }) => number))
    expect(await database.query('select count(*)::int as n from resource')).toEqual([{ n: 0 }])
  })
})

describe('servers that start concurrently', () => {
  const postgres = usePostgres()

  test('apply each migration once', async () => {
    const servers = await Promise.all(
      Array.from({ length: 4 }, () => openPostgres({ url: postgres.url, log: silentLog })),
    )
    const slow = migration(1, 'create table a (id int); select pg_sleep(0.1)')
    const applied = await Promise.all(servers.map((server) => migrate(server, [slow, second], { version })))
    expect(applied.flat().sort()).toEqual([1, 2])
    await Promise.all(servers.map((server) => server.close()))
  })

  test('migrate two schemas of one database independently', async () => {
    const [one, two] = await Promise.all(
      ['one', 'two'].map((schema) => openPostgres({ url: postgres.url, schema, log: silentLog })),
    )
    expect(
      await Promise.all([one, two].map((server) => server && migrate(server, [first], { version }))),
    ).toEqual([[1], [1]])
    await one?.close()
    await two?.close()
  })
})

describe('readMigrations', () => {
  let folder: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'landform-migrations-'))
  })

  afterEach(() => rm(folder, { recursive: true, force: true }))

  test('returns the migrations in order, without other files', async () => {
    await writeFile(join(folder, '0002_b.sql'), 'select 2')
    await writeFile(join(folder, '0001_a.sql'), 'select 1')
    await writeFile(join(folder, 'README.md'), '')
    expect(await readMigrations(pathToFileURL(`${folder}/`))).toMatchObject([
      { number: 1, name: 'a', sql: 'select 1' },
      { number: 2, name: 'b', sql: 'select 2' },
    ])
  })

  test.each([[['0001_a.sql', '0003_c.sql']], [['0001_a.sql', '0001_b.sql']], [['one.sql']]])(
    'refuses missing and duplicate numbers: %j',
    async (names) => {
      for (const name of names) await writeFile(join(folder, name), '')
      await expect(readMigrations(pathToFileURL(`${folder}/`))).rejects.toThrow('expected migration number')
    },
  )
})

function migration(number: number, sql: string): Migration {
  return { number, name: `m${number}`, sql, checksum: `${number}:${sql}` }
}
