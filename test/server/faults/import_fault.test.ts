import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../src/database/database.ts'
import { dropOrphans } from '../../../src/import/orphaned_tables.ts'
import { drivers } from '../../support/drivers.ts'
import { listFeatureTables } from '../../support/import.ts'
import { createServerEnvironment, type ServerEnvironment } from '../../support/killable.ts'
import { type LayerClient, openLayerClient } from '../../support/layer_client.ts'
import { onlyNew } from '../../support/only_new.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { findUnreferencedFiles } from '../../support/unreferenced_files.ts'
import { geojson, point } from '../../support/vector.ts'

const mercator = { srs: { id: 3857 } }

/** So many features of which all say who they are. */
function features(count: number, of: string): string {
  const text = of.padEnd(300, 'x')
  return geojson(
    Array.from({ length: count }, (_, at) => ({ geometry: point(at / 1000, 1), properties: { text } })),
  )
}

/** Names of the tables of layers. */
async function layerTables(database: Database): Promise<string[]> {
  const rows = await database.query<{ name: string }>('select table_name as name from layer order by 1')
  return rows.map(({ name }) => name)
}

describe.each(drivers)('a server on %s that is killed during an import', (driver) => {
  let ground: ServerEnvironment
  beforeAll(async () => {
    ground = await createServerEnvironment(driver)
  })
  afterAll(() => ground.remove())

  test('has the layer unchanged, and nothing of the source', async () => {
    const server = await ground.start({ stallsGdal: true })
    const client = openLayerClient(server)
    const id = await client.create({
      ...mercator,
      source: await client.upload('a.geojson', features(3, 'old')),
    })
    const before = await client.features(id)
    const source = await client.upload('b.geojson', features(60_000, 'new'))
    const replacing = server.admin('PUT', `/api/resource/${id}`, { vector_layer: { source } })
    const broken = expect(replacing).rejects.toThrow()
    await server.untilGdalStalls()
    await server.kill()
    await broken
    const { running, admin } = await ground.inspect()
    try {
      const { database } = running.context
      // On PostgreSQL others may be alive: only long silence tells.
      await database.query(`update staging set created_at = created_at - interval '1 hour'`)
      await dropOrphans(database, running.context)
      expect(await openLayerClient({ admin }).features(id)).toEqual(before)
      expect(await listFeatureTables(database)).toEqual({ tables: await layerTables(database), staged: [] })
      expect(await findUnreferencedFiles({ dataFolder: ground.dataFolder, database, running })).toEqual([])
    } finally {
      await running.stop()
    }
  })
})

describe('concurrent imports', () => {
  let server: TestServer
  let client: LayerClient
  beforeAll(async () => {
    server = await startTestServer('postgres')
    client = openLayerClient(server)
  })
  const findNewLeftovers = onlyNew(async () => {
    const { tables, staged } = await listFeatureTables(server.database)
    const owned = await layerTables(server.database)
    const ownerless = tables.filter((name) => !owned.includes(name))
    return [...ownerless, ...staged, ...(await findUnreferencedFiles(server))]
  })
  afterEach(async () => expect(await findNewLeftovers()).toEqual([]))
  afterAll(() => server.stop())

  const count = 25_000
  const isWhole = (found: Awaited<ReturnType<LayerClient['features']>>) => {
    expect(found).toHaveLength(count)
    expect(found.map(({ id }) => id)).toEqual(Array.from({ length: count }, (_, at) => at + 1))
    const texts = new Set(found.map(({ fields }) => String(fields.text).replaceAll('x', '')))
    expect(texts.size).toBe(1)
    return [...texts][0]
  }
  const uploads = () =>
    Promise.all(['A', 'B'].map((of) => client.upload(`${of}.geojson`, features(count, of))))

  test('each create a layer', async () => {
    const ids = await Promise.all((await uploads()).map((source) => client.create({ ...mercator, source })))
    const found = await Promise.all(ids.map((id) => client.features(id)))
    expect(found.map(isWhole)).toEqual(['A', 'B'])
  })

  test('replace the same layer one after the other, or are refused', async () => {
    const source = await client.upload('a.geojson', features(1, 'old'))
    const id = await client.create({ ...mercator, source })
    const answers = await Promise.all(
      (await uploads()).map((one) =>
        server.admin('PUT', `/api/resource/${id}`, { vector_layer: { source: one } }),
      ),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses).toContain(200)
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([])
    const last = isWhole(await client.features(id))
    expect(['A', 'B'].filter((_, index) => statuses[index] === 200)).toContain(last)
  })
})
