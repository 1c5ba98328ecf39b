import { beforeAll, describe, expect, test } from 'vitest'
import { dropOrphans } from '../../src/import/orphans.ts'
import { listFeatureTables } from '../support/import.ts'
import { openLayerClient, type WireError, type WireLayer } from '../support/layer_client.ts'
import { describeServers, type TestServer } from '../support/server.ts'
import { createUser, userPassword } from '../support/users.ts'

interface Result {
  readonly id: number
  readonly version?: number
}

interface BatchError extends WireError {
  readonly data: { readonly operation?: number; readonly name?: string }
}

const group = (display_name: string, parent: number | string = 0, more: object = {}) => ({
  resource: { cls: 'resource_group', parent: { id: parent }, display_name, ...more },
})

const layer = (display_name: string, parent: number | string) => ({
  resource: { cls: 'vector_layer', parent: { id: parent }, display_name },
  vector_layer: { srs: { id: 3857 }, geometry_type: 'POINT' },
  feature_layer: { fields: [{ keyname: 'name', datatype: 'STRING' }] },
})

const style = (display_name: string, parent: number | string) => ({
  resource: { cls: 'mapsrv_style', parent: { id: parent }, display_name },
})

const map = (display_name: string, parent: number | string, layer_style_id: number | string) => ({
  resource: { cls: 'webmap', parent: { id: parent }, display_name },
  webmap: {
    root_item: { item_type: 'root', children: [{ item_type: 'layer', display_name: 'L', layer_style_id }] },
  },
})

