import { request } from 'node:http'
import { expect, test } from 'vitest'
import { createTestLayer } from '../../support/layers.ts'
import { adminPassword, describeServers, type TestServer } from '../../support/server.ts'

let names = 0

async function createLayer(server: TestServer) {
  names += 1
  const fields = { n: 'INTEGER', s: 'STRING' } as const
  const id = await createTestLayer(server.database, {
    name: `patched ${names}`,
    geometryType: 'POINT',
    fields,
  })
  const path = `/api/resource/${id}/feature/`
  const list = async () => {
    const answer = await server.admin('GET', `${path}?extensions=&geom=no`)
    return answer.json<{ id: number; fields: { n: number | null; s: string | null } }[]>()
  }
  const patch = async (entries: unknown) => {
    const answer = await server.admin('PATCH', path, entries)
    return { status: answer.status, body: await answer.json<{ id: number }[] & { message: string }>() }
  }
  return { id, path, list, patch }
}

describeServers('PATCH of features', (start) => {
  test('creates, changes and deletes features, and returns ids in the order of the entries', async () => {
    const layer = await createLayer(await start())
    await layer.patch([{ fields: { n: 1, s: 'a' } }, { fields: { n: 2 } }, { fields: { n: 3 } }])
    const { body } = await layer.patch([
      { fields: { n: 10 } },
      { id: 2, fields: { s: 'b' } },
      { id: 3, delete: true },
      { geom: 'POINT(1 1)', fields: { n: 11 } },
      { id: 1, fields: { n: 100 } },
      { id: 1, fields: { s: 'z' } },
      { id: 2 },
    ])
    expect(body.map(({ id }) => id)).toEqual([4, 2, 3, 5, 1, 1, 2])
    expect(await layer.list()).toEqual([
      { id: 1, fields: { n: 100, s: 'z' }, extensions: {} },
      { id: 2, fields: { n: 2, s: 'b' }, extensions: {} },
      { id: 4, fields: { n: 10, s: null }, extensions: {} },
      { id: 5, fields: { n: 11, s: null }, extensions: {} },
    ])
  })

  test.each([
    ['an unknown id', [{ fields: { n: 9 } }, { id: 77, fields: { n: 1 } }], 404, '77'],
    ['an unknown id that is deleted', [{ id: 78, delete: true }], 404, '78'],
    [
      'a feature that an entry before has deleted',
      [
        { id: 1, delete: true },
        { id: 1, fields: { n: 1 } },
      ],
      404,
      '1',
    ],
    ['a bad value', [{ fields: { n: 9 } }, { id: 1, fields: { n: 'x' } }], 422, 'item 1: field "n"'],
    [
      'a geometry of another type',
      [{}, {}, { geom: 'LINESTRING(0 0,1 1)' }],
      422,
      'item 2: geometry type LINESTRING does not match',
    ],
    ['an entry that is no object', [{ fields: { n: 9 } }, 5], 422, 'item 1: '],
    ['a feature to delete without its id', [{ fields: { n: 9 } }, { delete: true }], 422, 'item 1: '],
    ['a body that is no list', { fields: { n: 9 } }, 422, 'list'],
    ['a list that breaks off', '[{"fields":{"n":9}},', 400, 'ends before'],
    ['no body', '', 400, 'ends before'],
    ['what nests without end', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 400, 'nests'],
    ['a text no database can keep', [{ fields: { s: 'a\0' } }], 422, 'NUL'],
  ])('changes nothing if an entry has %s', async (_, entries, status, word) => {
    const layer = await createLayer(await start())
    await layer.patch([{ fields: { n: 1 } }])
    const answer = await layer.patch(entries)
    expect(answer.status, answer.body.message).toBe(status)
    expect(answer.body.message).toContain(word)
    expect(await layer.list()).toEqual([{ id: 1, fields: { n: 1, s: null }, extensions: {} }])
  })

  test('accepts more entries than one statement, and later entries see earlier ones', async () => {
    const layer = await createLayer(await start())
    const created = Array.from({ length: 2500 }, (_, n) => ({ geom: `POINT(${n} 0)`, fields: { n } }))
    const changes = [
      { id: 1, fields: { s: 'first' } },
      { id: 1500, delete: true },
    ]
    const { body } = await layer.patch([...created, ...changes])
    expect(body.map(({ id }) => id)).toEqual([...created.map((_, at) => at + 1), 1, 1500])
    const found = await layer.list()
    expect(found).toHaveLength(2499)
    expect(found.every(({ id, fields }) => fields.n === id - 1)).toBe(true)
    expect(found.some(({ id }) => id === 1500)).toBe(false)
    expect(found[0]?.fields.s).toBe('first')
  })

  test('returns an empty list for an empty list', async () => {
    const layer = await createLayer(await start())
    expect(await layer.patch([])).toEqual({ status: 200, body: [] })
  })

  test('a slow client does not block others, and a disconnected one leaves nothing behind', async () => {
    const server = await start()
    const layer = await createLayer(server)
    const token = Buffer.from(`administrator:${adminPassword}`).toString('base64')
    const slow = request(server.url + layer.path, {
      method: 'PATCH',
      headers: { authorization: `Basic ${token}`, 'content-length': 1000 },
    })
    slow.on('error', () => undefined)
    slow.flushHeaders()
    await new Promise<void>((resolve) => slow.write('[{"fields":{"n":1}},', () => resolve()))
    expect((await layer.patch([{ fields: { n: 2 } }])).status).toBe(200)
    const gone = new Promise((resolve) => slow.once('close', resolve))
    slow.destroy()
    await gone
    expect((await layer.patch([{ fields: { n: 3 } }])).status).toBe(200)
    expect((await layer.list()).map(({ fields }) => fields.n)).toEqual([2, 3])
  })
})
