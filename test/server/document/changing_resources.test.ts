import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createStyledLayer, readMember, type StyledLayer, uploadContent } from '../../support/samples.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { allow, createResource } from '../../support/tree.ts'
import { principalId } from '../../support/users.ts'

let server: TestServer
let family: StyledLayer
beforeAll(async () => {
  server = await startTestServer('postgres')
  family = await createStyledLayer(server.admin)
})
afterAll(() => server.stop())

const create = (cls: string, name: string, members: Record<string, unknown> = {}) =>
  createResource(server.admin, { cls, parent: family.group, name, members })

const read = (id: number, member: string) => readMember(server.admin, id, member)

const put = async (id: number, body: object) => {
  const { status } = await server.admin('PUT', `/api/resource/${id}`, body)
  expect(status).toBe(200)
}

describe('Changing resources', () => {
  test('the same shape as creation; omitted members are left unchanged', async () => {
    const id = await create('lookup_table', 'Omitted', { lookup_table: { items: { a: 'A' } } })
    await put(id, { resource: { display_name: 'Renamed' } })
    expect(await read(id, 'lookup_table')).toMatchObject({ items: { a: 'A' } })
    await put(id, { lookup_table: { items: { b: 'B' } } })
    expect(await read(id, 'resource')).toMatchObject({ display_name: 'Renamed' })
  })

  test('the request must be authorized', async () => {
    const id = await create('lookup_table', 'Authorized')
    const body = { lookup_table: { items: {} } }
    expect((await server.guest('PUT', `/api/resource/${id}`, body)).status).toBe(403)
  })

  test('name, key, description, move, permissions | a new parent id moves the resource', async () => {
    const id = await create('lookup_table', 'Moving')
    const other = await create('resource_group', 'New place')
    const permissions = [allow(await principalId(server.database, 'guest'), 'resource', 'read')]
    const wanted = { display_name: 'Moved', keyname: 'moved', description: '<b>x</b>', permissions }
    await put(id, { resource: { ...wanted, parent: { id: other } } })
    expect(await read(id, 'resource')).toMatchObject({ ...wanted, parent: { id: other } })
  })

  test('web map layers | both item_type and children must be present', async () => {
    const id = await create('webmap', 'Layers')
    const children = [{ item_type: 'layer', display_name: 'L', layer_style_id: family.style }]
    await put(id, { webmap: { root_item: { item_type: 'root', children } } })
    expect(await read(id, 'webmap')).toMatchObject({ root_item: { item_type: 'root', children } })
    for (const root_item of [{ item_type: 'root' }, { children }]) {
      const { status } = await server.admin('PUT', `/api/resource/${id}`, { webmap: { root_item } })
      expect(status).toBe(422)
    }
  })

  test('metadata | creates or updates the keys', async () => {
    const id = await create('resource_group', 'Metadata', { resmeta: { items: { a: 1, b: 'x' } } })
    await put(id, { resmeta: { items: { b: 'y', c: true } } })
    expect(await read(id, 'resmeta')).toEqual({ items: { a: 1, b: 'y', c: true } })
  })

  test('lookup table | {lookup_table: {items: {<key>: <value>}}}', async () => {
    const id = await create('lookup_table', 'Items', { lookup_table: { items: { a: 'A', b: 'B' } } })
    await put(id, { lookup_table: { items: { b: 'Bee', c: 'C' } } })
    expect(await read(id, 'lookup_table')).toMatchObject({ items: { b: 'Bee', c: 'C' } })
    expect(await read(id, 'lookup_table')).not.toHaveProperty('items.a')
  })

  test('file bucket | the list is the resulting set of files: present files are kept (entries without id), omitted files are deleted, entries with an upload id are added', async () => {
    const upload = async (name: string) => ({ ...(await uploadContent(server.admin, name)), name })
    const files = [await upload('kept'), await upload('omitted')]
    const id = await create('file_bucket', 'Files', { file_bucket: { files } })
    const result = [{ name: 'kept' }, await upload('added')]
    await put(id, { resource: { description: 'with files' }, file_bucket: { files: result } })
    expect(await read(id, 'file_bucket')).toMatchObject({ files: [{ name: 'kept' }, { name: 'added' }] })
    expect(await read(id, 'resource')).toMatchObject({ description: 'with files' })
    const content = async (name: string) => server.admin('GET', `/api/resource/${id}/file/${name}`)
    expect(await (await content('kept')).text()).toBe('kept')
    expect((await content('omitted')).status).toBe(404)
  })
})
