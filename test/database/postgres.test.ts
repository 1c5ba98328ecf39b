import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { silentLog } from '../../src/core/log.ts'
import type { Database } from '../../src/database/database.ts'
import { cancelBackend, openPostgres, type PostgresOptions } from '../../src/database/postgres.ts'
import { usePostgres } from '../support/postgres.ts'

const postgres = usePostgres()
const opened: Database[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()))
})

/** A TCP proxy to the server that can be cut and restored, to simulate a restart. */
interface Proxy {
  readonly url: string
  cut(): Promise<void>
  restore(): Promise<void>
}

let proxy: Proxy

beforeEach(async () => {
  proxy = await openProxy(postgres.url)
  return () => proxy.cut()
})

test('a server restart fails running statements and none after it', async () => {
  const database = await open({ url: proxy.url })
  await database.query('create table if not exists kept (id int)')
  const running = database.transaction(async (tx) => {
    await tx.query('insert into kept values (1)')
    await proxy.cut()
    await tx.query('insert into kept values (2)')
  })
  await expect(running).rejects.toMatchObject({ code: 'database/unavailable' })
  await expect(database.query('select 1')).rejects.toMatchObject({ code: 'database/unavailable' })
  await proxy.restore()
  expect(await database.query('select count(*)::int as n from kept')).toEqual([{ n: 0 }])
})

test('a statement that starts after the first request to cancel it is cancelled too', async () => {
  const database = await open({ url: postgres.url })
  const config = { connectionString: postgres.url, application_name: 'cancels' }
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  const cancelled = cancelBackend(client, over, { config, log: silentLog })
  const isSent = async () => {
    const rows = await database.query(
      `select from pg_stat_activity
        where application_name = 'cancels' and state = 'idle' and query like 'select pg_cancel_backend%'`,
    )
    return rows.length > 0
  }
  // The connection has run no statement so far: the first request has no effect.
  await expect.poll(isSent, { interval: 10 }).toBe(true)
  await expect(client.query('select pg_sleep(600)')).rejects.toMatchObject({ code: '57014' })
  end()
  await cancelled
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  await client.end()
})

test('a lost server aborts COPY in both directions', async () => {
  const database = await open({ url: proxy.url })
  const reading = async () => {
    const rows = database.copyOut("select repeat('x', 1000) from (select generate_series(1, 1000000)) rows")
    for await (const _ of rows) await proxy.cut()
  }
  await expect(reading()).rejects.toMatchObject({ code: 'database/unavailable' })
  await proxy.restore()
  await database.query('create table if not exists filled (id int)')
  const writing = database.copyIn(
    'copy filled from stdin',
    (async function* () {
      yield Buffer.from('1\n')
      await proxy.cut()
      for (;;) yield Buffer.from('2\n')
    })(),
  )
  await expect(writing).rejects.toMatchObject({ code: 'database/unavailable' })
  await proxy.restore()
  expect(await database.query('select * from filled')).toEqual([])
})

test('listeners are notified again after a restart, first with an empty payload', async () => {
  const database = await open({ url: proxy.url })
  const received: string[] = []
  let wake = Promise.withResolvers<void>()
  await database.listen('news', (payload) => {
    received.push(payload)
    wake.resolve()
  })
  await proxy.cut()
  await proxy.restore()
  await wake.promise
  wake = Promise.withResolvers<void>()
  await database.query("notify news, 'again'")
  await wake.promise
  expect(received).toEqual(['', 'again'])
})

test('reports a statement terminated by the server', async () => {
  const database = await open()
  const pids = database.transaction(async (tx) => {
    const [row] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid')
    await database.query('select pg_terminate_backend($1)', [row?.pid])
    await tx.query('select 1')
  })
  await expect(pids).rejects.toMatchObject({ code: 'database/unavailable' })
  expect(await database.query('select 1 as a')).toEqual([{ a: 1 }])
})

