import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLog } from '../../../src/core/log.ts'
import { openEmbedded } from '../../../src/database/pglite.ts'
import { openPostgres } from '../../../src/database/postgres.ts'
import { dropOrphans } from '../../../src/import/orphaned_tables.ts'
import { openBatchClient } from '../../support/batch.ts'
import { findOwner, startCluster } from '../../support/cluster.ts'
import { uploadContent } from '../../support/samples.ts'
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts'
import { mountSmallDisk, type SmallDisk } from '../../support/small_disk.ts'
import { execute, withDatabase } from '../../support/sql.ts'
import { createLayer } from '../../support/tree.ts'
import { geojson, point } from '../../support/vector.ts'

const fields = [{ keyname: 'text', datatype: 'STRING' }]
const entries = Array.from({ length: 4000 }, (_, at) => ({
  geom: `POINT(${at} 0)`,
  fields: { text: `${at} `.padEnd(900, 'x') },
}))
const source = geojson(
  Array.from({ length: 4000 }, (_, at) => ({
    geometry: point(at / 100, 1),
    properties: { text: `${at} `.padEnd(900, 'x') },
  })),
)

interface Full {
  readonly server: TestServer
  readonly disk: SmallDisk
  /** What is said of a change while there is no room. */
  readonly refusals: readonly string[]
  /** Whether what is there can be read meanwhile. */
  readonly readsOn: boolean
  /** Makes room, and starts what had to stop. */
  recover(): Promise<void>
  /** Lets go of all. */
  end(): Promise<void>
}

/** Puts a server together with its disk; `stopDatabase` stops what it does not stop itself. */
function fullOf(server: TestServer, disk: SmallDisk, stopDatabase?: () => Promise<void>): Full {
  return {
    server,
    disk,
    refusals: ['files/full'],
    readsOn: true,
    recover: () => disk.free(),
    async end() {
      await disk.free()
      await server.stop()
      await stopDatabase?.()
      await disk.unmount()
    },
  }
}

/** A server on a database whose tables stand on a small disk of their own. */
async function startOnTablespace(): Promise<Full> {
  // A PostgreSQL of its own: one that cannot write to a disk drops nobody's database.
  const cluster = await startCluster()
  const { url } = cluster
  const disk = await mountSmallDisk(96 * 2 ** 20, findOwner())
  const name = `full_${randomUUID().replaceAll('-', '')}`
  await execute(url, `create tablespace ${name} location '${disk.folder}'`)
  await execute(url, `create database ${name} tablespace ${name}`)
  await execute(withDatabase(url, name), 'create extension postgis')
  const database = await openPostgres({ url: withDatabase(url, name), log: silentLog })
  const server = await startTestServer('postgres', { database })
  return fullOf(server, disk, () => cluster.stop())
}

/** A server on a database whose log is on a small disk of its own: it stops where it cannot log. */
async function startOnLog(): Promise<Full> {
  const disk = await mountSmallDisk(48 * 2 ** 20, findOwner())
  // It is stopped with a full disk: commits that were not yet flushed would be lost.
  const cluster = await startCluster({ isDurable: true, logFolder: disk.folder })
  await execute(cluster.url, 'create extension postgis')
  const database = await openPostgres({ url: cluster.url, log: silentLog })
  const server = await startTestServer('postgres', { database })
  const full = fullOf(server, disk, () => cluster.stop())
  return {
    ...full,
    refusals: ['files/full', 'database/unavailable'],
    readsOn: false,
    async recover() {
      await disk.free()
      await cluster.abort()
      await cluster.up()
      await dropOrphans(database, server.running.context)
    },
  }
}

/** A server on an embedded database in a small folder. */
async function startEmbedded(): Promise<Full> {
  const disk = await mountSmallDisk(256 * 2 ** 20)
  const database = await openEmbedded({ folder: join(disk.folder, 'database'), log: silentLog })
  const server = await startTestServer('pglite', { database, dataFolder: disk.folder })
  return fullOf(server, disk)
}

const databases = [
  ['PostgreSQL', startOnTablespace],
  ['PostgreSQL, which cannot log,', startOnLog],
  ['the embedded database', startEmbedded],
] as const

