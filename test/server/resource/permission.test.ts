import { expect, test } from 'vitest'
import type { Representation } from '../../../src/contract/bodies/bodies.ts'
import type { ErrorBody } from '../../../src/contract/bodies/error.ts'
import type { Rule } from '../../../src/contract/bodies/resource.ts'
import { createGroup, rule } from '../../support/resources.ts'
import { type Ask, describeServers, type TestResponse, type TestServer } from '../../support/server.ts'
import { createUser, principalId, userPassword } from '../../support/users.ts'

interface Scene extends TestServer {
  readonly anna: Ask
  readonly annaId: number
  /** A group below the root, which anna may read, that nobody else uses. */
  readonly top: number
  /** Replaces the rules of a resource. */
  allow(id: number, ...rules: Rule[]): Promise<TestResponse>
}

const failure = async (response: TestResponse) => {
  const { code, message, data } = await response.json<ErrorBody>()
  return { status: response.status, code, message, data }
}

const idsOf = async (response: TestResponse) =>
  (await response.json<Representation[]>()).map(({ resource }) => resource.id)

let scenes = 0

describeServers('permissions', (start) => {
  /** Sets a scene: anna, who may read the root, and a group with rules for her, in words. */
  const prepare = async (...words: string[]): Promise<Scene> => {
    const server = await start()
    scenes += 1
    const name = `anna${scenes}`
    const annaId = await createUser(server.database, name)
    const allow = (id: number, ...rules: Rule[]) =>
      server.admin('PUT', `/api/resource/${id}`, { resource: { permissions: rules } })
    const { resource } = await (await server.admin('GET', '/api/resource/0')).json<Representation>()
    await allow(0, ...(resource.permissions ?? []), rule('allow resource.read', annaId, { propagate: false }))
    const top = await createGroup(server.admin, 0, { display_name: `Scene ${scenes}` })
    await allow(top, ...words.map((text) => rule(text, annaId)))
    return { ...server, anna: server.as(name, userPassword), annaId, top, allow }
  }

  test('nothing is public on a fresh server', async () => {
    const { guest } = await start()
    expect(await failure(await guest('GET', '/api/resource/0'))).toEqual({
      status: 403,
      code: 'access/denied',
      message: "Insufficient 'read' permission in scope 'resource' on resource id = 0.",
      data: { resource: { id: 0 }, permission: 'read', scope: 'resource' },
    })
    for (const path of ['/api/resource/', '/api/resource/?parent=0', '/api/resource/search/'])
      expect(await (await guest('GET', path)).json(), path).toEqual([])
  })

  test('unreadable resources are refused on request, and omitted from lists', async () => {
    const { anna, annaId, admin, top, allow } = await prepare('allow resource.read')
    const open = await createGroup(admin, top, { display_name: 'Open' })
    const closed = await createGroup(admin, top, { display_name: 'Closed' })
    const inner = await createGroup(admin, closed, { display_name: 'Inner' })
    expect((await anna('GET', `/api/resource/${inner}`)).status).toBe(200)
    await allow(closed, rule('deny resource.read', annaId, { propagate: false }))
    expect((await anna('GET', `/api/resource/${inner}`)).status).toBe(403)
    expect((await anna('GET', `/api/resource/${closed}`)).status).toBe(403)
    expect(await idsOf(await anna('GET', `/api/resource/?parent=${top}`))).toEqual([open])
    expect(await idsOf(await anna('GET', `/api/resource/?parent=${closed}`))).toEqual([])
    expect((await idsOf(await anna('GET', `/api/resource/search/?root=${top}`))).sort()).toEqual([top, open])
  })

  test('a change of rules takes effect on the next request, despite caches', async () => {
    const { anna, annaId, admin, top, allow } = await prepare()
    const inner = await createGroup(admin, top, { display_name: 'Inner' })
    for (const status of [403, 200, 403, 200]) {
      await allow(top, rule(status === 200 ? 'allow resource.read' : 'deny resource.read', annaId))
      expect((await anna('GET', `/api/resource/${inner}`)).status).toBe(status)
    }
    await admin('PUT', `/api/resource/${inner}`, { resource: { parent: { id: 0 } } })
    expect((await anna('GET', `/api/resource/${inner}`)).status).toBe(403)
  })

  test('unreadable attributes are omitted, and their members stay', async () => {
    const { anna, admin, top } = await prepare('allow resource.read')
    const id = await createGroup(admin, top, { display_name: 'Bare', description: 'Secret.' })
    await admin('PUT', `/api/resource/${id}`, { resmeta: { items: { a: 1 } } })
    const bare = await (await anna('GET', `/api/resource/${id}`)).json<Representation>()
    expect(bare.resmeta).toEqual({})
    expect(bare.resource).not.toHaveProperty('description')
    expect(bare.resource).toHaveProperty('display_name', 'Bare')
  })

  test('hidden values cannot be found by guessing', async () => {
    const { anna, admin, top } = await prepare('allow resource.read')
    const id = await createGroup(admin, top, { display_name: 'Guessed', description: 'Secret.' })
    const path = `/api/resource/search/?root=${top}&description__like=S%25`
    expect(await idsOf(await anna('GET', path))).toEqual([])
    expect(await idsOf(await admin('GET', path))).toEqual([id])
  })

  test('attributes without write permission are refused by name, and nothing changes', async () => {
    const { anna, top } = await prepare('allow resource.read', 'allow resource.update')
    const body = { resource: { display_name: 'Other', description: 'x' } }
    expect(await failure(await anna('PUT', `/api/resource/${top}`, body))).toMatchObject({
      status: 403,
      code: 'access/attribute',
      data: { scope: 'metadata', permission: 'write', attribute: 'description', serializer: 'resource' },
    })
    expect((await anna('PUT', `/api/resource/${top}`, { resmeta: { items: { a: 1 } } })).status).toBe(403)
    const mine = { resource: { permissions: [] } }
    expect((await failure(await anna('PUT', `/api/resource/${top}`, mine))).data).toMatchObject({
      permission: 'change_permissions',
    })
    const read = await (await anna('GET', `/api/resource/${top}`)).json<Representation>()
    expect(read.resource.display_name).toMatch(/^Scene/)
    expect((await anna('PUT', `/api/resource/${top}`, { resource: { keyname: null } })).status).toBe(200)
  })

  test('creating requires create on the new resource and manage_children on its parent', async () => {
    const { anna, annaId, top, allow } = await prepare('allow resource.read', 'allow resource.create')
    const body = (cls: string) => ({ resource: { cls, parent: { id: top }, display_name: `New ${cls}` } })
    expect((await failure(await anna('POST', '/api/resource/', body('resource_group')))).data).toMatchObject({
      permission: 'manage_children',
    })
    await allow(
      top,
      rule('allow resource.read', annaId),
      rule('allow resource.manage_children', annaId),
      rule('allow resource.create', annaId, { identity: 'webmap' }),
    )
    expect((await failure(await anna('POST', '/api/resource/', body('resource_group')))).data).toMatchObject({
      permission: 'create',
    })
    expect((await anna('POST', '/api/resource/', body('webmap'))).status).toBe(200)
  })

  test('callers cannot grant themselves permissions by the rules of a resource they create', async () => {
    const { anna, annaId, top } = await prepare(
      'allow resource.read',
      'allow resource.create',
      'allow resource.manage_children',
    )
    const resource = { cls: 'resource_group', parent: { id: top }, display_name: 'Own' }
    const rules = { ...resource, permissions: [rule('allow', annaId)] }
    expect((await failure(await anna('POST', '/api/resource/', { resource: rules }))).data).toMatchObject({
      permission: 'change_permissions',
    })
    const created = await anna('POST', '/api/resource/', { resource })
    const { id } = await created.json<{ id: number }>()
    const read = await (await anna('GET', `/api/resource/${id}`)).json<Representation>()
    expect(read.resource.owner_user).toEqual({ id: annaId })
  })

  test('only administrators can set an owner, which cannot be a system user', async () => {
    const { anna, annaId, admin, top, database } = await prepare('allow')
    const guestId = await principalId(database, 'guest')
    const put = (ask: Ask, id: number) =>
      ask('PUT', `/api/resource/${top}`, { resource: { owner_user: { id } } })
    expect((await failure(await put(anna, guestId))).code).toBe('access/attribute')
    expect((await put(admin, annaId)).status).toBe(200)
    expect((await failure(await put(admin, guestId))).message).toContain('cannot own resources')
    expect((await failure(await put(admin, 99999))).message).toContain('user id = 99999 does not exist')
  })

  test('rules for the owner apply to the current owner', async () => {
    const { anna, annaId, admin, top, allow, database } = await prepare('allow resource.read')
    const owner = await principalId(database, 'owner')
    await allow(top, rule('allow resource.read', annaId), rule('allow resource.update', owner))
    const id = await createGroup(admin, top, { display_name: 'Hers' })
    const rename = () => anna('PUT', `/api/resource/${id}`, { resource: { display_name: 'Renamed' } })
    expect((await rename()).status).toBe(403)
    await admin('PUT', `/api/resource/${id}`, { resource: { owner_user: { id: annaId } } })
    expect((await rename()).status).toBe(200)
  })

  test('moving requires manage_children on both parents and create at the new position', async () => {
    const { anna, annaId, admin, top, allow } = await prepare('allow')
    const other = await createGroup(admin, 0, { display_name: `Other ${scenes}` })
    const id = await createGroup(admin, top, { display_name: 'Moved' })
    const move = () => anna('PUT', `/api/resource/${id}`, { resource: { parent: { id: other } } })
    expect((await failure(await move())).data).toMatchObject({ resource: { id: other }, permission: 'read' })
    await allow(other, rule('allow resource.read', annaId))
    expect((await failure(await move())).data).toMatchObject({ permission: 'manage_children' })
    await allow(other, rule('allow resource.read', annaId), rule('allow resource.manage_children', annaId))
    expect((await failure(await move())).data).toMatchObject({ resource: { id }, permission: 'create' })
    await allow(other, rule('allow', annaId))
    expect((await move()).status).toBe(200)
  })

  test('deleting requires delete on the whole subtree and manage_children on each parent', async () => {
    const { anna, annaId, admin, top, allow } = await prepare('allow')
    const id = await createGroup(admin, top, { display_name: 'Gone' })
    const inner = await createGroup(admin, id, { display_name: 'Inner' })
    await allow(inner, rule('deny resource.delete', annaId))
    expect((await failure(await anna('DELETE', `/api/resource/${id}`))).data).toMatchObject({
      resource: { id: inner },
      permission: 'delete',
    })
    await allow(inner)
    await allow(
      top,
      rule('allow', annaId),
      rule('deny resource.manage_children', annaId, { propagate: false }),
    )
    expect((await failure(await anna('DELETE', `/api/resource/${id}`))).data).toMatchObject({
      resource: { id: top },
      permission: 'manage_children',
    })
    await allow(top, rule('allow', annaId))
    expect((await anna('DELETE', `/api/resource/${id}`)).status).toBe(200)
  })

  test('rules are replaced as a whole; duplicates are merged, and an allow and a deny may coexist', async () => {
    const { admin, annaId, top, allow } = await prepare('allow')
    const read = rule('allow resource.read', annaId)
    await allow(top, read, read, rule('deny resource.read', annaId))
    const { resource } = await (await admin('GET', `/api/resource/${top}`)).json<Representation>()
    expect(resource.permissions).toEqual([read, rule('deny resource.read', annaId)])
  })

  test.each([
    [
      'a principal that is not there',
      { principal: { id: 99999 } },
      'user or group id = 99999 does not exist',
    ],
    ['a principal no database can hold', { principal: { id: 99999999999 } }, 'does not exist'],
    ['an unknown class', { identity: 'vektor_layer' }, 'unknown class "vektor_layer"'],
    ['a permission of another scope', { permission: 'display' as const }, 'has no permission "display"'],
    ['a permission without a scope', { scope: '' as const }, 'scope "" has no permission "read"'],
  ])('a rule with %s is refused', async (_, fault, message) => {
    const { annaId, top, allow } = await prepare()
    const refused = await failure(await allow(top, rule('allow resource.read', annaId, fault)))
    expect(refused).toMatchObject({ status: 422, code: 'request/invalid' })
    expect(refused.message).toContain(message)
    expect(refused.message).toContain('at $.resource.permissions.0')
  })

  test('a rule accepts the class name of both dialects', async () => {
    const { admin, annaId, top, allow } = await prepare()
    await allow(top, rule('allow resource.read', annaId, { identity: 'mapserver_style' }))
    const { resource } = await (await admin('GET', `/api/resource/${top}`)).json<Representation>()
    expect(resource.permissions?.[0]?.identity).toBe('mapsrv_style')
    const nextgis = await admin('GET', `/api/resource/${top}`, undefined, { 'x-api-dialect': 'ngw' })
    const { resource: told } = await nextgis.json<Representation>()
    expect(told.permissions?.[0]?.identity).toBe('mapserver_style')
  })

  test('rules cannot take the permissions from administrators that are needed to repair the rules', async () => {
    const { admin, top, allow, database } = await prepare()
    const administrators = await principalId(database, 'administrators')
    for (const name of ['resource.read', 'resource.update', 'resource.change_permissions']) {
      const refused = await failure(await allow(top, rule(`deny ${name}`, administrators)))
      expect(refused).toMatchObject({ status: 422, code: 'request/invalid' })
    }
    expect((await allow(0)).status).toBe(422)
    expect((await allow(top, rule('deny resource.delete', administrators))).status).toBe(200)
    expect((await failure(await admin('DELETE', `/api/resource/${top}`))).code).toBe('access/denied')
  })

  test('effective permissions are returned by scope; those of other users require change_permissions', async () => {
    const { anna, annaId, admin, top } = await prepare('allow resource.read', 'allow metadata')
    const path = `/api/resource/${top}/permission`
    const mine = await (await anna('GET', path)).json()
    expect(mine).toEqual({
      resource: {
        read: true,
        create: false,
        update: false,
        delete: false,
        manage_children: false,
        change_permissions: false,
      },
      metadata: { read: true, write: true },
    })
    expect(await (await admin('GET', `${path}?user=${annaId}`)).json()).toEqual(mine)
    expect((await failure(await anna('GET', `${path}?user=1`))).data).toMatchObject({
      permission: 'change_permissions',
    })
    expect((await failure(await admin('GET', `${path}?user=99999`))).status).toBe(422)
  })
})