describe('a COPY whose connection is lost', () => {
  /** Terminates the connection of the only COPY that runs. */
  const terminate = (database: Database) =>
    database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like 'copy %' and pid <> pg_backend_pid()`,
    )

  test.each(['read on', 'broken off'])('fails with the reason, and its output can be %s', async (end) => {
    const database = await open()
    const rows = database.copyOut("select repeat('x', 1000) from generate_series(1, 1000000)")
    const reading = async () => {
      let count = 0
      for await (const _ of rows) {
        count += 1
        if (count === 1) await terminate(database)
        if (end === 'broken off') return
      }
    }
    if (end === 'read on') await expect(reading()).rejects.toMatchObject({ code: 'database/unavailable' })
    else await reading()
    expect(await database.query('select 1 as a')).toEqual([{ a: 1 }])
  })

  test('fails while it takes input, more than the connection can send', async () => {
    const database = await open()
    await database.query('create table input (line text)')
    let isEnded = false
    async function* source() {
      try {
        const chunk = Buffer.from(`${'y'.repeat(1023)}\n`.repeat(1024))
        for (let count = 0; ; count += 1) {
          if (count === 20) await terminate(database)
          yield chunk
        }
      } finally {
        isEnded = true
      }
    }
    await expect(database.copyIn('copy input from stdin', source())).rejects.toMatchObject({
      code: 'database/unavailable',
    })
    expect(isEnded).toBe(true)
    expect(await database.query('select count(*)::int as n from input')).toEqual([{ n: 0 }])
    await database.query('drop table input')
  })
})

test.each([
  ['an unknown database', (url: URL) => Object.assign(url, { pathname: '/nowhere' }), '3D000'],
  ['an unknown user', (url: URL) => Object.assign(url, { username: 'unknown' }), '28000'],
])('reports %s', async (_title, change, sqlstate) => {
  const database = await open({ url: change(new URL(postgres.url)).href })
  await expect(database.query('select 1')).rejects.toMatchObject({
    code: 'database/unavailable',
    data: { sqlstate },
  })
})

test('reports a refused connection without the password', async () => {
  const url = new URL(proxy.url)
  url.password = 'secret-word'
  await proxy.cut()
  const database = await open({ url: url.href })
  const fault = await database.query('select 1').catch((error: unknown) => error)
  expect(fault).toMatchObject({ code: 'database/unavailable' })
  expect(JSON.stringify(fault, Object.getOwnPropertyNames(fault))).not.toContain('secret-word')
})

test('as many transactions as connections run concurrently', async () => {
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

test('reports a deadlock as a conflict', async () => {
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

test('limits the time of a statement outside a transaction', async () => {
  const database = await open({ statementTimeoutMs: 100 })
  await expect(database.query('select pg_sleep(60)')).rejects.toMatchObject({ code: 'database/timeout' })
  expect(await database.query('select 1 as a')).toEqual([{ a: 1 }])
})

test('close waits for running statements and refuses later ones', async () => {
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

async function openProxy(url: string): Promise<Proxy> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const end of [socket, upstream]) {
      sockets.add(end)
      end
        .on('error', () => undefined)
        .once('close', () => {
          sockets.delete(end)
          socket.destroy()
          upstream.destroy()
        })
    }
    socket.pipe(upstream).pipe(socket)
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

test('prepared statements are reused, and deallocated before there are too many', async () => {
  const database = await open({ url: proxy.url })
  await database.transaction(async (tx) => {
    const count = async () => {
      const [row] = await tx.query<{ count: number }>(
        'select count(*)::int as count from pg_prepared_statements',
      )
      return row?.count
    }
    const runQueries = async (from: number, to: number) => {
      for (let at = from; at < to; at += 1) {
        const rows = await tx.query(`select ${at} + $1::int as sum`, [at], { prepared: true })
        expect(rows).toEqual([{ sum: 2 * at }])
      }
    }
    await runQueries(0, 150)
    await runQueries(0, 150)
    expect(await count()).toBe(150)
    await runQueries(0, 250)
    expect(await count()).toBe(50)
    await tx.query('select 1 as one')
    expect(await count()).toBe(50)
  })
})
