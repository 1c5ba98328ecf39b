import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addUser, goodPassword, mePath } from '../../support/principals.ts'
import { createGroup, rule } from '../../support/resources.ts'
import { type Ask, adminPassword, startTestServer, type TestServer } from '../../support/server.ts'
import { principalId } from '../../support/users.ts'

let server: TestServer
let ada: Ask
let adaId: number
let guestId: number
beforeAll(async () => {
  server = await startTestServer('postgres')
  adaId = await addUser(server.admin, 'ada')
  ada = server.as('ada', goodPassword)
  guestId = await principalId(server.database, 'guest')
  const { resource } = await (await server.admin('GET', '/api/resource/0')).json<{
    resource: { permissions: unknown[] }
  }>()
  const everyone = await principalId(server.database, 'everyone')
  const permissions = [...resource.permissions, rule('allow resource.read', everyone, { propagate: false })]
  await server.admin('PUT', '/api/resource/0', { resource: { permissions } })
})
afterAll(() => server.stop())

let made = 0
/** A group below the root with some rules and one child. */
const plant = async (permissions: readonly unknown[]) => {
  made += 1
  const parent = await createGroup(server.admin, 0, { display_name: `Group ${made}`, permissions })
  const child = await createGroup(server.admin, parent, { display_name: 'Child' })
  return {
    parent: `/api/resource/${parent}`,
    child: `/api/resource/${child}`,
    parentId: parent,
    childId: child,
  }
}

const statusOf = async (ask: Ask, ...asked: Parameters<Ask>) => (await ask(...asked)).status