describe.each(databases)('a server on %s whose disk is full', (_, startFull) => {
  let full: Full
  let layer = ''
  beforeAll(async () => {
    full = await startFull()
    layer = `/api/resource/${await createLayer(full.server.admin, { name: 'Layer', geometryType: 'POINT', fields })}`
    expect((await full.server.admin('PATCH', `${layer}/feature/`, entries.slice(0, 10))).status).toBe(200)
  })
  afterAll(() => full?.end())

  const countFeatures = async () =>
    (await (await full.server.admin('GET', `${layer}/feature_count`)).json<{ total_count: number }>())
      .total_count
  const nameAll = async () => {
    const answer = await full.server.admin('GET', '/api/resource/search/')
    expect(answer.status).toBe(200)
    return (await answer.json<{ resource: { display_name: string } }[]>()).map(
      (one) => one.resource.display_name,
    )
  }

  const operations = Array.from({ length: 2000 }, (_, at) => ({
    op: 'create',
    body: {
      resource: {
        cls: 'resource_group',
        display_name: `G ${at}`,
        parent: { id: 0 },
        description: 'd'.repeat(1500),
      },
    },
  }))
  const works: readonly (readonly [string, () => Promise<TestResponse>])[] = [
    ['an import', async () => full.server.admin('POST', '/api/resource/', await bodyOfImport())],
    ['changes of features', () => full.server.admin('PATCH', `${layer}/feature/`, entries)],
    ['a batch', () => openBatchClient(full.server).send(operations)],
  ]
  let upload: object | undefined
  const bodyOfImport = async () => {
    upload ??= await uploadContent(full.server.admin, source)
    return {
      resource: { cls: 'vector_layer', parent: { id: 0 }, display_name: 'Imported' },
      vector_layer: { source: { ...upload, name: 'data.geojson' }, srs: { id: 3857 } },
    }
  }

  test.each(works)(
    'refuses %s, stores nothing of it, and accepts it when there is space',
    async (_, send) => {
      const { server, disk } = full
      await bodyOfImport()
      const before = { count: await countFeatures(), names: await nameAll() }
      await disk.fill(300_000)
      const refused = await send()
      expect(refused.status).toBe(503)
      expect(full.refusals).toContain((await refused.json<{ code: string }>()).code)
      if (full.readsOn) expect({ count: await countFeatures(), names: await nameAll() }).toEqual(before)
      await full.recover()
      expect({ count: await countFeatures(), names: await nameAll() }).toEqual(before)
      expect(await server.database.query('select table_name from staging')).toEqual([])
      const [tables] = await server.database.query<{ count: number }>(
        `select count(*)::int from pg_class where relkind = 'r' and relname like 'features\\_%'`,
      )
      const [layers] = await server.database.query<{ count: number }>(
        'select (select count(table_name) from layer)::int + (select count(table_name) from kept_data)::int as count',
      )
      expect(tables).toEqual(layers)
      const answer = await send()
      expect(answer.status, await answer.clone().text()).toBe(200)
    },
  )
})

test('an embedded database that cannot write its log is unavailable until there is space, and keeps all committed data', async () => {
  const { server, disk, end } = await startEmbedded()
  try {
    const id = await createLayer(server.admin, { name: 'Layer', geometryType: 'POINT', fields })
    const path = `/api/resource/${id}/feature/`
    await server.admin('POST', path, { fields: { text: 'before' } })
    await disk.fill()
    let last = 'before'
    // The log goes on in files that were made before, until there are no more of them.
    for (let at = 0; ; at += 1) {
      const answer = await server.admin('PUT', `${path}1`, { fields: { text: String(at) } })
      if (answer.status !== 200) break
      last = String(at)
      await server.database.query('select pg_switch_wal()').catch(() => undefined)
    }
    const refused = await server.admin('GET', path)
    expect([refused.status, await refused.json()]).toEqual([
      503,
      expect.objectContaining({ code: 'files/full' }),
    ])
    await disk.free()
    const found = await (await server.admin('GET', `${path}?extensions=`)).json<object[]>()
    expect(found).toEqual([{ id: 1, geom: null, fields: { text: last }, extensions: {} }])
    expect((await server.admin('POST', path, {})).status).toBe(200)
  } finally {
    await end()
  }
})
