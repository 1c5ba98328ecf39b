import { beforeAll, expect, test } from 'vitest'
import { openLayerClient } from '../../support/layer_client.ts'
import { describeServers, type TestServer } from '../../support/server.ts'
import { geojson, point } from '../../support/vector.ts'

const source = geojson([
  { geometry: point(1, 2), properties: { id: 7, name: 'a' } },
  { geometry: null, properties: { id: 8, name: 'b' } },
])

const report = {
  format: 'GeoJSON',
  layer: 'places',
  feature_count: 1,
  bad_count: 1,
  bad: [{ number: 2, reason: 'it has no geometry' }],
  other_count: 0,
  renamed: [{ from: 'id', to: 'id_1' }],
  notes: [],
}

describeServers('the import report of a file', (start) => {
  let server: TestServer
  beforeAll(async () => {
    server = await start()
  })

  async function send(method: string, path: string, body: object): Promise<Record<string, unknown>> {
    const answer = await server.admin(method, path, body)
    const read = await answer.json<Record<string, unknown>>()
    expect(answer.status, JSON.stringify(read)).toBe(200)
    return read
  }

  async function own(): Promise<object> {
    const upload = await openLayerClient(server).upload('places.geojson', source)
    return { srs: { id: 3857 }, source: upload, skip_errors: true }
  }

  const create = (title: string, member: object) =>
    send('POST', '/api/resource/', {
      resource: { cls: 'vector_layer', parent: { id: 0 }, display_name: title },
      vector_layer: member,
    })

  test('is returned for a layer created from the file', async () => {
    const { report: told } = await create('made', await own())
    expect(told).toEqual(report)
  })

  test('is returned for a layer whose features the file replaces', async () => {
    const { id } = await create('replaced', await own())
    expect(await send('PUT', `/api/resource/${id}`, { vector_layer: await own() })).toEqual({ report })
  })

  test('is returned for a prepared source', async () => {
    const body = { cls: 'vector_layer', vector_layer: await own() }
    expect((await send('POST', '/api/component/landform/prepared', body)).report).toEqual(report)
  })

  test('is absent without a file', async () => {
    const created = await create('empty', { srs: { id: 3857 }, geometry_type: 'POINT', fields: [] })
    expect(Object.keys(created)).toEqual(['id', 'parent'])
    const change = { resource: { display_name: 'still empty' } }
    expect(await send('PUT', `/api/resource/${created.id}`, change)).toEqual({})
  })
})
