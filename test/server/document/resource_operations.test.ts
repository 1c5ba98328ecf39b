import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createStyledLayer, type StyledLayer } from '../../support/samples.ts'
import { type Ask, startTestServer, type TestServer } from '../../support/server.ts'
import { allow, createResource } from '../../support/tree.ts'
import { createUser, userPassword } from '../../support/users.ts'

let server: TestServer
let family: StyledLayer
let user = 0
let reader: Ask
beforeAll(async () => {
  server = await startTestServer('postgres')
  family = await createStyledLayer(server.admin)
  user = await createUser(server.database, 'searcher')
  reader = server.as('searcher', userPassword)
  const { resource } = await read(0)
  const open = { ...allow(user, 'resource', 'read'), propagate: false }
  await server.admin('PUT', '/api/resource/0', {
    resource: { permissions: [...(resource.permissions as object[]), open] },
  })
})
afterAll(() => server.stop())

interface Representation {
  readonly resource: Readonly<Record<string, unknown>> & { readonly id: number }
  readonly [member: string]: unknown
}

const read = async (id: number) => (await server.admin('GET', `/api/resource/${id}`)).json<Representation>()
const listAs = async (ask: Ask, path: string) => {
  const answer = await ask('GET', path)
  expect(answer.status).toBe(200)
  return answer.json<Representation[]>()
}
const idsOf = (found: readonly Representation[]) => found.map(({ resource }) => resource.id)

let made = 0
const create = (more: Parameters<typeof createResource>[1] | object = {}) => {
  made += 1
  return createResource(server.admin, {
    cls: 'resource_group',
    parent: family.group,
    name: `Operated ${made}`,
    ...more,
  })
}

/** Rules that let the user do some things with a resource. */
const rules = (...permissions: string[]) => ({
  resource: { permissions: permissions.map((permission) => allow(user, 'resource', permission)) },
})

describe('Resource operations', () => {
  test('GET | /api/resource/<id> | resource representation; needs read permission', async () => {
    const id = await create({ parent: 0, ...rules('read') })
    expect(await (await reader('GET', `/api/resource/${id}`)).json()).toMatchObject({
      resource: { id, cls: 'resource_group', parent: { id: 0 } },
      resmeta: expect.any(Object),
    })
    const closed = await create({ parent: 0 })
    expect((await reader('GET', `/api/resource/${closed}`)).status).toBe(403)
    expect((await reader('GET', '/api/resource/999999')).status).toBe(404)
  })

  test('PUT | /api/resource/<id> | partial resource representation; needs read and write permissions; status 200', async () => {
    const change = { resource: { display_name: 'Changed by the reader' } }
    const readable = await create({ parent: 0, ...rules('read') })
    expect((await reader('PUT', `/api/resource/${readable}`, change)).status).toBe(403)
    const blind = await create({ parent: 0, ...rules('update') })
    expect((await reader('PUT', `/api/resource/${blind}`, change)).status).toBe(403)
    const id = await create({
      parent: 0,
      resource: { ...rules('read', 'update').resource, keyname: 'stays' },
    })
    expect((await reader('PUT', `/api/resource/${id}`, change)).status).toBe(200)
    expect((await read(id)).resource).toMatchObject({ ...change.resource, keyname: 'stays' })
  })

  test('DELETE | /api/resource/<id> | deletes the resource', async () => {
    const id = await create()
    const below = await create({ parent: id })
    const answer = await server.admin('DELETE', `/api/resource/${id}`)
    expect([answer.status, await answer.json()]).toEqual([200, {}])
    for (const gone of [id, below])
      expect((await server.admin('GET', `/api/resource/${gone}`)).status).toBe(404)
  })

  test('GET | /api/resource/?parent=<id> | array of representations ({resource, resmeta, <class member>}) of the children of the parent', async () => {
    const parent = await create()
    const group = await create({ parent })
    const table = await create({
      parent,
      cls: 'lookup_table',
      members: { lookup_table: { items: { a: 'A' } } },
    })
    await create({ parent: group })
    const found = await listAs(server.admin, `/api/resource/?parent=${parent}`)
    expect(found).toEqual([await read(group), await read(table)])
    expect(found[1]).toMatchObject({ resource: {}, resmeta: {}, lookup_table: { items: { a: 'A' } } })
  })

  test('POST | /api/resource/ | creates a resource; response {id (integer), parent: {id (integer)}}', async () => {
    const resource = { cls: 'resource_group', parent: { id: family.group }, display_name: 'Posted' }
    const answer = await server.admin('POST', '/api/resource/', { resource })
    expect(answer.status).toBe(200)
    const body = await answer.json<{ id: number }>()
    expect(body).toEqual({ id: expect.any(Number), parent: { id: family.group } })
    expect((await read(body.id)).resource).toMatchObject({ display_name: 'Posted' })
  })

  test('POST | the parent may also be given as a query parameter parent', async () => {
    const resource = { cls: 'resource_group', display_name: 'In the query' }
    const answer = await server.admin('POST', `/api/resource/?parent=${family.group}`, { resource })
    expect(await answer.json()).toMatchObject({ parent: { id: family.group } })
  })

  test('GET | /api/resource/search/?<property>=<value>&... | array of {resource, resmeta, ...}', async () => {
    const id = await create({ resource: { keyname: 'searched' } })
    const found = await listAs(server.admin, '/api/resource/search/?keyname=searched&serialization=full')
    expect(found).toEqual([await read(id)])
  })
})

