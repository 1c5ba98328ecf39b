import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFamily, type Family } from '../../support/samples.ts'
import { type Ask, startTestServer, type TestServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'
import { createUser, principalId, userPassword } from '../../support/users.ts'

let server: TestServer
let family: Family
let user = 0
let reader: Ask
let made = 0
beforeAll(async () => {
  server = await startTestServer('postgres')
  family = await createFamily(server.admin)
  user = await createUser(server.database, 'ruled')
  reader = server.as('ruled', userPassword)
  const root = await (await server.admin('GET', '/api/resource/0')).json<{
    resource: { permissions: object[] }
  }>()
  const open = { ...rule({ scope: 'resource', permission: 'read' }), propagate: false }
  await setRules(0, [...root.resource.permissions, open])
})
afterAll(() => server.stop())

const rule = (more: Record<string, unknown> = {}) => ({
  action: 'allow',
  principal: { id: user },
  identity: '',
  scope: '',
  permission: '',
  propagate: true,
  ...more,
})

const setRules = async (id: number, permissions: readonly object[]) => {
  const { status } = await server.admin('PUT', `/api/resource/${id}`, { resource: { permissions } })
  expect(status).toBe(200)
}

const refuses = async (more: Record<string, unknown>) => {
  const body = { resource: { permissions: [rule(more)] } }
  return (await server.admin('PUT', `/api/resource/${family.group}`, body)).status
}

/** Makes a group with a group and a layer in it, whose rules are for the reader. */
const createTree = async (permissions: readonly object[]) => {
  made += 1
  const group = await createResource(server.admin, { cls: 'resource_group', name: `Ruled ${made}` })
  const child = await createResource(server.admin, { cls: 'resource_group', parent: group, name: 'Child' })
  const members = { vector_layer: { srs: { id: 3857 }, geometry_type: 'POINT', fields: [] } }
  const layer = await createResource(server.admin, {
    cls: 'vector_layer',
    parent: group,
    name: 'Layer',
    members,
  })
  await setRules(group, permissions)
  return { group, child, layer }
}

type Held = Record<string, Record<string, boolean>>

const heldOn = async (id: number): Promise<Held> => {
  const answer = await server.admin('GET', `/api/resource/${id}/permission?user=${user}`)
  return answer.json<Held>()
}

describe('Permission rule', () => {
  test('action | string | allow or deny; deny has priority over allow', async () => {
    const denied = rule({ action: 'deny', scope: 'resource', permission: 'update' })
    const { group } = await createTree([denied, rule()])
    expect((await heldOn(group)).resource).toMatchObject({ read: true, update: false, delete: true })
    expect(await refuses({ action: 'forbid' })).toBe(422)
  })

  test('principal | object | {id} of a user or a group; users and groups share one id space', async () => {
    const answer = await server.admin('POST', '/api/component/auth/group/', {
      keyname: 'ruled_group',
      display_name: 'Ruled group',
      members: [user],
    })
    const { id } = await answer.json<{ id: number }>()
    const users = await (await server.admin('GET', '/api/component/auth/user/')).json<{ id: number }[]>()
    const groups = await (await server.admin('GET', '/api/component/auth/group/')).json<{ id: number }[]>()
    const ids = [...users, ...groups].map((one) => one.id)
    expect(new Set(ids).size).toBe(ids.length)
    const { group } = await createTree([rule({ principal: { id } })])
    expect((await reader('GET', `/api/resource/${group}`)).status).toBe(200)
    expect(await refuses({ principal: { id: 999_999 } })).toBe(422)
  })

  test('identity | string | resource class the rule applies to; empty string means all classes', async () => {
    const { group, child, layer } = await createTree([
      rule({ scope: 'resource', permission: 'read' }),
      rule({ identity: 'vector_layer' }),
    ])
    expect((await heldOn(layer)).resource).toMatchObject({ read: true, update: true })
    for (const id of [group, child])
      expect((await heldOn(id)).resource).toMatchObject({ read: true, update: false })
    expect(await refuses({ identity: 'nonsense' })).toBe(422)
  })

  test('identity | resource, which the schema lists as the base class, is taken, and applies to no class but itself', async () => {
    const { group } = await createTree([rule({ identity: 'resource' })])
    expect((await heldOn(group)).resource).toMatchObject({ read: false })
    expect((await reader('GET', `/api/resource/${group}`)).status).toBe(403)
  })

  test('scope | string | scope name; empty string means all', async () => {
    const { layer } = await createTree([
      rule({ scope: 'resource', permission: 'read' }),
      rule({ scope: 'data' }),
    ])
    expect(await heldOn(layer)).toMatchObject({
      resource: { read: true, update: false },
      data: { read: true, write: true },
      datastruct: { read: false, write: false },
    })
    const all = await createTree([rule()])
    for (const held of Object.values(await heldOn(all.layer)))
      expect(Object.values(held).every(Boolean)).toBe(true)
    expect(await refuses({ scope: 'nonsense' })).toBe(422)
  })

  test('permission | string | permission name; empty string means all', async () => {
    const { layer } = await createTree([
      rule({ scope: 'resource' }),
      rule({ scope: 'data', permission: 'read' }),
    ])
    expect(await heldOn(layer)).toMatchObject({
      resource: { read: true, create: true, update: true, delete: true },
      data: { read: true, write: false },
    })
    expect(await refuses({ scope: 'data', permission: 'nonsense' })).toBe(422)
  })

  test('propagate | boolean | whether the rule applies to child resources', async () => {
    const { group, child } = await createTree([
      rule({ scope: 'resource', permission: 'read' }),
      rule({ scope: 'resource', permission: 'update', propagate: false }),
    ])
    expect((await heldOn(group)).resource).toMatchObject({ read: true, update: true })
    expect((await heldOn(child)).resource).toMatchObject({ read: true, update: false })
    expect(await refuses({ propagate: 'yes' })).toBe(422)
  })

  test('the rule of a guest holds for who does not log in', async () => {
    const guest = await principalId(server.database, 'guest')
    const { group } = await createTree([
      rule({ principal: { id: guest }, scope: 'resource', permission: 'read' }),
    ])
    expect((await heldOn(group)).resource).toMatchObject({ read: false })
  })
})
