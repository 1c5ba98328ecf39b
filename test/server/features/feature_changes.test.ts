import { expect, test } from 'vitest'
import { createTestLayer } from '../../support/layers.ts'
import { describeServers, type TestServer } from '../../support/server.ts'

let names = 0

async function createLayer(server: TestServer) {
  names += 1
  const fields = { n: 'INTEGER', s: 'STRING', day: 'DATE' } as const
  const id = await createTestLayer(server.database, {
    name: `changed ${names}`,
    geometryType: 'POINT',
    fields,
  })
  const path = `/api/resource/${id}`
  const list = async () => {
    const answer = await server.admin('GET', `${path}/feature/?extensions=&dt_format=iso`)
    return answer.json<{ id: number; geom: string | null; fields: Record<string, unknown> }[]>()
  }
  const versionOf = async () => {
    const answer = await server.admin('GET', path)
    return (await answer.json<{ vector_layer: { data_version: number } }>()).vector_layer.data_version
  }
  const digests = async (query: string) => {
    const answer = await server.admin('GET', `${path}/feature_digest?${query}`)
    return { status: answer.status, body: await answer.json<string[] & { message: string }>() }
  }
  await server.admin('PATCH', `${path}/feature/`, [
    { geom: 'POINT(1 2)', fields: { n: 1, s: 'a', day: '2020-01-31' } },
    { geom: 'POINT(3 4)', fields: { n: 2, s: 'b' } },
    { fields: { n: 3 } },
  ])
  return { id, path, list, versionOf, digests }
}

async function sendChanges(server: TestServer, path: string, changes: unknown, version: number) {
  const upload = await server.admin('PUT', '/api/component/file_upload/', changes)
  const source = await upload.json<{ id: string }>()
  const feature_changes = { source, data_version: version }
  const answer = await server.admin('PUT', path, { vector_layer: { feature_changes } })
  return { status: answer.status, body: await answer.json<{ code?: string; message?: string }>() }
}

describeServers('digests of features', (start) => {
  test('are the same for the same key, geometry and values, and differ with each of them', async () => {
    const server = await start()
    const layer = await createLayer(server)
    const { body: before } = await layer.digests('key=n')
    expect(before.map((line) => line.slice(32))).toEqual(['1', '2', '3'])
    for (const change of [
      { geom: 'POINT(1 3)' },
      { fields: { s: null } },
      { fields: { day: '2020-02-01' } },
    ]) {
      await server.admin('PATCH', `${layer.path}/feature/`, [{ id: 1, ...change }])
      const { body } = await layer.digests('key=n')
      expect(body.slice(1)).toEqual(before.slice(1))
      expect(body[0]?.slice(0, 16)).toBe(before[0]?.slice(0, 16))
      expect(body[0]).not.toBe(before[0])
    }
    const original = { geom: 'POINT(1 2)', fields: { s: 'a', day: '2020-01-31' } }
    await server.admin('PATCH', `${layer.path}/feature/`, [{ id: 1, ...original }])
    expect((await layer.digests('key=n')).body).toEqual(before)
  })

  test('cover only the requested fields', async () => {
    const server = await start()
    const layer = await createLayer(server)
    const { body: before } = await layer.digests('key=n&fields=n')
    await server.admin('PATCH', `${layer.path}/feature/`, [{ id: 2, fields: { s: 'other' } }])
    expect((await layer.digests('key=n&fields=n')).body).toEqual(before)
  })

  test.each([
    ['', '"key"'],
    ['key=', '"key"'],
    ['key=nosuch', '"nosuch" does not exist'],
    ['key=n&fields=nosuch', '"nosuch" does not exist'],
  ])('are refused for the query "%s"', async (query, word) => {
    const layer = await createLayer(await start())
    const { status, body } = await layer.digests(query)
    expect(status).toBe(422)
    expect(body.message).toContain(word)
  })
})

describeServers('changes of features in an update of a layer', (start) => {
  test('are written with the other changes, and keep ids and the version counts once', async () => {
    const server = await start()
    const layer = await createLayer(server)
    const version = await layer.versionOf()
    const changes = [
      { id: 1, geom: 'POINT(5 6)', fields: { s: 'c' } },
      { id: 2, delete: true },
      { geom: 'POINT(7 8)', fields: { n: 4, day: '1999-12-31' } },
      { id: 3, geom: null },
    ]
    expect((await sendChanges(server, layer.path, changes, version)).status).toBe(200)
    expect(await layer.versionOf()).toBe(version + 1)
    const features = await layer.list()
    expect(features.map(({ id, geom }) => [id, geom])).toEqual([
      [1, 'POINT(5 6)'],
      [3, null],
      [4, 'POINT(7 8)'],
    ])
    expect(features[0]?.fields).toEqual({ n: 1, s: 'c', day: '2020-01-31' })
    expect(features[2]?.fields).toEqual({ n: 4, s: null, day: '1999-12-31' })
  })

  test('are refused if the data have changed since', async () => {
    const server = await start()
    const layer = await createLayer(server)
    const version = await layer.versionOf()
    await server.admin('PATCH', `${layer.path}/feature/`, [{ id: 1, fields: { s: 'theirs' } }])
    const before = await layer.list()
    const answer = await sendChanges(server, layer.path, [{ id: 1, delete: true }], version)
    expect(answer).toMatchObject({ status: 412, body: { code: 'resource/stale' } })
    expect(await layer.list()).toEqual(before)
  })

  test.each([
    [
      'an unknown feature',
      [
        { id: 1, fields: { n: 9 } },
        { id: 77, delete: true },
      ],
      404,
    ],
    ['a bad value', [{ id: 1, fields: { n: 'x' } }], 422],
    ['another geometry type', [{ id: 1, geom: 'LINESTRING(0 0,1 1)' }], 422],
    ['no list', { id: 1 }, 422],
  ])('change nothing if the upload has %s', async (_, changes, status) => {
    const server = await start()
    const layer = await createLayer(server)
    const before = await layer.list()
    const version = await layer.versionOf()
    expect((await sendChanges(server, layer.path, changes, version)).status).toBe(status)
    expect(await layer.list()).toEqual(before)
    expect(await layer.versionOf()).toBe(version)
  })

  test('are refused in a creation, and without an upload', async () => {
    const server = await start()
    const layer = await createLayer(server)
    const feature_changes = { source: { id: 'nosuch' }, data_version: 1 }
    const body = { vector_layer: { feature_changes } }
    expect((await server.admin('PUT', layer.path, body)).status).toBe(422)
    const resource = { cls: 'vector_layer', parent: { id: 0 }, display_name: 'new with changes' }
    const answer = await server.admin('POST', '/api/resource/', { resource, ...body })
    expect(answer.status).toBe(422)
  })
})
