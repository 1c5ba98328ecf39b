/** Makes a tree of 10,000 resources in one batch, and reads it, on both databases. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'undici'
import { silentLog } from '../../src/core/log.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { findPermissionMasks } from '../../src/store/access/effective_permission.ts'
import { findUserById } from '../../src/store/auth/principal.ts'
import { startCluster } from '../support/cluster.ts'
import { execute, withDatabase } from '../support/sql.ts'
import { batchOperations } from './support/batch.ts'
import { median, report, timed } from './support/report.ts'
import { type BenchServer, startServer } from './support/running.ts'
import { benchPassword } from './support/server.ts'

const drivers = ['postgres', 'pglite'] as const
type Driver = (typeof drivers)[number]
const limits = {
  batchSeconds: { postgres: 10, pglite: undefined },
  listSeconds: { postgres: 1, pglite: 2 },
  readsPerSecond: { postgres: 1500, pglite: undefined },
  permissionSeconds: 0.3,
} as const
const clients = 16
const reads = 8000
const groups = 100
const basic = (login: string) => `Basic ${Buffer.from(`${login}:${benchPassword}`).toString('base64')}`

async function measureBatch(server: BenchServer, driver: Driver, userId: number): Promise<number> {
  const root = await server.ask<{ resource: { permissions: object[] } }>('GET', '/api/resource/0')
  const operations = batchOperations(groups, { userId, rootRules: root.resource.permissions })
  const { seconds, value } = await timed(() =>
    server.ask<{ results: { id: number }[] }>('POST', '/api/component/landform/batch', { operations }),
  )
  const limit = limits.batchSeconds[driver]
  report({
    name: `batch of ${operations.length} creations: groups, layers, styles, maps, ${driver}`,
    value: `${seconds.toFixed(1)} s, ${Math.round(operations.length / seconds)}/s`,
    promised: limit === undefined ? '' : `under ${limit} s`,
    isKept: limit === undefined || seconds < limit,
  })
  return value.results[1]?.id ?? 0
}

async function measureReading(server: BenchServer, driver: Driver, id: number): Promise<void> {
  const pool = new Pool(server.url, { connections: clients })
  const read = async () => {
    const { body } = await pool.request({
      method: 'GET',
      path: `/api/resource/${id}`,
      headers: { authorization: basic('administrator') },
    })
    await body.dump()
  }
  await read()
  let left = reads
  const { seconds } = await timed(() =>
    Promise.all(
      Array.from({ length: clients }, async () => {
        while (left-- > 0) await read()
      }),
    ),
  )
  await pool.close()
  const limit = limits.readsPerSecond[driver]
  report({
    name: `reading one resource, ${clients} clients, ${driver}`,
    value: `${Math.round(reads / seconds)}/s`,
    promised: limit === undefined ? '' : `≥ ${limit}/s`,
    isKept: limit === undefined || reads / seconds >= limit,
  })
}

/** Lists all as somebody whose rights come from two rules on each group. */
async function measureList(server: BenchServer, driver: Driver): Promise<void> {
  const ask = async (path: string) =>
    (await fetch(server.url + path, { headers: { authorization: basic('reader') } })).json()
  const list = async () => ((await ask('/api/resource/search/?serialization=full')) as unknown[]).length
  // Verifying a password is slow on purpose, and no part of a list.
  await ask('/api/component/auth/current_user')
  const first = await timed(list)
  const others = [await timed(list), await timed(list), await timed(list)]
  const seconds = median(others.map((one) => one.seconds))
  report({
    name: `list of ${first.value} whole resources as a user of ${2 * groups} rules, ${driver}`,
    value: `${first.seconds.toFixed(2)} s at first, ${seconds.toFixed(2)} s again`,
    promised: `under ${limits.listSeconds[driver]} s`,
    isKept: first.seconds < limits.listSeconds[driver] && first.value > 100 * groups,
  })
}

async function measurePermissions(databaseUrl: string, userId: number): Promise<void> {
  const database = await openPostgres({ url: databaseUrl, log: silentLog })
  try {
    const asker = await findUserById(database, userId)
    if (asker === undefined) throw new Error('no such user')
    const rows = await database.query<{ id: number }>('select id from resource order by id')
    const ids = rows.map(({ id }) => id)
    const rounds = []
    for (let round = 0; round < 5; round += 1)
      rounds.push(await timed(() => findPermissionMasks(database, asker, ids)))
    const seconds = median(rounds.map((round) => round.seconds))
    report({
      name: `effective permissions of ${ids.length} resources for one user, nothing cached, postgres`,
      value: `${Math.round(seconds * 1000)} ms`,
      promised: `under ${limits.permissionSeconds * 1000} ms`,
      isKept: seconds < limits.permissionSeconds,
    })
  } finally {
    await database.close()
  }
}

async function measure(driver: Driver, databaseUrl: string | undefined): Promise<void> {
  const server = await startServer({ dataFolder: join(folder, driver), databaseUrl })
  try {
    const user = { keyname: 'reader', display_name: 'Reader', password: benchPassword }
    const { id: userId } = await server.ask<{ id: number }>('POST', '/api/component/auth/user/', user)
    const id = await measureBatch(server, driver, userId)
    await measureReading(server, driver, id)
    await measureList(server, driver)
    if (databaseUrl !== undefined) await measurePermissions(databaseUrl, userId)
  } finally {
    await server.stop()
  }
}

const folder = mkdtempSync(join(tmpdir(), 'landform-bench-'))
const cluster = await startCluster()
try {
  await execute(cluster.url, 'create database resources')
  await measure('postgres', withDatabase(cluster.url, 'resources'))
  await measure('pglite', undefined)
} finally {
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
}
