import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setImmediate } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { silentLog } from '../../src/core/log.ts'
import type { Database } from '../../src/database/database.ts'
import { type EmbeddedOptions, openEmbedded } from '../../src/database/pglite.ts'
import { bundleName } from '../../src/database/postgis.ts'
import { prepare, preparedName, startInMemory } from '../../src/database/start.ts'
import { unpackTar } from '../../src/database/tar.ts'
import { openTestSchema } from '../support/embedded.ts'

/** Computes for minutes without reading or writing anything. */
const deafQuery =
  'select count(*) from generate_series(1, 30000) a, generate_series(1, 300000) b where a.a + b.b = 0'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landform-embedded-'))
  return () => rm(folder, { recursive: true, force: true })
})

const opened = new Set<Database>()

// An instance for all tests in memory, which is opened and closed with its first and last schema.
let keeper: Database | undefined

beforeAll(async () => {
  keeper = await openTestSchema()
})

afterAll(() => keeper?.close())

afterEach(async () => {
  await Promise.all([...opened].map((database) => database.close()))
  opened.clear()
})

// A start compiles PostgreSQL, and some tests start several.
describe('a folder', { timeout: 240_000 }, () => {
  test('keeps what was saved, for one opener at a time', async () => {
    const database = await open()
    await database.query('create table kept (id int)')
    await database.query('insert into kept values (1)')
    await expect(openEmbedded({ folder, log: silentLog })).rejects.toMatchObject({
      code: 'database/locked',
      data: { pid: process.pid, folder },
    })
    const elsewhere = start(`
      const { openEmbedded } = await import(${JSON.stringify(entry)})
      const log = ${emptyLog}
      await openEmbedded({ folder: ${JSON.stringify(folder)}, log }).catch((error) => console.log(error.code, error.message))
    `)
    const [line] = await once(createInterface(elsewhere.stdout), 'line')
    expect(line).toBe(`database/locked process ${process.pid} uses the data folder ${folder}`)
    await once(elsewhere, 'exit')
    await database.close()
    const again = await open()
    expect(await again.query('select * from kept')).toEqual([{ id: 1 }])
    expect(
      await again.query("select current_setting('fsync') as f, current_setting('wal_sync_method') as m"),
    ).toEqual([{ f: 'on', m: 'fsync' }])
  })

  test('loses nothing that was committed when its process is killed in the middle of writing', async () => {
    let committed = 0
    // Different places in the stream of commits, one of them among the first.
    for (const untilKill of [3, 90, 41]) {
      committed = await writeUntilKilled(untilKill, committed)
    }
    const database = await open()
    const rows = await database.query<{ id: number; doubled: number }>(
      'select id, doubled from counted order by id',
    )
    expect(rows.slice(0, committed)).toEqual(
      Array.from({ length: committed }, (_, at) => ({ id: at + 1, doubled: 2 * (at + 1) })),
    )
    // One more may have been committed without saying so; half a transaction never is.
    expect(rows.length - committed).toBeLessThanOrEqual(1)
    expect(await database.query("select count(*)::int as n from copied where note <> 'whole'")).toEqual([
      { n: 0 },
    ])
    expect((await readdir(folder)).filter((name) => name.startsWith('lock.'))).toHaveLength(1)
  })

  test('ends a worker that hears no cancel, and goes on with what was saved and who waits', async () => {
    const database = await open()
    await database.query('create table kept (id int)')
    await database.query('insert into kept values (1)')
    const unlisten = await database.listen('news', () => heard.resolve())
    const heard = Promise.withResolvers<void>()
    const slow = database.transaction((tx) => tx.query(deafQuery), { statementTimeoutMs: 200 })
    const waiting = database.query('select * from kept')
    await expect(slow).rejects.toMatchObject({ code: 'database/timeout' })
    expect(await waiting).toEqual([{ id: 1 }])
    await database.query('notify news')
    await heard.promise
    await unlisten()
  })
})

