import { expect, test } from 'vitest'
import type { Representation } from '../../../src/contract/bodies/bodies.ts'
import type { ErrorBody } from '../../../src/contract/bodies/error.ts'
import { createGroup } from '../../support/resources.ts'
import { describeServers, type TestResponse } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

const failure = async (response: TestResponse) => {
  const { status_code, code, message, data } = await response.json<ErrorBody>()
  expect(response.status).toBe(status_code)
  return { code, message, data }
}

describeServers('resources', (start) => {
  test('a group can be created, read, renamed, listed, found and deleted', async () => {
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
    expect(await read.json()).toEqual({
      resource: {
        id,
        cls: 'resource_group',
        creation_date: expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d$/),
        parent: { id: 0, parent: null },
        owner_user: { id: expect.any(Number) },
        permissions: [],
        keyname: 'maps',
        display_name: 'Maps',
        description: null,
        children: false,
        interfaces: [],
        scopes: ['resource', 'metadata'],
        version: 1,
      },
      resmeta: { items: { year: 2021, 'landform.manager': `world/${id}` } },
    })
    const put = await admin('PUT', `/api/resource/${id}/`, { resource: { display_name: 'Charts' } })
    expect([put.status, await put.json()]).toEqual([200, {}])
    const list = await (await admin('GET', '/api/resource/?parent=0')).json<Representation[]>()
    expect(list.map(({ resource }) => resource.display_name)).toContain('Charts')
    const found = await (await admin('GET', '/api/resource/search/?keyname=maps')).json()
    expect(found).toEqual([{ resource: expect.objectContaining({ id }) }])
    const deleted = await admin('DELETE', `/api/resource/${id}`)
    expect([deleted.status, await deleted.json()]).toEqual([200, {}])
    expect(await failure(await admin('GET', `/api/resource/${id}`))).toEqual({
      code: 'resource/not-found',
      message: `Resource with id = ${id} was not found.`,
      data: { resource_id: id },
    })
  })

  test.each(['9223372036854775808', '2147483648'])('an id out of range is shown as sent: %s', async (id) => {
    const { admin } = await start()
    expect(await failure(await admin('GET', `/api/resource/${id}`))).toMatchObject({
      code: 'resource/not-found',
      message: `Resource with id = ${id} was not found.`,
    })
    const body = `{"resource": {"cls": "resource_group", "display_name": "x", "parent": {"id": ${id}}}}`
    const { message } = await failure(await admin('POST', '/api/resource/', body))
    expect(message).toBe(`Resource with ${id.length > 15 ? 'that id' : `id = ${id}`} was not found.`)
  })

  test('the parent may be in the query, and must not contradict the body', async () => {
    const { admin } = await start()
    const resource = { cls: 'resource_group', display_name: 'In the query' }
    const created = await admin('POST', '/api/resource/?parent=0', { resource })
    expect(created.status).toBe(200)
    const both = { resource: { ...resource, parent: { id: 1 }, display_name: 'Both' } }
    expect(await failure(await admin('POST', '/api/resource/?parent=0', both))).toMatchObject({
      code: 'request/invalid',
      message: expect.stringContaining('the query has 0, the body has 1'),
    })
    expect((await admin('POST', '/api/resource/', { resource })).status).toBe(422)
  })

  test.each([
    ['no class', { display_name: 'x', parent: { id: 0 } }, 422, 'missing field "cls" - at $.resource.cls'],
    ['an unknown class', { cls: 'vektor_layer', parent: { id: 0 } }, 422, 'unknown class "vektor_layer"'],
    [
      'a class that needs a source',
      { cls: 'raster_layer', parent: { id: 0 }, display_name: 'x' },
      422,
      'missing field "source"',
    ],
    ['no display name', { cls: 'resource_group', parent: { id: 0 } }, 422, 'missing field "display_name"'],
    [
      'an empty name',
      { cls: 'resource_group', parent: { id: 0 }, display_name: '' },
      422,
      'must not be empty',
    ],
    [
      'a wrong type',
      { cls: 'resource_group', parent: { id: 0 }, display_name: 5 },
      422,
      'expected a string, got 5 - at $.resource.display_name',
    ],
    [
      'a keyname beyond ASCII',
      { cls: 'resource_group', parent: { id: 0 }, display_name: 'x', keyname: 'größe' },
      422,
      '$.resource.keyname',
    ],
    [
      'a parent that is not there',
      { cls: 'resource_group', parent: { id: 99999 }, display_name: 'x' },
      404,
      '99999',
    ],
    [
      'a parent no database can hold',
      { cls: 'resource_group', parent: { id: 99999999999 }, display_name: 'x' },
      404,
      '99999999999',
    ],
    [
      'a parent of a wrong class',
      { cls: 'mapsrv_style', parent: { id: 0 }, display_name: 'x' },
      422,
      'A mapsrv_style cannot be a child of resource id = 0.',
    ],
    [
      'an unknown scope in a rule',
      {
        cls: 'resource_group',
        parent: { id: 0 },
        display_name: 'x',
        permissions: [
          {
            action: 'allow',
            principal: { id: 1 },
            identity: '',
            scope: 'dat',
            permission: '',
            propagate: true,
          },
        ],
      },
      422,
      '$.resource.permissions.0.scope',
    ],
  ])('%s refuses a creation', async (_, resource, status, message) => {
    const { admin } = await start()
    const response = await admin('POST', '/api/resource/', { resource })
    expect(response.status).toBe(status)
    expect((await failure(response)).message).toContain(message)
  })

  test('names are unique as required, and the error names the other resource', async () => {
    const { admin } = await start()
    const one = await createGroup(admin, 0, { display_name: 'One', keyname: 'one' })
    const inner = await createGroup(admin, one, { display_name: 'One' })
    const again = { resource: { cls: 'resource_group', parent: { id: 0 }, display_name: 'One' } }
    expect(await failure(await admin('POST', '/api/resource/', again))).toMatchObject({
      code: 'resource/name-taken',
      data: { resource_id: one },
    })
    const key = { resource: { ...again.resource, display_name: 'Two', keyname: 'one' } }
    expect((await failure(await admin('POST', '/api/resource/', key))).code).toBe('resource/key-taken')
    const put = { resource: { keyname: 'one' } }
    expect((await failure(await admin('PUT', `/api/resource/${inner}`, put))).code).toBe('resource/key-taken')
    const moved = { resource: { parent: { id: 0 } } }
    expect((await failure(await admin('PUT', `/api/resource/${inner}`, moved))).code).toBe(
      'resource/name-taken',
    )
  })

  test('of many concurrent creations with the same name, one succeeds and the others are refused', async () => {
    const { admin } = await start()
    const body = {
      resource: { cls: 'resource_group', parent: { id: 0 }, display_name: 'Race', keyname: 'race' },
    }
    const answers = await Promise.all(Array.from({ length: 8 }, () => admin('POST', '/api/resource/', body)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422, 422, 422, 422, 422])
  })

  test('metadata are merged, and null removes a key', async () => {
    const { admin } = await start()
    const id = await createGroup(admin, 0, { display_name: 'Metadata' })
    const put = (items: object) => admin('PUT', `/api/resource/${id}`, { resmeta: { items } })
    await put({ a: 'x', b: 1.5, c: true })
    await put({ b: null, d: -2 })
    const { resmeta } = await (await admin('GET', `/api/resource/${id}`)).json<Representation>()
    expect(resmeta).toEqual({ items: { a: 'x', c: true, d: -2 } })
    expect((await failure(await put({ e: [1] }))).code).toBe('request/invalid')
  })

  test('a representation can be sent back, which changes nothing', async () => {
    const { admin } = await start()
    const id = await createGroup(admin, 0, { display_name: 'Back', description: '<b>x</b>' })
    const before = await (await admin('GET', `/api/resource/${id}`)).json<Representation>()
    const put = await admin('PUT', `/api/resource/${id}`, { resource: before.resource })
    expect([put.status, put.headers.get('etag')]).toEqual([200, '"1"'])
    expect(await (await admin('GET', `/api/resource/${id}`)).json()).toEqual(before)
  })

  test('a class cannot change, and may be sent again', async () => {
    const { admin } = await start()
    const id = await createGroup(admin, 0, { display_name: 'Fixed' })
    const put = (cls: string) => admin('PUT', `/api/resource/${id}`, { resource: { cls } })
    expect((await put('resource_group')).status).toBe(200)
    expect((await failure(await put('webmap'))).message).toContain('the class cannot change')
  })

  test('an update with If-Match is refused if the resource has changed', async () => {
    const { admin } = await start()
    const id = await createGroup(admin, 0, { display_name: 'Stale' })
    const put = (name: string, tag: string) =>
      admin('PUT', `/api/resource/${id}`, { resource: { display_name: name } }, { 'if-match': tag })
    const first = await put('Stale 2', '"1"')
    expect(first.headers.get('etag')).toBe('"2"')
    expect((await failure(await put('Stale 3', '"1"'))).code).toBe('resource/stale')
    expect((await put('Stale 3', '"9", "2"')).status).toBe(200)
    const deleted = await admin('DELETE', `/api/resource/${id}`, undefined, { 'if-match': '"1"' })
    expect(deleted.status).toBe(412)
    expect((await admin('DELETE', `/api/resource/${id}`, undefined, { 'if-match': '*' })).status).toBe(200)
  })

  test('a move includes all descendants', async () => {
    const { admin } = await start()
    const from = await createGroup(admin, 0, { display_name: 'From' })
    const to = await createGroup(admin, 0, { display_name: 'To' })
    const moved = await createGroup(admin, from, { display_name: 'Moved' })
    const below = await createGroup(admin, moved, { display_name: 'Below' })
    const put = await admin('PUT', `/api/resource/${moved}`, { resource: { parent: { id: to } } })
    expect(put.status).toBe(200)
    const search = async (root: number) =>
      (await (await admin('GET', `/api/resource/search/?root=${root}`)).json<Representation[]>()).map(
        ({ resource }) => resource.id,
      )
    expect((await search(from)).sort()).toEqual([from])
    expect(new Set(await search(to))).toEqual(new Set([to, moved, below]))
    const { resource } = await (await admin('GET', `/api/resource/${below}`)).json<Representation>()
    expect(resource.parent).toEqual({ id: moved, parent: { id: to } })
  })

  test('a resource cannot be moved under itself, and the root cannot be moved', async () => {
    const { admin } = await start()
    const top = await createGroup(admin, 0, { display_name: 'Circle' })
    const inner = await createGroup(admin, top, { display_name: 'Inner' })
    const put = async (id: number, parent: number) =>
      (await failure(await admin('PUT', `/api/resource/${id}`, { resource: { parent: { id: parent } } })))
        .code
    expect(await put(top, inner)).toBe('resource/hierarchy')
    expect(await put(top, top)).toBe('resource/hierarchy')
    expect(await put(0, top)).toBe('resource/hierarchy')
    expect((await failure(await admin('DELETE', '/api/resource/0'))).code).toBe('resource/hierarchy')
    const none = await admin('PUT', `/api/resource/${top}`, { resource: { parent: null } })
    expect((await failure(none)).code).toBe('resource/hierarchy')
    expect((await admin('PUT', '/api/resource/0', { resource: { parent: null } })).status).toBe(200)
  })

  test('concurrent creations, moves and deletions leave every path correct', async () => {
    const { admin, database } = await start()
    const groups = await Promise.all(
      Array.from({ length: 4 }, (_, at) => createGroup(admin, 0, { display_name: `Busy ${at}` })),
    )
    const work = Array.from({ length: 40 }, async (_, at) => {
      const [one = 0, two = 0] = [groups[at % 4], groups[(at + 1) % 4]]
      if (at % 3 === 0) await admin('PUT', `/api/resource/${one}`, { resource: { parent: { id: two } } })
      const resource = { cls: 'resource_group', parent: { id: one }, display_name: `Child ${at}` }
      const created = await admin('POST', '/api/resource/', { resource })
      const { id } = await created.json<{ id: number }>()
      if (at % 5 === 0) await admin('DELETE', `/api/resource/${id}`)
    })
    await Promise.all(work)
    const wrong = await database.query(`
      with recursive up as (
        select id as descendant_id, id as ancestor_id, 0 as depth from resource
        union all
        select u.descendant_id, r.parent_id, u.depth + 1 from up u join resource r on r.id = u.ancestor_id
         where r.parent_id is not null)
      (table up except select descendant_id, ancestor_id, depth from resource_path)
      union all (select descendant_id, ancestor_id, depth from resource_path except table up)`)
    expect(wrong).toEqual([])
  })

  test('a deletion includes the whole subtree, unless a resource in it is protected', async () => {
    const { admin } = await start()
    const top = await createGroup(admin, 0, { display_name: 'Doomed' })
    const inner = await createGroup(admin, top, { display_name: 'Kept' })
    await admin('PUT', `/api/resource/${inner}`, { resmeta: { items: { 'landform.protect': true } } })
    expect(await failure(await admin('DELETE', `/api/resource/${top}`))).toMatchObject({
      code: 'resource/protected',
      message: `Protected from deletion: "Kept" (id = ${inner}).`,
    })
    await admin('PUT', `/api/resource/${inner}`, { resmeta: { items: { 'landform.protect': null } } })
    expect((await admin('DELETE', `/api/resource/${top}`)).status).toBe(200)
    expect((await admin('GET', `/api/resource/${inner}`)).status).toBe(404)
  })

  test('a resource that others use cannot be deleted, and the error names them', async () => {
    const { admin } = await start()
    const top = await createGroup(admin, 0, { display_name: 'Links' })
    const link = await createResource(admin, {
      ...{ cls: 'lookup_table', parent: top, name: 'Link' },
      members: { lookup_table: { items: { a: 'A' } } },
    })
    const fields = [{ keyname: 'kind', datatype: 'STRING', lookup_table: { id: link } }]
    const user = await createResource(admin, {
      ...{ cls: 'vector_layer', parent: 0, name: 'User of it' },
      members: { vector_layer: { srs: { id: 3857 }, geometry_type: 'POINT', fields } },
    })
    expect(await failure(await admin('DELETE', `/api/resource/${top}`))).toEqual({
      code: 'resource/referenced',
      message: `Used by "User of it" (id = ${user}).`,
      data: { referrers: [{ id: user, target: { id: link } }], count: 1 },
    })
    await admin('PUT', `/api/resource/${user}`, { resource: { parent: { id: top } } })
    expect((await admin('DELETE', `/api/resource/${top}`)).status).toBe(200)
  })
})
