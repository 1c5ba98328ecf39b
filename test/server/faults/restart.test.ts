import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLog } from '../../../src/core/log.ts'
import { openPostgres } from '../../../src/database/postgres.ts'
import { dropOrphans } from '../../../src/import/orphaned_tables.ts'
import { createServer, type RunningServer } from '../../../src/server/server.ts'
import { type Cluster, startCluster } from '../../support/cluster.ts'
import { copies, type Gate, makeGate } from '../../support/gate.ts'
import { listFeatureTables } from '../../support/import.ts'
import { openLayerClient } from '../../support/layer_client.ts'
import { createGroup } from '../../support/resources.ts'
import { type Ask, adminPassword, createAsk } from '../../support/server.ts'
import { execute, withDatabase } from '../../support/sql.ts'
import { createLayer } from '../../support/tree.ts'
import { findUnreferencedFiles } from '../../support/unreferenced_files.ts'
import { geojson, point } from '../../support/vector.ts'

let cluster: Cluster
let gate: Gate
let running: RunningServer
let admin: Ask
const folder = mkdtempSync(join(tmpdir(), 'landform-restart-'))

beforeAll(async () => {
  cluster = await startCluster()
  await execute(cluster.url, 'create database restarted')
  const databaseUrl = withDatabase(cluster.url, 'restarted')
  await execute(databaseUrl, 'create extension postgis')
  gate = makeGate(await openPostgres({ url: databaseUrl, log: silentLog }), copies)
  running = await createServer({
    listen: { host: '127.0.0.1', port: 0 },
    dataFolder: folder,
    database: gate.database,
    adminPassword,
  })
  admin = createAsk(running.url, { authorization: `Basic ${btoa(`administrator:${adminPassword}`)}` })
})

afterAll(async () => {
  await running.stop()
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
})

interface Seen {
  readonly statuses: Set<number>
  /** Names of the groups that were said to be made. */
  readonly made: string[]
  /** What a 503 said. */
  readonly codes: Set<string>
}

/** Reads and writes from many clients until it is told to stop. */
function load(layer: number, parent: number) {
  const seen: Seen = { statuses: new Set(), made: [], codes: new Set() }
  let isOver = false
  let count = 0
  const note = async (answer: Awaited<ReturnType<Ask>>): Promise<boolean> => {
    seen.statuses.add(answer.status)
    if (answer.status === 503) seen.codes.add((await answer.json<{ code: string }>()).code)
    // A list that has begun breaks off, so that nobody takes half of it for the whole.
    else await answer.arrayBuffer().catch(() => undefined)
    return answer.status === 200
  }
  const paths = [
    `/api/resource/${layer}`,
    `/api/resource/${layer}/feature/?limit=3`,
    `/api/resource/?parent=${parent}`,
    `/api/component/feature_layer/mvt?z=0&x=0&y=0&resource=${layer}`,
  ]
  const reading = paths.map(async (path) => {
    while (!isOver) await note(await admin('GET', path))
  })
  const writing = [1, 2, 3].map(async () => {
    while (!isOver) {
      count += 1
      const display_name = `made ${count}`
      const body = { resource: { cls: 'resource_group', display_name, parent: { id: parent } } }
      if (await note(await admin('POST', '/api/resource/', body))) seen.made.push(display_name)
    }
  })
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise((next) => setImmediate(next))
  }
  const end = async () => {
    isOver = true
    await Promise.all([...reading, ...writing])
  }
  return { seen, until, end }
}

test('a database that restarts under load leads to 503 only, and the server recovers', async () => {
  const parent = await createGroup(admin, 0, { display_name: 'Under load' })
  const layer = await createLayer(admin, { name: 'Read', geometryType: 'POINT' })
  await admin('POST', `/api/resource/${layer}/feature/`, { geom: 'POINT (1 1)', fields: {} })
  for (let round = 0; round < 2; round += 1) {
    const { seen, until, end } = load(layer, parent)
    await until(() => seen.made.length >= 5)
    await cluster.down()
    await until(() => seen.statuses.has(503))
    const ready = await admin('GET', '/readyz')
    expect([ready.status, (await admin('GET', '/healthz')).status]).toEqual([503, 200])
    await cluster.up()
    const before = seen.made.length
    await until(() => seen.made.length > before)
    await end()
    // A creation whose answer was lost on the way is no 200; a name that was taken by it is never tried again.
    expect([...seen.statuses].sort()).toEqual([200, 503])
    expect([...seen.codes]).toEqual(['database/unavailable'])
    expect((await admin('GET', '/readyz')).status).toBe(200)
    const there = await (await admin('GET', `/api/resource/?parent=${parent}`)).json<
      { resource: { display_name: string } }[]
    >()
    const names = new Set(there.map(({ resource }) => resource.display_name))
    expect(seen.made.filter((name) => !names.has(name))).toEqual([])
    for (const { resource } of there as unknown as { resource: { id: number } }[])
      await admin('DELETE', `/api/resource/${resource.id}`)
  }
})

test('a database that restarts during an import leaves the layer unchanged', async () => {
  const client = openLayerClient({ admin })
  const { database } = running.context
  const mercator = { srs: { id: 3857 } }
  const made = await client.upload('a.geojson', geojson([{ geometry: point(1, 2) }]))
  const id = await client.create({ ...mercator, source: made })
  const before = await client.features(id)
  const text = 'x'.repeat(300)
  const features = Array.from({ length: 60_000 }, (_, at) => ({
    geometry: point(at / 1000, 1),
    properties: { text },
  }))
  const source = await client.upload('b.geojson', geojson(features))
  const { reached } = gate.shut()
  const replacing = client.refuse('PUT', `/api/resource/${id}`, { vector_layer: { source } })
  await reached
  await cluster.down()
  gate.open()
  expect(await replacing).toMatchObject({ status: 503, code: 'database/unavailable' })
  await cluster.up()
  while ((await admin('GET', '/readyz')).status !== 200) await new Promise((next) => setImmediate(next))
  expect(await client.features(id)).toEqual(before)
  await dropOrphans(database, running.context)
  expect((await listFeatureTables(database)).staged).toEqual([])
  expect(await findUnreferencedFiles({ dataFolder: folder, database, running })).toEqual([])
  await client.put(id, { vector_layer: { source } })
  expect(await client.features(id)).toHaveLength(features.length)
})