describe('in memory', { timeout: 120_000 }, () => {
  test('the main thread goes on while a query runs', async () => {
    const database = await openShared()
    const aborter = new AbortController()
    let ended = false
    const running = database
      .transaction((tx) => tx.query('select count(*) from generate_series(1, 1000000000)'), {
        signal: aborter.signal,
      })
      .finally(() => {
        ended = true
      })
    running.catch(() => undefined)
    for (let turn = 0; turn < 1000; turn += 1) await setImmediate()
    expect(ended).toBe(false)
    aborter.abort()
    await expect(running).rejects.toMatchObject({ code: 'request/aborted' })
  })

  test('turns are taken in the order they were asked for, and a transaction keeps its own', async () => {
    const database = await openShared()
    const order: string[] = []
    const ask = (name: string) => database.query('select 1').then(() => order.push(name))
    const first = database.transaction(async (tx) => {
      await tx.query('select 1')
      const others = [ask('second'), ask('third')]
      const last = database.transaction(async () => order.push('fourth'))
      await tx.query('select 1')
      order.push('first')
      return { others: [...others, last] }
    })
    await Promise.all((await first).others)
    expect(order).toEqual(['first', 'second', 'third', 'fourth'])
  })

  test('closing waits for what runs and refuses what comes later', async () => {
    const database = await openShared()
    const running = database.query('select count(*)::int as n from generate_series(1, 100000)')
    const closed = database.close()
    await expect(database.query('select 1')).rejects.toMatchObject({ code: 'database/unavailable' })
    expect(await running).toEqual([{ n: 100000 }])
    await closed
  })
})

test('a first start prepares a data folder with PostGIS that all later ones load', {
  timeout: 240_000,
}, async () => {
  const cacheFolder = join(folder, 'cache')
  const prepared = await prepare(cacheFolder)
  expect(await readdir(cacheFolder)).toEqual([preparedName])
  expect(await prepare(cacheFolder)).toEqual(Buffer.from(prepared))
  await unpackTar(prepared, join(folder, 'data'))
  expect(await readFile(join(folder, 'data', 'PG_VERSION'), 'utf8')).toBe('18\n')
  expect((await stat(join(folder, 'data'))).mode & 0o777).toBe(0o700)
  const running = await startInMemory({ cacheFolder, onFileAccess: () => undefined })
  const { rows } = await running.query('select ST_Area(ST_Buffer(ST_Point(0, 0), 1)) > 3 as works')
  expect(rows).toEqual([{ works: true }])
  await running.close()
  // What is compiled at each start is what a database needs.
  expect((await readdir(cacheFolder)).toSorted()).toEqual([preparedName, bundleName])
  await unpackTar(await readFile(join(cacheFolder, bundleName)), join(folder, 'bundle'))
  expect(await readdir(join(folder, 'bundle', 'lib', 'postgresql'))).toEqual(['postgis-3.so'])
})

test('what is prepared carries the versions of the packages in its name', async () => {
  const { dependencies } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  const versions = ['@electric-sql/pglite', '@electric-sql/pglite-postgis'].map((name) => dependencies[name])
  expect(preparedName).toBe(`pglite-${versions[0]}-postgis-${versions[1]}.tar.gz`)
  expect(bundleName).toBe(`postgis-${versions[1]}-lean.tar.gz`)
})

const entry = new URL('../../src/database/pglite.ts', import.meta.url).href
const emptyLog = '{ debug() {}, info() {}, warn() {}, error() {} }'

async function open(options: Partial<EmbeddedOptions> = {}): Promise<Database> {
  const database = await openEmbedded({ folder, log: silentLog, ...options })
  opened.add(database)
  return database
}

async function openShared(): Promise<Database> {
  const database = await openTestSchema()
  opened.add(database)
  return database
}

function start(script: string) {
  return spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** Commits row after row in a process that is killed after some; gives the last number it said was committed. */
async function writeUntilKilled(untilKill: number, committed: number): Promise<number> {
  const child = start(`
    const { openEmbedded } = await import(${JSON.stringify(entry)})
    const database = await openEmbedded({ folder: ${JSON.stringify(folder)}, log: ${emptyLog} })
    await database.query('create table if not exists counted (id int primary key, doubled int)')
    await database.query('create table if not exists copied (note text)')
    const [{ last }] = await database.query('select coalesce(max(id), 0) as last from counted')
    async function* endless() { for (;;) yield Buffer.from('half\\n'.repeat(10000)) }
    for (let id = last + 1; ; id += 1) {
      await database.transaction(async (tx) => {
        await tx.query('insert into counted values ($1, 0)', [id])
        await tx.query('update counted set doubled = 2 * id where id = $1', [id])
        if (id - last > ${untilKill}) await tx.copyIn('copy copied from stdin', endless())
      })
      console.log(id)
    }
  `)
  let last = committed
  for await (const line of createInterface(child.stdout)) {
    last = Number(line)
    // The next transaction never ends: the kill hits it wherever it is.
    if (last >= committed + untilKill) child.kill('SIGKILL')
  }
  return last
}
