import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLog } from '../../src/core/log.ts'
import type { Database } from '../../src/database/database.ts'
import { openPostgres, type PostgresOptions } from '../../src/database/postgres.ts'
import { usePostgres } from '../support/postgres.ts'

const postgres = usePostgres()
const opened: Database[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()))
})

/** A way to the server that can be taken away and given back, as its restart does. */
interface Way {
  readonly url: string
  cut(): Promise<void>
  restore(): Promise<void>
}

let way: Way

beforeEach(async () => {
  way = await openWay(postgres.url)
  return () => way.cut()
})

test('a lost server fails what runs, and nothing after its return', async () => {
  const database = await open({ url: way.url })
  await database.query('create table if not exists kept (id int)')
  const running = database.transaction(async (tx) => {
    await tx.query('insert into kept values (1)')
    await way.cut()
    await tx.query('insert into kept values (2)')
  })
  await expect(running).rejects.toMatchObject({ code: 'database/unavailable' })
  await expect(database.query('select 1')).rejects.toMatchObject({ code: 'database/unavailable' })
  await way.restore()
  expect(await database.query('select count(*)::int as n from kept')).toEqual([{ n: 0 }])
})

test('a lost server breaks copies off', async () => {
  const database = await open({ url: way.url })
  const reading = async () => {
    const rows = database.copyOut("select repeat('x', 1000) from (select generate_series(1, 1000000)) rows")
    for await (const _ of rows) await way.cut()
  }
  await expect(reading()).rejects.toMatchObject({ code: 'database/unavailable' })
  await way.restore()
  await database.query('create table if not exists filled (id int)')
  const writing = database.copyIn(
    'copy filled from stdin',
    (async function* () {
      yield Buffer.from('1\n')
      await way.cut()
      for (;;) yield Buffer.from('2\n')
    })(),
  )
  await expect(writing).rejects.toMatchObject({ code: 'database/unavailable' })
  await way.restore()
  expect(await database.query('select * from filled')).toEqual([])
})

test('who listens hears again after the return of the server, and that something may have been missed', async () => {
  const database = await open({ url: way.url })
  const heard: string[] = []
  let wake = Promise.withResolvers<void>()
  await database.listen('news', (payload) => {
    heard.push(payload)
    wake.resolve()
  })
  await way.cut()
  await way.restore()
  await wake.promise
  wake = Promise.withResolvers<void>()
  await database.query("notify news, 'again'")
  await wake.promise
  expect(heard).toEqual(['', 'again'])
})

test('a statement that the server ends is told as such', async () => {
  const database = await open()
  const pids = database.transaction(async (tx) => {
    const [row] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid')
    await database.query('select pg_terminate_backend($1)', [row?.pid])
    await tx.query('select 1')
  })
  await expect(pids).rejects.toMatchObject({ code: 'database/unavailable' })
  expect(await database.query('select 1 as a')).toEqual([{ a: 1 }])
})

test.each([
  ['an unknown database', (url: URL) => Object.assign(url, { pathname: '/nowhere' }), '3D000'],
  ['an unknown user', (url: URL) => Object.assign(url, { username: 'nobody' }), '28000'],
])('%s is told', async (_title, change, sqlstate) => {
  const database = await open({ url: change(new URL(postgres.url)).href })
  await expect(database.query('select 1')).rejects.toMatchObject({
    code: 'database/unavailable',
    data: { sqlstate },
  })
})

test('a port where nobody listens is told, without the password', async () => {
  const url = new URL(way.url)
  url.password = 'secret-word'
  await way.cut()
  const database = await open({ url: url.href })
  const fault = await database.query('select 1').catch((error: unknown) => error)
  expect(fault).toMatchObject({ code: 'database/unavailable' })
  expect(JSON.stringify(fault, Object.getOwnPropertyNames(fault))).not.toContain('secret-word')
})

test('transactions wait for each other only when there are more than connections', async () => {
  const database = await open({ poolSize: 2 })
  const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
  const meet = (mine: 0 | 1) =>
    database.transaction(async (tx) => {
      await tx.query('select 1')
      both[mine].resolve()
      await both[mine === 0 ? 1 : 0].promise
    })
  await Promise.all([meet(0), meet(1)])
})

test('two that wait for each other are told of the conflict', async () => {
  const database = await open()
  await database.query('create table if not exists pair (id int primary key, n int)')
  await database.query('insert into pair values (1, 0), (2, 0) on conflict do nothing')
  const locked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
  const cross = (mine: 0 | 1) =>
    database.transaction(async (tx) => {
      await tx.query('update pair set n = n + 1 where id = $1', [mine + 1])
      locked[mine].resolve()
      await locked[mine === 0 ? 1 : 0].promise
      await tx.query('update pair set n = n + 1 where id = $1', [mine === 0 ? 2 : 1])
    })
  const results = await Promise.allSettled([cross(0), cross(1)])
  const rejected = results.filter((result) => result.status === 'rejected')
  expect(rejected).toHaveLength(1)
  expect(rejected[0]?.reason).toMatchObject({ code: 'database/conflict', data: { sqlstate: '40P01' } })
})

test('a statement outside of a transaction has its time too', async () => {
  const database = await open({ statementTimeoutMs: 100 })
  await expect(database.query('select pg_sleep(60)')).rejects.toMatchObject({ code: 'database/timeout' })
  expect(await database.query('select 1 as a')).toEqual([{ a: 1 }])
})

test('closing waits for what runs and refuses what comes later', async () => {
  const database = await openPostgres({ url: postgres.url, log: silentLog })
  const running = database.query('select 1 as a from pg_sleep(0.1)')
  const closed = database.close()
  await expect(database.query('select 1')).rejects.toMatchObject({ code: 'database/unavailable' })
  expect(await running).toEqual([{ a: 1 }])
  await closed
})

async function open(options: Partial<PostgresOptions> = {}): Promise<Database> {
  const database = await openPostgres({ url: postgres.url, log: silentLog, ...options })
  opened.push(database)
  return database
}

async function openWay(url: string): Promise<Way> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const onward = connect(Number(target.port), target.hostname)
    for (const end of [socket, onward]) {
      sockets.add(end)
      end
        .on('error', () => undefined)
        .once('close', () => {
          sockets.delete(end)
          socket.destroy()
          onward.destroy()
        })
    }
    socket.pipe(onward).pipe(socket)
  })
  await listen(server, 0)
  const { port } = server.address() as AddressInfo
  return {
    url: Object.assign(new URL(url), { port: String(port) }).href,
    async cut() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
    restore: () => listen(server, port),
  }
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
}

test('a connection keeps statements that recur, and forgets them before they are too many', async () => {
  const database = await open({ url: way.url })
  await database.transaction(async (tx) => {
    const count = async () => {
      const [row] = await tx.query<{ count: number }>(
        'select count(*)::int as count from pg_prepared_statements',
      )
      return row?.count
    }
    const ask = async (from: number, to: number) => {
      for (let at = from; at < to; at += 1) {
        const rows = await tx.query(`select ${at} + $1::int as sum`, [at], { recurs: true })
        expect(rows).toEqual([{ sum: 2 * at }])
      }
    }
    await ask(0, 150)
    await ask(0, 150)
    expect(await count()).toBe(150)
    await ask(0, 250)
    expect(await count()).toBe(50)
    await tx.query('select 1 as one')
    expect(await count()).toBe(50)
  })
})
