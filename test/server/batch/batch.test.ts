import { beforeAll, expect, test } from 'vitest'
import { type BatchClient, groupBody, openBatchClient } from '../../support/batch.ts'
import { describeServers, type TestServer } from '../../support/server.ts'
import { createUser, userPassword } from '../../support/users.ts'

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
  let batch: BatchClient
  beforeAll(async () => {
    server = await start()
    batch = openBatchClient(server)
  })

  const get = async (id: number) =>
    (await server.admin('GET', `/api/resource/${id}`)).json<{
      resource: { parent: { id: number }; display_name: string; version: number }
      webmap: { root_item: { children: { layer_style_id: number }[] } }
    }>()

  test('creates resources that refer to each other by local names, in the order of the list', async () => {
    const results = await batch.run([
      { op: 'create', name: 'g', body: groupBody('Local') },
      { op: 'create', name: 'l', body: layer('Layer', 'g') },
      { op: 'create', name: 's', body: style('Style', 'l') },
      { op: 'create', body: map('Map', 'g', 's') },
      { op: 'create', body: { resource: { cls: 'resource_group', parent: 'g', display_name: 'Another' } } },
    ])
    expect(results.map(({ version }) => version)).toEqual([1, 1, 1, 1, 1])
    const [g, l, s, m, a] = results.map(({ id }) => id)
    expect((await get(l ?? 0)).resource.parent.id).toBe(g)
    expect((await get(s ?? 0)).resource.parent.id).toBe(l)
    expect((await get(a ?? 0)).resource.parent.id).toBe(g)
    expect((await get(m ?? 0)).webmap.root_item.children[0]?.layer_style_id).toBe(s)
  })

  test('answers the parts of written styles that are not drawn, and fields that layers do not have', async () => {
    const blurred = (field: string) =>
      `<map><layer><classitem>${field}</classitem><class><expression>a</expression><style><blur/></style></class></layer></map>`
    const results = await batch.run([
      { op: 'create', name: 'issues', body: layer('Layer with issues', 0) },
      {
        op: 'create',
        name: 's',
        body: { ...style('Blurred', 'issues'), mapsrv_style: { xml: blurred('nam') } },
      },
      { op: 'create', body: style('Plain', 'issues') },
      { op: 'update', id: 's', body: { resource: { description: 'x' } } },
    ])
    const [, blurredResult, plain, changed] = results
    expect(blurredResult).toMatchObject({
      style_issues: [
        {
          code: 'style/missing-field',
          message: 'the layer has no field "nam"; its value is null',
          column: 14,
        },
        { code: 'style/unknown', message: 'unknown element <blur>', line: 1 },
      ],
    })
    expect([plain, changed].map((result) => Object.keys(result ?? {}))).toEqual([
      ['id', 'version'],
      ['id', 'version'],
    ])
  })

  test('accepts classes and members in both dialects', async () => {
    const [, , made] = await batch.run([
      { op: 'create', name: 'g', body: groupBody('NextGIS') },
      { op: 'create', name: 'l', body: layer('Layer', 'g') },
      {
        op: 'create',
        body: { resource: { cls: 'mapserver_style', parent: { id: 'l' }, display_name: 'Style' } },
      },
    ])
    expect((await get(made?.id ?? 0)).resource.display_name).toBe('Style')
  })

  test('checks each operation against the state after the previous ones', async () => {
    const [made] = await batch.run([{ op: 'create', body: groupBody('First') }])
    const id = made?.id ?? 0
    const results = await batch.run([
      { op: 'update', id, if_version: 1, body: { resource: { display_name: 'Second' } } },
      { op: 'create', name: 'heir', body: groupBody('First') },
      { op: 'update', id, if_version: 2, body: { resource: { parent: { id: 'heir' } } } },
      { op: 'update', id: 'heir', body: { resource: { keyname: 'batch-heir' } } },
    ])
    expect(results.map(({ version }) => version)).toEqual([2, 1, 3, 2])
    expect((await get(id)).resource.parent.id).toBe(results[1]?.id)
    const [gone, again] = await batch.run([
      { op: 'delete', id: results[1]?.id },
      { op: 'create', body: groupBody('First', 0, { keyname: 'batch-heir' }) },
    ])
    expect(gone).toEqual({ id: results[1]?.id })
    expect((await server.admin('GET', `/api/resource/${id}`)).status).toBe(404)
    expect((await get(again?.id ?? 0)).resource.display_name).toBe('First')
  })

  test('changes nothing if one operation fails, and names it', async () => {
    const many = Array.from({ length: 20 }, (_, at) => ({ op: 'create', body: groupBody(`Many ${at}`, 'g') }))
    const clash = [
      { op: 'create', name: 'g', body: groupBody('Group of many') },
      ...many,
      { op: 'create', name: 'clash', body: groupBody('Many 7', 'g') },
      { op: 'create', body: groupBody('Many 21', 'g') },
    ]
    const error = await batch.refuse(clash)
    expect(error).toMatchObject({ status: 422, code: 'resource/name-taken' })
    expect(error.data).toMatchObject({ operation: 21, name: 'clash' })
  })

  test.for([
    ['an unknown local name', [{ op: 'create', body: groupBody('X', 'nobody') }], 422, 'request/invalid', 0],
    [
      'a local name that a later operation gives',
      [
        { op: 'create', body: groupBody('X', 'later') },
        { op: 'create', name: 'later', body: groupBody('Y') },
      ],
      422,
      'request/invalid',
      0,
    ],
    [
      'a local name that is given twice',
      [
        { op: 'create', name: 'n', body: groupBody('X') },
        { op: 'create', name: 'n', body: groupBody('Y') },
      ],
      422,
      'request/invalid',
      1,
    ],
    ['an id that is chosen', [{ op: 'create', id: 7, body: groupBody('X') }], 422, 'request/invalid', 0],
    ['a name of what is not created', [{ op: 'delete', id: 999999, name: 'n' }], 422, 'request/invalid', 0],
    ['no id', [{ op: 'update', body: {} }], 422, 'request/invalid', 0],
    ['a resource that is not there', [{ op: 'update', id: 999999, body: {} }], 404, 'resource/not-found', 0],
    ['the deletion of what is not there', [{ op: 'delete', id: 999999 }], 404, 'resource/not-found', 0],
    ['the deletion of the root', [{ op: 'delete', id: 0 }], 422, 'resource/hierarchy', 0],
    [
      'a wrong class of parent',
      [
        { op: 'create', name: 'g', body: groupBody('X') },
        { op: 'create', body: style('S', 'g') },
      ],
      422,
      'resource/hierarchy',
      1,
    ],
    [
      'a reference to another class',
      [
        { op: 'create', name: 'g', body: groupBody('X') },
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
        { op: 'create', name: 'g', body: groupBody('X') },
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
      [{ op: 'create', body: groupBody('X', 999999) }],
      404,
      'resource/not-found',
      0,
    ],
  ] as const)('refuses %s', async ([, operations, status, code, operation]) => {
    const error = await batch.refuse([...operations])
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

  test('without operations does nothing', async () => {
    expect(await batch.run([])).toEqual([])
  })

  test('requires the permissions of each operation', async () => {
    const user = await createUser(server.database, 'batcher')
    const ask = server.as('batcher', userPassword)
    const [made] = await batch.run([
      {
        op: 'create',
        body: groupBody('Theirs', 0, {
          permissions: [rule(user, 'read'), rule(user, 'manage_children'), rule(user, 'create')],
        }),
      },
      { op: 'update', id: 0, body: { resource: { permissions: await rootRules(user) } } },
    ])
    const mine = made?.id ?? 0
    expect((await batch.send([{ op: 'create', body: groupBody('Mine', mine) }], ask)).status).toBe(200)
    const denied = await batch.refuse(
      [
        { op: 'create', name: 'more', body: groupBody('More', mine) },
        { op: 'create', body: groupBody('Elsewhere', 0) },
        { op: 'create', body: groupBody('Below', 'more') },
      ],
      ask,
    )
    expect([denied.status, denied.data.operation]).toEqual([403, 1])
    expect((await batch.refuse([{ op: 'delete', id: mine }], ask)).status).toBe(403)
    // The version of what the caller cannot read is not disclosed.
    const [hidden] = await batch.run([{ op: 'create', body: groupBody('Hidden') }])
    for (const operation of [{ op: 'update', body: {} }, { op: 'delete' }]) {
      const refused = await batch.refuse([{ ...operation, id: hidden?.id, if_version: 99 }], ask)
      expect([refused.status, refused.message]).toEqual([403, expect.not.stringContaining('version')])
    }
    expect((await batch.refuse([{ op: 'create', body: groupBody('G', mine) }], server.guest)).status).toBe(
      403,
    )
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
})