describe('Authentication', () => {
  test('1. Requests may carry an Authorization header with a Basic credential string.', async () => {
    const authorization = `Basic ${Buffer.from(`administrator:${adminPassword}`).toString('base64')}`
    const me = await server.guest('GET', mePath, undefined, { authorization })
    expect(await me.json()).toMatchObject({ keyname: 'administrator', auth_medium: 'basic' })
    expect(await (await server.guest('GET', mePath)).json()).toMatchObject({
      keyname: 'guest',
      auth_medium: null,
    })
  })

  test('2. Change requests (PUT and the create, delete and patch requests) must be authorized.', async () => {
    const { parent, parentId } = await plant([rule('allow resource.read', guestId)])
    const layer = {
      resource: { cls: 'vector_layer', parent: { id: parentId }, display_name: 'Points' },
      vector_layer: { srs: { id: 3857 }, geometry_type: 'POINT', fields: [] },
    }
    const { id } = await (await server.admin('POST', '/api/resource/', layer)).json<{ id: number }>()
    const features = `/api/resource/${id}/feature/`
    const point = { geom: 'POINT (0 0)', fields: {} }
    const created = await (await server.admin('POST', features, point)).json<{ id: number }>()
    const changes = [
      ['PUT', parent, { resource: { display_name: 'Mine' } }],
      [
        'POST',
        '/api/resource/',
        { resource: { cls: 'resource_group', parent: { id: parentId }, display_name: 'New' } },
      ],
      ['DELETE', parent],
      ['POST', features, point],
      ['PUT', features + created.id, { geom: 'POINT (1 1)' }],
      ['PATCH', features, [point]],
      ['DELETE', features + created.id],
      ['DELETE', features, [{ id: created.id }]],
      ['DELETE', features],
    ] as const
    for (const [method, path, body] of changes)
      expect([method, path, await statusOf(server.guest, method, path, body)]).toEqual([method, path, 403])
    const count = await (await server.admin('GET', `/api/resource/${id}/feature_count`)).json()
    expect(count).toEqual({ total_count: 1 })
  })

  test('3. Reading a resource needs the read permission of the resource scope; changing needs read and write permissions.', async () => {
    const { parent, child } = await plant([])
    const rename = { resource: { description: null, display_name: 'Renamed' } }
    const grant = (...words: string[]) =>
      server.admin('PUT', parent, { resource: { permissions: words.map((each) => rule(each, adaId)) } })
    expect(await statusOf(ada, 'GET', child)).toBe(403)
    await grant('allow resource.read')
    expect([await statusOf(ada, 'GET', child), await statusOf(ada, 'PUT', child, rename)]).toEqual([200, 403])
    await grant('allow resource.update')
    expect([await statusOf(ada, 'GET', child), await statusOf(ada, 'PUT', child, rename)]).toEqual([403, 403])
    await grant('allow resource.read', 'allow resource.update')
    expect(await statusOf(ada, 'PUT', child, { resource: { display_name: 'Renamed' } })).toBe(200)
  })

  test('4. Search and listing return only resources available to the current user.', async () => {
    const open = await plant([rule('allow resource.read', adaId)])
    const closed = await plant([])
    const idsFor = async (ask: Ask, path: string) =>
      (await (await ask('GET', path)).json<{ resource: { id: number } }[]>()).map(
        ({ resource }) => resource.id,
      )
    for (const path of [
      '/api/resource/?parent=0',
      '/api/resource/search/',
      '/api/resource/search/?cls=resource_group',
    ]) {
      const seen = await idsFor(ada, path)
      expect(seen).toContain(open.parentId)
      expect(seen).not.toContain(closed.parentId)
      expect(await idsFor(server.guest, path)).not.toContain(open.parentId)
      expect(await idsFor(server.admin, path)).toEqual(
        expect.arrayContaining([open.parentId, closed.parentId]),
      )
    }
    expect(await idsFor(ada, `/api/resource/?parent=${open.parentId}`)).toEqual([open.childId])
  })

  test('5. Permissions are managed through permission rules on the resource (see the permission rule table); deny overrides allow; propagate extends a rule to children.', async () => {
    const { parent, child } = await plant([])
    const statuses = async (...rules: unknown[]) => {
      expect(await statusOf(server.admin, 'PUT', parent, { resource: { permissions: rules } })).toBe(200)
      return [await statusOf(ada, 'GET', parent), await statusOf(ada, 'GET', child)]
    }
    const read = 'allow resource.read'
    expect(await statuses(rule(read, adaId))).toEqual([200, 200])
    expect(await statuses(rule(read, adaId, { propagate: false }))).toEqual([200, 403])
    expect(await statuses(rule(read, adaId), rule('deny resource.read', adaId))).toEqual([403, 403])
    expect(
      await statuses(rule('deny resource.read', adaId, { propagate: false }), rule(read, adaId)),
    ).toEqual([403, 403])
    await server.admin('PUT', child, { resource: { permissions: [rule('deny resource.read', adaId)] } })
    expect(await statuses(rule(read, adaId))).toEqual([200, 403])
  })
})

describe('Permission rule', () => {
  test.each([
    ['action: allow or deny', { action: 'perhaps' }, 'action'],
    [
      'principal: {id} of a user or a group; users and groups share one id space',
      { principal: { id: 999_999 } },
      'principal',
    ],
    [
      'identity: resource class the rule applies to; empty string means all classes',
      { identity: 'nothing' },
      'identity',
    ],
    ['scope: scope name; empty string means all', { scope: 'nothing' }, 'scope'],
    [
      'permission: permission name; empty string means all',
      { scope: 'data', permission: 'delete' },
      'permission',
    ],
    ['propagate: whether the rule applies to child resources', { propagate: 'yes' }, 'propagate'],
  ])('%s; anything else is refused and named', async (_, wrong, member) => {
    const { parent } = await plant([])
    const permissions = [{ ...rule('allow resource.read', adaId), ...wrong }]
    const answer = await server.admin('PUT', parent, { resource: { permissions } })
    expect(answer.status).toBe(422)
    expect((await answer.json<{ message: string }>()).message).toContain(`$.resource.permissions.0.${member}`)
  })

  test('the empty string means all classes, all scopes and all permissions', async () => {
    const { parent, child } = await plant([rule('allow', adaId)])
    for (const path of [parent, child]) {
      const granted = await (await ada('GET', `${path}/permission`)).json<
        Record<string, Record<string, boolean>>
      >()
      expect(
        Object.values(granted)
          .flatMap((scope) => Object.values(scope))
          .every(Boolean),
      ).toBe(true)
    }
  })
})
