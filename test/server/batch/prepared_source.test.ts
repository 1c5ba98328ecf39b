import { beforeAll, expect, test } from 'vitest'
import { dropOrphans } from '../../../src/import/orphaned_tables.ts'
import { openAttachments } from '../../support/attachments.ts'
import { type BatchClient, groupBody, openBatchClient } from '../../support/batch.ts'
import { listFeatureTables } from '../../support/import.ts'
import { openLayerClient, type WireError, type WireLayer } from '../../support/layer_client.ts'
import { describeServers, type TestServer } from '../../support/server.ts'
import { createUser, userPassword } from '../../support/users.ts'

describeServers('prepared sources', (start) => {
  let server: TestServer
  let batch: BatchClient
  beforeAll(async () => {
    server = await start()
    batch = openBatchClient(server)
  })

  const points = (count: number) =>
    JSON.stringify({
      type: 'FeatureCollection',
      features: Array.from({ length: count }, (_, at) => ({
        type: 'Feature',
        properties: { name: `p${at}`, size: at },
        geometry: { type: 'Point', coordinates: [at, at] },
      })),
    })

  const prepare = async (count: number, more: object = {}, ask = server.admin) => {
    const source = await openLayerClient(server).upload('points.geojson', points(count))
    const body = { cls: 'vector_layer', vector_layer: { source }, ...more }
    const answer = await ask('POST', '/api/component/landform/prepared', body)
    const read = await answer.json<{ id: string; feature_count: number; fields: object[] } & WireError>()
    return { ...read, status: answer.status }
  }

  const fromSource = (display_name: string, parent: number | string, prepared: string) => ({
    resource: { cls: 'vector_layer', parent: { id: parent }, display_name },
    vector_layer: { source: { prepared } },
    feature_layer: { fields: [{ keyname: 'size', datatype: 'INTEGER', display_name: 'Size' }] },
  })

  const layerOf = async (id: number) => (await server.admin('GET', `/api/resource/${id}`)).json<WireLayer>()

  const count = async (id: number) =>
    (await server.admin('GET', `/api/resource/${id}/feature_count`)).json<{ total_count: number }>()

  test('appear with their layer, not before', async () => {
    const source = await prepare(3)
    expect(source).toMatchObject({
      status: 200,
      feature_count: 3,
      bad_count: 0,
      fields: [
        { keyname: 'name', datatype: 'STRING', display_name: 'name' },
        { keyname: 'size', datatype: 'INTEGER', display_name: 'size' },
      ],
    })
    const [, made] = await batch.run([
      { op: 'create', name: 'g', body: groupBody('Prepared') },
      { op: 'create', body: fromSource('Points', 'g', source.id) },
    ])
    const id = made?.id ?? 0
    expect(await count(id)).toEqual({ total_count: 3 })
    const { feature_layer } = await layerOf(id)
    expect(feature_layer.fields.map(({ keyname, display_name }) => [keyname, display_name])).toEqual([
      ['size', 'Size'],
      ['name', 'name'],
    ])
  })

  test('replace the features of an existing layer', async () => {
    const first = await prepare(3)
    const [made] = await batch.run([{ op: 'create', body: fromSource('Replaced', 0, first.id) }])
    const id = made?.id ?? 0
    const second = await prepare(5, { id })
    await batch.run([{ op: 'update', id, body: { vector_layer: { source: { prepared: second.id } } } }])
    expect(await count(id)).toEqual({ total_count: 5 })
    expect((await layerOf(id)).vector_layer.data_version).toBe(2)
  })

  test('report what they would replace: number of features, and fields that would lose their values', async () => {
    const first = await prepare(5)
    expect(first).not.toHaveProperty('replaces')
    const [made] = await batch.run([{ op: 'create', body: fromSource('Compared', 0, first.id) }])
    const id = made?.id ?? 0
    const replacesOf = async (text: string, more: object = {}) => {
      const source = await openLayerClient(server).upload('points.geojson', text)
      const body = { cls: 'vector_layer', id, vector_layer: { source, ...more } }
      const answer = await server.admin('POST', '/api/component/landform/prepared', body)
      const { id: uid, replaces } = await answer.json<{ id: string; replaces: object }>()
      await server.admin('DELETE', `/api/component/landform/prepared/${uid}`)
      return replaces
    }
    const now = { feature_count: 5, data_version: 1, lost_attachments: 0, lost_descriptions: 0 }
    expect(await replacesOf(points(2))).toEqual({ ...now, lost_fields: [] })
    const without = points(3).replaceAll(/"size":/g, '"width":')
    const lost = { ...now, lost_fields: [{ keyname: 'size', value_count: 5 }] }
    expect(await replacesOf(without)).toEqual(lost)
    expect(await replacesOf(without, { keep_fields: true })).toEqual(lost)
    expect(await replacesOf(points(3).replaceAll(/"size":\d/g, '"size":null'))).toEqual(lost)
    const none = { cast_geometry_type: 'POINT' }
    expect(await replacesOf(points(0), none)).toEqual({ ...now, lost_fields: [] })
    await server.admin('DELETE', `/api/resource/${id}/feature/1`)
    const less = { ...now, feature_count: 4, data_version: 2 }
    expect(await replacesOf(without)).toEqual({
      ...less,
      lost_fields: [{ keyname: 'size', value_count: 4 }],
    })
    const described = { extensions: { description: 'Kept by hand' } }
    await server.admin('PUT', `/api/resource/${id}/feature/2`, described)
    await openAttachments(server.admin, id, 2).attach('a photo')
    const again = await replacesOf(points(5))
    expect(again).toMatchObject({ lost_attachments: 1, lost_descriptions: 1, lost_fields: [] })
    const byId = { fid_source: 'FIELD', fid_field: 'size' }
    expect(await replacesOf(points(5), byId)).toMatchObject({ lost_attachments: 0, lost_descriptions: 0 })
    expect(await replacesOf(points(2), byId)).toMatchObject({ lost_attachments: 1, lost_descriptions: 1 })
  })

  test('remain available if the batch fails', async () => {
    const source = await prepare(2)
    const operations = [
      { op: 'create', name: 'g', body: groupBody('Second try') },
      { op: 'create', body: fromSource('Points', 'g', source.id) },
    ]
    await batch.refuse([...operations, { op: 'create', body: groupBody('Second try') }])
    await batch.run(operations)
  })

  test('can be used once, by the user and for the purpose they were prepared for', async () => {
    const source = await prepare(2)
    const [made] = await batch.run([{ op: 'create', body: fromSource('Once', 0, source.id) }])
    const again = await batch.refuse([{ op: 'create', body: fromSource('Twice', 0, source.id) }])
    expect([again.status, again.code]).toEqual([422, 'source/not-prepared'])
    const mine = await prepare(2)
    const twice = await batch.refuse([
      { op: 'create', body: fromSource('A', 0, mine.id) },
      { op: 'create', body: fromSource('B', 0, mine.id) },
    ])
    expect(twice.status).toBe(409)
    const other = await batch.refuse([
      { op: 'update', id: made?.id, body: { vector_layer: { source: { prepared: mine.id } } } },
    ])
    expect([other.status, other.code]).toEqual([422, 'source/not-prepared'])
    await createUser(server.database, 'stranger')
    const ask = server.as('stranger', userPassword)
    const path = `/api/component/landform/prepared/${mine.id}`
    expect((await ask('DELETE', path)).status).toBe(422)
    expect((await server.admin('DELETE', path)).status).toBe(200)
    expect((await server.admin('DELETE', path)).status).toBe(422)
    expect((await prepare(1, {}, server.guest)).status).toBe(403)
  })

  test('leave nothing behind when they are invalid, discarded or expired', async () => {
    const before = await listFeatureTables(server.database)
    const source = await openLayerClient(server).upload('points.geojson', 'no data')
    const body = { cls: 'vector_layer', vector_layer: { source } }
    expect((await server.admin('POST', '/api/component/landform/prepared', body)).status).toBe(422)
    const kept = await prepare(2)
    expect((await listFeatureTables(server.database)).tables).toHaveLength(before.tables.length + 1)
    await server.admin('DELETE', `/api/component/landform/prepared/${kept.id}`)
    expect(await listFeatureTables(server.database)).toEqual(before)
    await prepare(2)
    await dropOrphans(server.database, { instance: 'another', undroppedTables: new Set() })
    expect((await listFeatureTables(server.database)).tables).toHaveLength(before.tables.length + 1)
    const age = "interval '25 hours'"
    await server.database.query(`update prepared_source set created_at = created_at - ${age}`)
    await server.database.query(`update staging set created_at = created_at - ${age}`)
    await dropOrphans(server.database, { instance: 'another', undroppedTables: new Set() })
    expect(await listFeatureTables(server.database)).toEqual(before)
  })

  test.for([
    ['another class', { cls: 'webmap' }],
    ['no source', { vector_layer: {} }],
    ['a source that is prepared already', { vector_layer: { source: { id: 'x', prepared: 'y' } } }],
    ['an option of a wrong type', { vector_layer: { source: { id: 'x' }, skip_errors: 'maybe' } }],
    ['a layer that is none', { id: 0 }],
  ] as const)('are refused with %s', async ([, more]) => {
    const answer = await prepare(1, more)
    expect([answer.status, answer.code]).toEqual([422, 'request/invalid'])
  })
})