describe('Search rules', () => {
  const search = (query: string, ask = server.admin) => listAs(ask, `/api/resource/search/?${query}`)

  test('1. Each key=value pair is a resource property (for example cls, creation_date, keyname, display_name); all pairs are joined with AND.', async () => {
    const name = 'Joined with and'
    const one = await create({ name })
    const other = await create({ name, parent: 0 })
    const table = await create({ name, parent: one, cls: 'lookup_table' })
    expect(idsOf(await search(`display_name=${name}`)).sort()).toEqual([one, other, table].sort())
    expect(idsOf(await search(`display_name=${name}&cls=lookup_table`))).toEqual([table])
    expect(await search(`display_name=${name}&cls=webmap`)).toEqual([])
    const { creation_date } = (await read(table)).resource
    expect(
      idsOf(await search(`display_name=${name}&cls=lookup_table&creation_date=${creation_date}`)),
    ).toEqual([table])
    expect(await search(`display_name=${name}&creation_date=1999-01-01T00:00:00`)).toEqual([])
  })

  test('2. A property of a child object is written with a double underscore; only owner_user__id is supported as such.', async () => {
    const parent = await create({ parent: 0, ...rules('read', 'create', 'manage_children') })
    const own = await createResource(reader, { cls: 'resource_group', parent, name: 'Of the user' })
    expect(idsOf(await search(`owner_user__id=${user}`))).toEqual([own])
    const everything = idsOf(await search(''))
    expect(idsOf(await search('owner_user__keyname=searcher'))).toEqual(everything)
  })

  test('3. serialization=full returns full descriptions; without it only the resource key is returned.', async () => {
    await create({ resource: { keyname: 'serialized' } })
    const [full] = await search('keyname=serialized&serialization=full')
    expect(Object.keys(full ?? {}).sort()).toEqual(['resmeta', 'resource'])
    const [brief] = await search('keyname=serialized')
    expect(Object.keys(brief ?? {})).toEqual(['resource'])
  })

  test('4. With no parameters, all resources available to the current user are returned.', async () => {
    const open = await create({ parent: 0, ...rules('read') })
    const closed = await create({ parent: 0 })
    const seen = idsOf(await search('', reader))
    expect(seen).toEqual(expect.arrayContaining([0, open]))
    expect(seen).not.toContain(closed)
    const [{ count } = { count: 0 }] = await server.database.query<{ count: number }>(
      'select count(*)::int as count from resource',
    )
    expect(idsOf(await search(''))).toHaveLength(count)
  })

  test('5. keyname is unique, so searching by it yields at most one resource.', async () => {
    const id = await create({ resource: { keyname: 'only_one' } })
    expect(idsOf(await search('keyname=only_one'))).toEqual([id])
    expect(await search('keyname=no_such_key')).toEqual([])
    await expect(create({ resource: { keyname: 'only_one' } })).rejects.toThrow(/422 .*only_one/)
  })
})

describe('Create body (all classes)', () => {
  const whole = () => {
    made += 1
    return {
      resource: {
        cls: 'lookup_table',
        parent: { id: family.group },
        display_name: `Whole ${made}`,
        keyname: `whole_${made}` as string | null,
        description: '<i>All of it</i>' as string | null,
      },
      resmeta: { items: { a: 1 } },
      lookup_table: { items: { k: 'v' } },
    }
  }
  const post = (body: object) => server.admin('POST', '/api/resource/', body)

  test('{resource: {cls, parent: {id}, display_name, keyname, description (HTML)}, resmeta: {items: {...}}, <cls>: {class data}}', async () => {
    const body = whole()
    const { id } = await (await post(body)).json<{ id: number }>()
    expect(await read(id)).toMatchObject({
      ...body,
      resource: { ...body.resource, parent: { id: family.group } },
    })
  })

  test.each(['cls', 'parent', 'display_name'])('%s is required', async (name) => {
    const { resource, ...rest } = whole()
    const lacking = Object.fromEntries(Object.entries(resource).filter(([one]) => one !== name))
    const answer = await post({ resource: lacking, ...rest })
    expect(answer.status).toBe(422)
    expect((await answer.json<{ message: string }>()).message).toContain(name)
  })

  test.each(['keyname', 'description'])('%s is optional, and may be null', async (name) => {
    const { resource } = whole()
    const lacking = Object.fromEntries(Object.entries(resource).filter(([one]) => one !== name))
    const { id } = await (await post({ resource: lacking })).json<{ id: number }>()
    expect((await read(id)).resource[name]).toBeNull()
    const empty = whole()
    const answer = await post({ ...empty, resource: { ...empty.resource, [name]: null } })
    expect(answer.status).toBe(200)
  })

  test('resmeta and the class data are optional', async () => {
    const { resource } = whole()
    const { id } = await (await post({ resource })).json<{ id: number }>()
    expect(await read(id)).toMatchObject({ resmeta: { items: {} }, lookup_table: { items: {} } })
  })
})
