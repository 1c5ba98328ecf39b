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
import {
  bundleName,
  prepare,
  preparedName,
  startInMemory,
  unpackTar,
} from '../../src/database/start_pglite.ts'
import { openTestSchema, uninterruptibleQuery } from '../support/embedded.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landform-embedded-'))
  return () => rm(folder, { recursive: true, force: true })
})

const opened = new Set<Database>()

// Keeps the shared in-memory instance open, which is opened and closed with its first and last schema.
let keepOpen: Database | undefined

beforeAll(async () => {
  keepOpen = await openTestSchema()
})

afterAll(() => keepOpen?.close())

afterEach(async () => {
  await Promise.all([...opened].map((database) => database.close()))
  opened.clear()
})

// Each start compiles PostgreSQL, and some tests start it several times.
describe('a folder', () => {
  test('persists committed data, and is open in one process at a time', async () => {
    const database = await open()
    await database.query('create table kept (id int)')
    await database.query('insert into kept values (1)')
    await expect(openEmbedded({ folder, log: silentLog })).rejects.toMatchObject({
      code: 'database/locked',
      data: { pid: process.pid, folder },
    })
    const otherProcess = start(`
      const { openEmbedded } = await import(${JSON.stringify(entry)})
      const log = ${emptyLog}
      await openEmbedded({ folder: ${JSON.stringify(folder)}, log }).catch((error) => console.log(error.code, error.message))
    `)
    const [line] = await once(createInterface(otherProcess.stdout), 'line')
    expect(line).toBe(`database/locked the data folder ${folder} is in use by process ${process.pid}`)
    await once(otherProcess, 'exit')
    await database.close()
    const again = await open()
    expect(await again.query('select * from kept')).toEqual([{ id: 1 }])
    expect(
      await again.query("select current_setting('fsync') as f, current_setting('wal_sync_method') as m"),
    ).toEqual([{ f: 'on', m: 'fsync' }])
  })

  test('loses no committed data when its process is killed while writing', async () => {
    let committed = 0
    // Kills after different numbers of commits, one of them small.
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
    // One more may have been committed without being reported; a partial transaction never is.
    expect(rows.length - committed).toBeLessThanOrEqual(1)
    expect(await database.query("select count(*)::int as n from copied where note <> 'whole'")).toEqual([
      { n: 0 },
    ])
    expect((await readdir(folder)).filter((name) => name.startsWith('lock.'))).toHaveLength(1)
  })

  test('restarts a worker that does not react to a cancel request, keeping data, queue and subscriptions', async () => {
    const restarts: string[] = []
    const log = { ...silentLog, warn: (_: object, message: string) => void restarts.push(message) }
    const database = await open({ log })
    await database.query('create table kept (id int)')
    await database.query('insert into kept values (1)')
    const unlisten = await database.listen('news', () => received.resolve())
    const received = Promise.withResolvers<void>()
    const slow = database.transaction((tx) => tx.query(uninterruptibleQuery), { statementTimeoutMs: 200 })
    const waiting = database.query('select * from kept')
    await expect(slow).rejects.toMatchObject({ code: 'database/timeout' })
    expect(await waiting).toEqual([{ id: 1 }])
    expect(restarts).toEqual(['could not cancel a query; restarting the embedded database'])
    await database.query('notify news')
    await received.promise
    await unlisten()
  })
})

test('restarts between two statements when errors of geometries have used up memory', async () => {
  const restarts: string[] = []
  const log = { ...silentLog, warn: (_: object, message: string) => void restarts.push(message) }
  const database = await open({ log })
  const circle = 'ST_MakePoint(1e6 * cos(i * pi() / 5e5), 1e6 * sin(i * pi() / 5e5))'
  await database.query(
    `create table large as select ST_MakePolygon(ST_AddPoint(line, ST_StartPoint(line))) as geom
      from (select ST_MakeLine(array_agg(${circle} order by i)) as line from generate_series(1, 999999) i) made`,
  )
  const clip = "select ST_NPoints(ST_ClipByBox2D(geom, 'BOX(5 5, 5 6)')) from large"
  for (let count = 0; count < 200 && restarts.length === 0; count += 1) {
    const failing = database.query(clip).catch((error: unknown) => error)
    const reading = database.query('select $1::int as a', [count])
    expect(await failing).toMatchObject({ data: { sqlstate: 'XX000' } })
    expect(await reading).toEqual([{ a: count }])
  }
  expect(restarts).toEqual(['restarting the embedded database: errors of geometries have used up its memory'])
  expect(await database.query('select count(*)::int as n from large')).toEqual([{ n: 1 }])
})