describeServers('a batch', (start) => {
  let server: TestServer
  beforeAll(async () => {
    server = await start()
  })

  const batch = (operations: object[], ask = server.admin) =>
    ask('POST', '/api/component/landform/batch', { operations })

  const run = async (operations: object[]): Promise<Result[]> => {
    const answer = await batch(operations)
    const read = await answer.json<{ results: Result[] }>()
    expect(answer.status, JSON.stringify(read)).toBe(200)
    return read.results
  }

  const refuse = async (operations: object[], ask = server.admin): Promise<BatchError> => {
    const before = await tree()
    const answer = await batch(operations, ask)
    const read = await answer.json<BatchError>()
    expect(answer.status, JSON.stringify(read)).toBeGreaterThanOrEqual(400)
    expect(await tree()).toEqual(before)
    return { ...read, status: answer.status }
  }

  const tree = async () =>
    (await server.admin('GET', '/api/resource/search/?serialization=full')).json<object[]>()

  const get = async (id: number) =>
    (await server.admin('GET', `/api/resource/${id}`)).json<{
      resource: { parent: { id: number }; display_name: string; version: number }
      webmap: { root_item: { children: { layer_style_id: number }[] } }
    }>()

  test('makes resources that refer to each other by local names, in the order of the list', async () => {
    const results = await run([
      { op: 'create', name: 'g', body: group('Local') },
      { op: 'create', name: 'l', body: layer('Layer', 'g') },
      { op: 'create', name: 's', body: style('Style', 'l') },
      { op: 'create', body: map('Map', 'g', 's') },
      { op: 'create', body: group('Another', 'g') },
    ])
    expect(results.map(({ version }) => version)).toEqual([1, 1, 1, 1, 1])
    const [g, l, s, m, a] = results.map(({ id }) => id)
    expect((await get(l ?? 0)).resource.parent.id).toBe(g)
    expect((await get(s ?? 0)).resource.parent.id).toBe(l)
    expect((await get(a ?? 0)).resource.parent.id).toBe(g)
    expect((await get(m ?? 0)).webmap.root_item.children[0]?.layer_style_id).toBe(s)
  })

  test('takes both spellings of classes and members', async () => {
    const [, , made] = await run([
      { op: 'create', name: 'g', body: group('Sister') },
      { op: 'create', name: 'l', body: layer('Layer', 'g') },
      {
        op: 'create',
        body: { resource: { cls: 'mapserver_style', parent: { id: 'l' }, display_name: 'Style' } },
      },
    ])
    expect((await get(made?.id ?? 0)).resource.display_name).toBe('Style')
  })

  test('checks each operation against the state that those before it have left', async () => {
    const [made] = await run([{ op: 'create', body: group('First') }])
    const id = made?.id ?? 0
    const results = await run([
      { op: 'update', id, if_version: 1, body: { resource: { display_name: 'Second' } } },
      { op: 'create', name: 'heir', body: group('First') },
      { op: 'update', id, if_version: 2, body: { resource: { parent: { id: 'heir' } } } },
      { op: 'update', id: 'heir', body: { resource: { keyname: 'batch-heir' } } },
    ])
    expect(results.map(({ version }) => version)).toEqual([2, 1, 3, 2])
    expect((await get(id)).resource.parent.id).toBe(results[1]?.id)
    const [gone, again] = await run([
      { op: 'delete', id: results[1]?.id },
      { op: 'create', body: group('First', 0, { keyname: 'batch-heir' }) },
    ])
    expect(gone).toEqual({ id: results[1]?.id })
    expect((await server.admin('GET', `/api/resource/${id}`)).status).toBe(404)
    expect((await get(again?.id ?? 0)).resource.display_name).toBe('First')
  })

  test('does nothing when one operation cannot be done, and says which', async () => {
    const many = Array.from({ length: 20 }, (_, at) => ({ op: 'create', body: group(`Many ${at}`, 'g') }))
    const clash = [
      { op: 'create', name: 'g', body: group('Group of many') },
      ...many,
      { op: 'create', name: 'clash', body: group('Many 7', 'g') },
      { op: 'create', body: group('Many 21', 'g') },
    ]
    const error = await refuse(clash)
    expect(error).toMatchObject({ status: 422, code: 'resource/name-taken' })
    expect(error.data).toMatchObject({ operation: 21, name: 'clash' })
  })

  test.for([
    ['an unknown local name', [{ op: 'create', body: group('X', 'nobody') }], 422, 'request/invalid', 0],
    [
      'a local name that a later operation gives',
      [
        { op: 'create', body: group('X', 'later') },
        { op: 'create', name: 'later', body: group('Y') },
      ],
      422,
      'request/invalid',
      0,
    ],
    [
      'a local name that is given twice',
      [
        { op: 'create', name: 'n', body: group('X') },
        { op: 'create', name: 'n', body: group('Y') },
      ],
      422,
      'request/invalid',
      1,
    ],
    ['an id that is chosen', [{ op: 'create', id: 7, body: group('X') }], 422, 'request/invalid', 0],
    ['a name of what is not created', [{ op: 'delete', id: 999999, name: 'n' }], 422, 'request/invalid', 0],
    ['no id', [{ op: 'update', body: {} }], 422, 'request/invalid', 0],
    ['a resource that is not there', [{ op: 'update', id: 999999, body: {} }], 404, 'resource/not-found', 0],
    ['the deletion of what is not there', [{ op: 'delete', id: 999999 }], 404, 'resource/not-found', 0],
    ['the deletion of the root', [{ op: 'delete', id: 0 }], 422, 'resource/hierarchy', 0],
    [
      'a wrong class of parent',
      [
        { op: 'create', name: 'g', body: group('X') },
        { op: 'create', body: style('S', 'g') },
      ],
      422,
      'resource/hierarchy',
      1,
    ],
    [
      'a reference to another class',
      [
        { op: 'create', name: 'g', body: group('X') },
        { op: 'create', body: map('M', 'g', 'g') },
      ],
      422,
      'request/invalid',
      1,
    ],
    [
      'a stale version',
      [{ op: 'update', id: 0, if_version: 99, body: { resource: { description: 'x' } } }],
      412,
      'resource/stale',
      0,
    ],
    [
      'a body that does not fit',
      [
        { op: 'create', name: 'g', body: group('X') },
        {
          op: 'create',
          body: { ...layer('L', 'g'), vector_layer: { geometry_type: 'BLOB', srs: { id: 3857 } } },
        },
      ],
      422,
      'request/invalid',
      1,
    ],
    [
      'a class that does not exist',
      [{ op: 'create', body: { resource: { cls: 'nothing', parent: { id: 0 }, display_name: 'X' } } }],
      422,
      'request/invalid',
      0,
    ],
    [
      'a parent that does not exist',
      [{ op: 'create', body: group('X', 999999) }],
      404,
      'resource/not-found',
      0,
    ],
  ] as const)('refuses %s', async ([, operations, status, code, operation]) => {
    const error = await refuse([...operations])
    expect([error.status, error.code, error.data.operation], error.message).toEqual([status, code, operation])
  })

  test.for([
    ['no list', {}],
    ['an unknown operation', { operations: [{ op: 'replace' }] }],
    ['a list in place of an operation', { operations: [[]] }],
  ] as const)('refuses a body with %s', async ([, body]) => {
    const answer = await server.admin('POST', '/api/component/landform/batch', body)
    expect(answer.status).toBe(422)
  })

  test('of nothing does nothing', async () => {
    expect(await run([])).toEqual([])
  })

  test('asks for the permissions that each operation by itself asks for', async () => {
    const user = await createUser(server.database, 'batcher')
    const ask = server.as('batcher', userPassword)
    const [made] = await run([
      {
        op: 'create',
        body: group('Theirs', 0, {
          permissions: [rule(user, 'read'), rule(user, 'manage_children'), rule(user, 'create')],
        }),
      },
      { op: 'update', id: 0, body: { resource: { permissions: await rootRules(user) } } },
    ])
    const mine = made?.id ?? 0
    expect((await batch([{ op: 'create', body: group('Mine', mine) }], ask)).status).toBe(200)
    const denied = await refuse(
      [
        { op: 'create', name: 'more', body: group('More', mine) },
        { op: 'create', body: group('Elsewhere', 0) },
        { op: 'create', body: group('Below', 'more') },
      ],
      ask,
    )
    expect([denied.status, denied.data.operation]).toEqual([403, 1])
    expect((await refuse([{ op: 'delete', id: mine }], ask)).status).toBe(403)
    expect((await refuse([{ op: 'create', body: group('G', mine) }], server.guest)).status).toBe(403)
  })

  const rule = (id: number, permission: string) => ({
    action: 'allow',
    principal: { id },
    identity: '',
    scope: 'resource',
    permission,
    propagate: true,
  })

  async function rootRules(user: number) {
    const root = await (await server.admin('GET', '/api/resource/0')).json<{
      resource: { permissions: object[] }
    }>()
    return [...root.resource.permissions, { ...rule(user, 'read'), propagate: false }]
  }

  describe('of prepared sources', () => {
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

    test('are there with their layer, and only then', async () => {
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
      const [, made] = await run([
        { op: 'create', name: 'g', body: group('Prepared') },
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

    test('replace the features of a layer that stands', async () => {
      const first = await prepare(3)
      const [made] = await run([{ op: 'create', body: fromSource('Replaced', 0, first.id) }])
      const id = made?.id ?? 0
      const second = await prepare(5, { id })
      await run([{ op: 'update', id, body: { vector_layer: { source: { prepared: second.id } } } }])
      expect(await count(id)).toEqual({ total_count: 5 })
      expect((await layerOf(id)).vector_layer.data_version).toBe(2)
    })

    test('wait for another try when the batch fails', async () => {
      const source = await prepare(2)
      const operations = [
        { op: 'create', name: 'g', body: group('Second try') },
        { op: 'create', body: fromSource('Points', 'g', source.id) },
      ]
      await refuse([...operations, { op: 'create', body: group('Second try') }])
      await run(operations)
    })

    test('are used once, by who prepared them, for what they were prepared for', async () => {
      const source = await prepare(2)
      const [made] = await run([{ op: 'create', body: fromSource('Once', 0, source.id) }])
      const again = await refuse([{ op: 'create', body: fromSource('Twice', 0, source.id) }])
      expect([again.status, again.code]).toEqual([422, 'source/not-prepared'])
      const mine = await prepare(2)
      const twice = await refuse([
        { op: 'create', body: fromSource('A', 0, mine.id) },
        { op: 'create', body: fromSource('B', 0, mine.id) },
      ])
      expect(twice.status).toBe(409)
      const other = await refuse([
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

    test('leave nothing when they are bad, discarded, or of no use any more', async () => {
      const before = await listFeatureTables(server.database)
      const source = await openLayerClient(server).upload('points.geojson', 'no data')
      const body = { cls: 'vector_layer', vector_layer: { source } }
      expect((await server.admin('POST', '/api/component/landform/prepared', body)).status).toBe(422)
      const kept = await prepare(2)
      expect((await listFeatureTables(server.database)).tables).toHaveLength(before.tables.length + 1)
      await server.admin('DELETE', `/api/component/landform/prepared/${kept.id}`)
      expect(await listFeatureTables(server.database)).toEqual(before)
      await prepare(2)
      await dropOrphans(server.database, 'another')
      expect((await listFeatureTables(server.database)).tables).toHaveLength(before.tables.length + 1)
      const age = "interval '25 hours'"
      await server.database.query(`update prepared_source set created_at = created_at - ${age}`)
      await server.database.query(`update staging set created_at = created_at - ${age}`)
      await dropOrphans(server.database, 'another')
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
})
