import { expect, test } from 'vitest'
import type { Representation } from '../../src/contract/bodies.ts'
import { describeServers } from '../support/server.ts'

describeServers('resources', (start) => {
  test('a group that is created can be read, renamed, listed, found and deleted', async () => {
    const { admin } = await start()
    const created = await admin('POST', '/api/resource/', {
      resource: { cls: 'resource_group', parent: { id: 0 }, display_name: 'Maps', keyname: 'maps' },
      resmeta: { items: { year: 2021, 'landform.manager': 'world/0' } },
    })
    expect(created.status).toBe(200)
    const { id, parent } = await created.json<{ id: number; parent: object }>()
    expect(parent).toEqual({ id: 0 })
    const read = await admin('GET', `/api/resource/${id}`)
    expect(read.headers.get('content-type')).toBe('application/json')
    expect(read.headers.get('etag')).toBe('"1"')
    const body = await read.json()
    expect(body).toMatchObject({
      resource: {
        id,
        cls: 'resource_group',
        parent: { id: 0, parent: null },
        keyname: 'maps',
        display_name: 'Maps',
        description: null,
        children: false,
        permissions: [],
        scopes: ['resource', 'metadata'],
      },
      resmeta: { items: { year: 2021, 'landform.manager': `world/${id}` } },
    })
    const put = await admin('PUT', `/api/resource/${id}/`, { resource: { display_name: 'Charts' } })
    expect([put.status, await put.json()]).toEqual([200, {}])
    const list = await (await admin('GET', '/api/resource/?parent=0')).json<Representation[]>()
    expect(list.map(({ resource }) => resource.display_name)).toEqual(['Charts'])
    const found = await (await admin('GET', '/api/resource/search/?keyname=maps')).json()
    expect(found).toEqual([{ resource: expect.objectContaining({ id }) }])
    const deleted = await admin('DELETE', `/api/resource/${id}`)
    expect([deleted.status, await deleted.json()]).toEqual([200, {}])
    expect((await admin('GET', `/api/resource/${id}`)).status).toBe(404)
  })
})
