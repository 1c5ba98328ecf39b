import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createStyledLayer, type StyledLayer } from '../../support/samples.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { allow, createResource } from '../../support/tree.ts'
import { createUser, principalId, userPassword } from '../../support/users.ts'

let server: TestServer
let family: StyledLayer
beforeAll(async () => {
  server = await startTestServer('postgres')
  family = await createStyledLayer(server.admin)
})
afterAll(() => server.stop())

interface Representation {
  readonly resource: Record<string, unknown>
  readonly resmeta: { readonly items: Record<string, unknown> }
  readonly [member: string]: unknown
}

const read = async (id: number) => (await server.admin('GET', `/api/resource/${id}`)).json<Representation>()
const readResource = async (id: number) => (await read(id)).resource

let made = 0
const create = (resource: Record<string, unknown> = {}) => {
  made += 1
  const wanted = { cls: 'resource_group', parent: family.group, name: `Represented ${made}` }
  return createResource(server.admin, { ...wanted, resource })
}

const refusal = async (resource: Record<string, unknown>) =>
  create(resource).then(
    () => '',
    (error: Error) => error.message,
  )

describe('Resource representation', () => {
  test('A resource is returned as an object with these members: resource, resmeta, and the member named after the class when the class has its own data', async () => {
    const layer = await read(family.layer)
    expect(layer).toMatchObject({
      resource: expect.any(Object),
      resmeta: expect.any(Object),
      vector_layer: expect.any(Object),
    })
    expect(await read(family.group)).not.toHaveProperty('resource_group')
  })

  test('resource.id | integer | resource identifier', async () => {
    expect((await readResource(family.layer)).id).toBe(family.layer)
  })

  test('resource.cls | string | resource class', async () => {
    expect((await readResource(family.layer)).cls).toBe('vector_layer')
    expect((await readResource(family.style)).cls).toBe('mapsrv_style')
  })

  test('resource.parent | object | {id, parent:{id}}; the id of a root-level parent is 0; the parent of that is null', async () => {
    expect((await readResource(family.style)).parent).toEqual({
      id: family.layer,
      parent: { id: family.group },
    })
    expect((await readResource(family.layer)).parent).toEqual({ id: family.group, parent: { id: 0 } })
    expect((await readResource(family.group)).parent).toEqual({ id: 0, parent: null })
    expect((await readResource(0)).parent).toBeNull()
  })

  test('resource.owner_user | object | {id} of the owner', async () => {
    const user = await createUser(server.database, 'owner_of_one')
    const permissions = [allow(user, 'resource')]
    const place = await create({ permissions })
    const { resource: root } = await read(0)
    const rules = [...(root.permissions as object[]), { ...allow(user, 'resource', 'read'), propagate: true }]
    await server.admin('PUT', '/api/resource/0', { resource: { permissions: rules } })
    const own = server.as('owner_of_one', userPassword)
    const id = await createResource(own, { cls: 'resource_group', parent: place, name: 'Own' })
    expect((await readResource(id)).owner_user).toEqual({ id: user })
  })

  test('resource.permissions | array | permission rules', async () => {
    const permissions = [allow(await principalId(server.database, 'everyone'), 'data', 'read')]
    expect((await readResource(await create({ permissions }))).permissions).toEqual(permissions)
    expect((await readResource(await create())).permissions).toEqual([])
  })

  test('resource.keyname | string or null | optional key; ASCII only; unique in the whole instance', async () => {
    expect((await readResource(await create())).keyname).toBeNull()
    expect((await readResource(await create({ keyname: null }))).keyname).toBeNull()
    const keyname = 'represented-key.1'
    expect((await readResource(await create({ keyname }))).keyname).toBe(keyname)
    expect(await refusal({ keyname })).toMatch(/^resource_group .* 422 .*keyname/i)
    expect(await refusal({ keyname: 'ключ' })).toMatch(/422 .*keyname/)
  })

  test('resource.display_name | string | name shown in the interface', async () => {
    const display_name = 'Städte & Łąki'
    expect((await readResource(await create({ display_name }))).display_name).toBe(display_name)
  })

  test('resource.description | string or null | description; HTML is supported', async () => {
    expect((await readResource(await create())).description).toBeNull()
    const description = '<p>A <b>bold</b> &amp; <a href="https://a.example/">linked</a> one</p>'
    expect((await readResource(await create({ description }))).description).toBe(description)
  })

  test('resource.children | boolean | true when the resource has child resources', async () => {
    expect((await readResource(family.group)).children).toBe(true)
    expect((await readResource(family.layer)).children).toBe(true)
    expect((await readResource(family.style)).children).toBe(false)
  })

  test('resource.interfaces | array of strings | interfaces supported by the resource (for example a bounding-box layer interface)', async () => {
    expect((await readResource(family.layer)).interfaces).toContain('IBboxLayer')
    expect((await readResource(family.group)).interfaces).toEqual([])
  })

  test('resource.scopes | array of strings | scopes the resource belongs to', async () => {
    expect((await readResource(family.layer)).scopes).toEqual(['resource', 'datastruct', 'data', 'metadata'])
    expect((await readResource(family.group)).scopes).toEqual(['resource', 'metadata'])
  })

  test('resmeta | object | {items: {<key>: <value>}} metadata key/value pairs', async () => {
    const items = { source: 'survey', year: 2021, share: 0.5, checked: true }
    const id = await createResource(server.admin, {
      cls: 'resource_group',
      parent: family.group,
      name: 'With metadata',
      members: { resmeta: { items } },
    })
    expect((await read(id)).resmeta).toEqual({ items })
    expect((await read(family.group)).resmeta).toEqual({ items: {} })
  })
})
