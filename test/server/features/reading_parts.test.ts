import { beforeAll, expect, test } from 'vitest'
import { ensureFeatureTable } from '../../../src/store/layer/layer_table.ts'
import { lockLayer } from '../../../src/store/layer/stored_layer.ts'
import { readExport } from '../../support/exports.ts'
import { createTestLayer } from '../../support/layers.ts'
import { describeServers, type TestServer } from '../../support/server.ts'

/** More than two parts, and ids with gaps. */
const count = 12_001
const ids = Array.from({ length: count }, (_, at) => 3 * at + 1)

async function createGappyLayer({ database }: TestServer): Promise<number> {
  const fields = { n: 'INTEGER' } as const
  const id = await createTestLayer(database, { name: 'Gaps', geometryType: 'POINT', fields })
  await database.transaction(async (tx) => {
    const layer = await lockLayer(tx, id)
    if (layer === undefined) throw new Error('the layer is not there')
    const { tableName, fields: made } = await ensureFeatureTable(tx, layer)
    await tx.query(
      `insert into ${tableName} (id, geom, ${made[0]?.columnName})
       select n, ST_SetSRID(ST_MakePoint(n, 0), 3857), n % 7 from generate_series(1, ${3 * count}, 3) n`,
    )
  })
  return id
}

describeServers('features read in parts', (start) => {
  let server: TestServer
  let id: number
  beforeAll(async () => {
    server = await start()
    id = await createGappyLayer(server)
  })

  const list = async (query: string) => {
    const answer = await server.admin('GET', `/api/resource/${id}/feature/?geom=no&${query}`)
    return (await answer.json<{ id: number }[]>()).map((feature) => feature.id)
  }

  test.each([
    ['all of them', '', ids],
    ['as many as are asked for', 'limit=7000', ids.slice(0, 7000)],
    ['a whole number of parts', 'limit=10000', ids.slice(0, 10_000)],
    ['one part', 'limit=5000', ids.slice(0, 5000)],
    ['those that a filter lets through', 'fld_n__in=0,1,2,3,4,5', ids.filter((one) => one % 7 < 6)],
    ['few of them', 'id__lt=10', [1, 4, 7]],
    ['from an offset on', 'offset=6000', ids.slice(6000)],
    ['none', 'id__lt=0', []],
  ])('are listed once each: %s', async (_, query, expected) => {
    expect(await list(query)).toEqual(expected)
  })

  test('are listed in another order', async () => {
    const listed = await list('order_by=-n')
    expect(listed.toSorted((a, b) => a - b)).toEqual(ids)
    expect(listed[0]).toBe(ids.find((one) => one % 7 === 6))
  })

  test('are exported once each, in every format', async () => {
    const { features } = await (await server.admin('GET', `/api/resource/${id}/geojson`)).json<{
      features: { id: number }[]
    }>()
    expect(features.map((feature) => feature.id)).toEqual(ids)
    const table = await (
      await server.admin('GET', `/api/resource/${id}/export?format=CSV&zipped=no&fid=fid`)
    ).text()
    expect(table.trim().split('\n')).toHaveLength(count + 1)
    const { layers } = await readExport(server.admin, id, 'format=GPKG&zipped=no&fid=fid')
    expect(layers[0]?.features.map((feature) => feature.id)).toEqual(ids)
  })
})