describe('in memory', () => {
  test('a running query does not block the main thread', async () => {
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

  test('statements and transactions run in the order they were requested', async () => {
    const database = await openShared()
    const order: string[] = []
    const runQuery = (name: string) => database.query('select 1').then(() => order.push(name))
    const first = database.transaction(async (tx) => {
      await tx.query('select 1')
      const others = [runQuery('second'), runQuery('third')]
      const last = database.transaction(async () => order.push('fourth'))
      await tx.query('select 1')
      order.push('first')
      return { others: [...others, last] }
    })
    await Promise.all((await first).others)
    expect(order).toEqual(['first', 'second', 'third', 'fourth'])
  })

  test('thousands of statements that fail or are cancelled leave it as it was', async () => {
    const database = await openShared()
    for (let count = 0; count < 3000; count += 1) {
      const failed = await database.query('select 1 / $1::int', [0]).catch((error: unknown) => error)
      expect(failed).toMatchObject({ data: { sqlstate: '22012' } })
    }
    const reading = async () => {
      for await (const _ of database.copyOut('select generate_series(1, 1000000)::text')) return
    }
    for (let count = 0; count < 300; count += 1) await reading()
    expect(await database.query('select 1 as a')).toEqual([{ a: 1 }])
  })

  test('an exception of a library of PostGIS is an error of its statement alone', async () => {
    const database = await openShared()
    const clip = "public.ST_AsText(public.ST_ClipByBox2D('POLYGON((0 0, 9 0, 9 9, 0 0))', 'BOX(5 5, 5 5)'))"
    const bow = "'POLYGON((0 0, 10 10, 10 0, 0 10, 0 0))'::public.geometry"
    const band = "'POLYGON((0 5, 10 5, 10 6, 0 6, 0 5))'::public.geometry"
    const failing = [
      `select ${clip}`,
      // Within the executor, a subtransaction and a function of SQL.
      `select (select ${clip} from generate_series(1, 3) offset 0), 1 from generate_series(1, 9) limit 5`,
      `do $$ begin perform ${clip}; exception when others then perform 1 / 0; end $$`,
      `select public.ST_AsText(public.ST_Intersection(${bow}, ${band}))`,
    ]
    for (let count = 0; count < 400; count += 1) {
      const failed = database.query(failing[count % 4] ?? '').catch((error: unknown) => error)
      const answers = [1, 2, 3].map((number) => database.query('select $1::int as a', [10 * count + number]))
      expect(await failed).toMatchObject({ data: { sqlstate: count % 4 === 2 ? '22012' : 'XX000' } })
      expect(await Promise.all(answers)).toEqual([1, 2, 3].map((number) => [{ a: 10 * count + number }]))
    }
    const message = 'side location conflict at 5 5'
    await expect(database.query(failing[3] ?? '')).rejects.toThrow(message)
  })

  test('close waits for running queries and refuses later ones', async () => {
    const database = await openShared()
    const running = database.query('select count(*)::int as n from generate_series(1, 100000)')
    const closed = database.close()
    await expect(database.query('select 1')).rejects.toMatchObject({ code: 'database/unavailable' })
    expect(await running).toEqual([{ n: 100000 }])
    await closed
  })
})

test('the first start prepares a data folder with PostGIS that later starts load', async () => {
  const cacheFolder = join(folder, 'cache')
  const prepared = await prepare(cacheFolder)
  expect(await readdir(cacheFolder)).toEqual([preparedName])
  expect(await prepare(cacheFolder)).toEqual(Buffer.from(prepared))
  await unpackTar(prepared, join(folder, 'data'))
  expect(await readFile(join(folder, 'data', 'PG_VERSION'), 'utf8')).toBe('18\n')
  expect((await stat(join(folder, 'data'))).mode & 0o777).toBe(0o700)
  const running = await startInMemory({
    cacheFolder,
    onFileAccess: () => undefined,
    onSpent: () => undefined,
  })
  // Other modules of the thread can be loaded as before.
  const { WebAssembly: wasm } = globalThis as unknown as {
    readonly WebAssembly: { instantiate(bytes: Uint8Array): Promise<unknown> }
  }
  await wasm.instantiate(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0))
  const { rows } = await running.query('select ST_Area(ST_Buffer(ST_Point(0, 0), 1)) > 3 as works')
  expect(rows).toEqual([{ works: true }])
  // What it is started with, and no archive of an extension, whose files are unpacked.
  expect(running.Module.HEAPU8.length).toBe(128 * 2 ** 20)
  expect(running.Module.pg_extensions).toEqual({})
  await running.close()
  // The bundle contains only the library that a database needs, since it is compiled at each start.
  expect((await readdir(cacheFolder)).toSorted()).toEqual([preparedName, bundleName])
  await unpackTar(await readFile(join(cacheFolder, bundleName)), join(folder, 'bundle'))
  expect(await readdir(join(folder, 'bundle', 'lib', 'postgresql'))).toEqual(['postgis-3.so'])
})

test('the prepared files have the package versions in their names', async () => {
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

/** Commits rows in a process that is killed after some; returns the last number reported as committed. */
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
    // The next transaction never ends, so the kill hits it while it runs.
    if (last >= committed + untilKill) child.kill('SIGKILL')
  }
  return last
}
