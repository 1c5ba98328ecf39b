import { expect, test } from 'vitest'
import type { Rule } from '../../../src/contract/bodies/resource.ts'
import { addUser, goodPassword } from '../../support/principals.ts'
import { createGroup, rule } from '../../support/resources.ts'
import { type Ask, describeServers } from '../../support/server.ts'
import { createLayer, createResource } from '../../support/tree.ts'

interface Table {
  readonly items: Record<string, string>
  readonly sort: string
  readonly order: string[] | null
}

const createTable = (ask: Ask, name: string, table: object = {}) =>
  createResource(ask, { cls: 'lookup_table', name, members: { lookup_table: table } })

const readTable = async (ask: Ask, id: number) =>
  (await (await ask('GET', `/api/resource/${id}`)).json<{ lookup_table: Table }>()).lookup_table

const change = (ask: Ask, id: number, table: object) =>
  ask('PUT', `/api/resource/${id}`, { lookup_table: table })

describeServers('lookup tables', (start) => {
  test('a new table is empty', async () => {
    const { admin } = await start()
    expect(await readTable(admin, await createTable(admin, 'Empty'))).toEqual({
      items: {},
      sort: 'CUSTOM',
      order: null,
    })
  })

  test('items keep their order, including unusual keys', async () => {
    const { admin } = await start()
    const text = '{"zinc":"Zn","":"none","__proto__":"odd","ключ":"\\"quoted\\"","constructor":"x"}'
    const id = await createTable(admin, 'Ordered', { items: JSON.parse(text) })
    expect(JSON.stringify((await readTable(admin, id)).items)).toBe(text)
  })

  test('an update replaces all items, and keeps them if it has none', async () => {
    const { admin } = await start()
    const id = await createTable(admin, 'Replaced', { items: { a: 'A', b: 'B' } })
    expect((await change(admin, id, { items: { c: 'C', b: 'Bee' } })).status).toBe(200)
    expect((await readTable(admin, id)).items).toEqual({ c: 'C', b: 'Bee' })
    await change(admin, id, { sort: 'KEY_ASC' })
    expect(Object.entries((await readTable(admin, id)).items)).toEqual([
      ['b', 'Bee'],
      ['c', 'C'],
    ])
    await change(admin, id, { items: {} })
    expect(await readTable(admin, id)).toEqual({ items: {}, sort: 'KEY_ASC', order: null })
  })

  test.each([
    ['KEY_ASC', ['a', 'b', 'c']],
    ['KEY_DESC', ['c', 'b', 'a']],
    ['VALUE_ASC', ['b', 'c', 'a']],
    ['VALUE_DESC', ['a', 'c', 'b']],
    ['CUSTOM', ['c', 'a', 'b']],
  ])('%s orders the items', async (sort, keys) => {
    const { admin } = await start()
    const id = await createTable(admin, sort, { items: { c: 'second', a: 'third', b: 'first' }, sort })
    expect(Object.keys((await readTable(admin, id)).items)).toEqual(keys)
  })

  test('an explicit order survives an update of the items', async () => {
    const { admin } = await start()
    const id = await createTable(admin, 'Own order', {
      items: { '1': 'one', '2': 'two', '10': 'ten' },
      order: ['10', '1', '2'],
    })
    expect((await readTable(admin, id)).order).toEqual(['10', '1', '2'])
    await change(admin, id, { items: { '0': 'zero', '2': 'two', '10': 'ten' } })
    expect((await readTable(admin, id)).order).toEqual(['10', '2', '0'])
    await change(admin, id, { order: null })
    expect((await readTable(admin, id)).order).toBeNull()
  })

  test.each([
    ['a value that is no text', { items: { a: 1 } }, '$.lookup_table.items.a'],
    ['items that are a list', { items: ['a'] }, '$.lookup_table.items'],
    ['an unknown way to sort', { sort: 'RANDOM' }, '$.lookup_table.sort'],
    ['an order of other keys', { items: { a: 'A' }, order: ['b'] }, '$.lookup_table.order.0'],
    ['an order with a key twice', { items: { a: 'A' }, order: ['a', 'a'] }, '$.lookup_table.order.1'],
    ['an order that lacks a key', { items: { a: 'A', b: 'B' }, order: ['b'] }, '$.lookup_table.order'],
  ])('%s is refused with the location', async (name, table, place) => {
    const { admin } = await start()
    const resource = { cls: 'lookup_table', parent: { id: 0 }, display_name: name }
    const answer = await admin('POST', '/api/resource/', { resource, lookup_table: table })
    expect([answer.status, (await answer.json<{ message: string }>()).message]).toEqual([
      422,
      expect.stringMatching(`- at ${place.replaceAll(/[$.]/g, '\\$&')}$`),
    ])
  })

  test('a field refers to its lookup table: features keep codes, and the table cannot be deleted', async () => {
    const { admin } = await start()
    const table = await createTable(admin, 'Uses', { items: { f: 'Forest' } })
    const layer = await createLayer(admin, {
      name: 'Explained',
      geometryType: 'POINT',
      members: {
        feature_layer: { fields: [{ keyname: 'use', datatype: 'STRING', lookup_table: { id: table } }] },
      },
    })
    await admin('POST', `/api/resource/${layer}/feature/`, { geom: 'POINT(1 2)', fields: { use: 'f' } })
    const [feature] = await (await admin('GET', `/api/resource/${layer}/feature/`)).json<
      [{ fields: unknown }]
    >()
    expect(feature.fields).toEqual({ use: 'f' })
    const refused = await admin('DELETE', `/api/resource/${table}`)
    expect([refused.status, await refused.json()]).toEqual([
      409,
      expect.objectContaining({
        code: 'resource/referenced',
        data: { count: 1, referrers: [{ id: layer, target: { id: table } }] },
      }),
    ])
    expect((await admin('DELETE', `/api/resource/${layer}`)).status).toBe(200)
    expect((await admin('DELETE', `/api/resource/${table}`)).status).toBe(200)
  })

  // A request id is random, and may contain the id of a resource.
  const withoutRequestId = (text: string) => text.replace(/"request_id":"[^"]*"/, '')

  test('who cannot read the fields of a layer learns neither its lookup table nor its fields', async () => {
    const { admin, as } = await start()
    const keeper = await addUser(admin, 'keeper')
    const root = await (await admin('GET', '/api/resource/0')).json<{ resource: { permissions: Rule[] } }>()
    const { permissions } = root.resource
    await admin('PUT', '/api/resource/0', {
      resource: { permissions: [...permissions, rule('allow', keeper)] },
    })
    const table = await createTable(admin, 'Secret', { items: { f: 'Forest' } })
    const field = { keyname: 'usage', datatype: 'STRING', lookup_table: { id: table } }
    const members = { feature_layer: { fields: [field] } }
    const layer = await createLayer(admin, { name: 'Secretive', geometryType: 'POINT', members })
    // More resources than those of a part of the tree.
    for (const at of Array(8).keys()) await createGroup(admin, 0, { display_name: `Filler ${at}` })
    const text = '<map><layer><labelitem>usag</labelitem><class><label/></class></layer></map>'
    const body = (name: string) => ({
      resource: { cls: 'mapsrv_style', parent: { id: layer }, display_name: name },
      mapsrv_style: { xml: text },
    })
    const look = async (ask: Ask, name: string) => {
      const part = await ask('POST', '/api/component/landform/tree', { referrers: [table] })
      const operations = [{ op: 'create', body: body(name) }]
      const made = await ask('POST', '/api/component/landform/batch', { operations })
      return {
        part: (await part.text()).includes('Secretive'),
        deletion: withoutRequestId(await (await ask('DELETE', `/api/resource/${table}`)).text()),
        issues: JSON.stringify((await made.json<{ results: object[] }>()).results[0]),
      }
    }
    const seen = await look(as('keeper', goodPassword), 'First')
    expect(seen).toMatchObject({ part: true, deletion: expect.stringContaining('Secretive') })
    expect(seen.issues).toContain('usage')
    const hidden = { permissions: [rule('deny datastruct.read', keeper)] }
    expect((await admin('PUT', `/api/resource/${layer}`, { resource: hidden })).status).toBe(200)
    const left = await look(as('keeper', goodPassword), 'Second')
    expect(left).toMatchObject({ part: false, deletion: expect.stringContaining('Used by 1 more.') })
    expect(left.deletion).not.toContain(String(layer))
    expect(left.issues).not.toContain('usage')
  })
})
