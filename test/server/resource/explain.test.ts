import { beforeAll, expect, test } from 'vitest'
import { describeServers, type TestServer } from '../../support/server.ts'
import { allow, createLayer, createStyle } from '../../support/tree.ts'
import { createUser, userPassword } from '../../support/users.ts'

interface WireItem {
  readonly type: string
  readonly result: boolean | null
  readonly resource: { readonly id: number } | null
  readonly acl_rule?: {
    readonly principal: { readonly id: number; readonly cls: string; readonly keyname: string }
  }
  readonly requirement?: object
  readonly satisfied?: boolean
  readonly explain?: readonly WireItem[]
}

type Answer = Record<string, Record<string, { result: boolean; explain: WireItem[] }>>

describeServers('explanations of permissions', (start) => {
  let server: TestServer
  let anna: number
  let group: number
  beforeAll(async () => {
    server = await start()
    anna = await createUser(server.database, 'anna')
    const rule = (scope: string, permission: string, propagate = true) => ({
      action: 'allow',
      principal: { id: anna },
      identity: '',
      scope,
      permission,
      propagate,
    })
    const root = await (await server.admin('GET', '/api/resource/0')).json<{
      resource: { permissions: object[] }
    }>()
    const rules = [...root.resource.permissions, rule('resource', 'read')]
    await server.admin('PUT', '/api/resource/0', { resource: { permissions: rules } })
    const made = await server.admin('POST', '/api/resource/', {
      resource: {
        cls: 'resource_group',
        parent: { id: 0 },
        display_name: 'Explained',
        permissions: [{ ...rule('resource', 'update'), action: 'deny' }, rule('resource', 'update')],
      },
    })
    group = (await made.json<{ id: number }>()).id
  })

  const ask = async (query = '', who = server.as('anna', userPassword)) => {
    const answer = await who('GET', `/api/resource/${group}/permission/explain${query}`)
    return { status: answer.status, json: await answer.json<Answer & { code: string }>() }
  }

  test('match the permissions, for all scopes of the class', async () => {
    const held = await (
      await server.as('anna', userPassword)('GET', `/api/resource/${group}/permission`)
    ).json<Record<string, Record<string, boolean>>>()
    const { json } = await ask()
    const results = Object.entries(json).map(([scope, permissions]) => [
      scope,
      Object.fromEntries(Object.entries(permissions).map(([name, { result }]) => [name, result])),
    ])
    expect(Object.fromEntries(results)).toEqual(held)
    expect(held.resource).toMatchObject({ read: true, update: false })
  })

  test('list the rules with their principals and resources, and the requirements', async () => {
    const { json } = await ask('?scope=resource&permission=update')
    expect(Object.keys(json)).toEqual(['resource'])
    const items = json.resource?.update?.explain ?? []
    expect(items[0]).toMatchObject({
      type: 'requirement',
      result: null,
      resource: { id: group },
      requirement: { scope: 'resource', permission: 'read', attr: null, attr_empty: false },
      satisfied: true,
    })
    const rules = items.filter(({ type }) => type === 'acl_rule')
    expect(rules.map(({ result }) => result).sort()).toEqual([false, true])
    expect(rules[0]).toMatchObject({
      resource: { id: group },
      acl_rule: {
        principal: { id: anna, cls: 'user', keyname: 'anna' },
        scope: 'resource',
        permission: 'update',
      },
    })
  })

  test('have class names of the requested dialect', async () => {
    const parent = await createLayer(server.admin, { name: 'Layer', geometryType: 'POINT' })
    const style = await createStyle(server.admin, { parent, name: 'Style' })
    const identity = 'mapsrv_style'
    const permissions = [{ ...allow(anna, 'data', 'read'), identity }]
    await server.admin('PUT', `/api/resource/${style}`, { resource: { permissions } })
    const path = `/api/resource/${style}/permission/explain?scope=data&permission=read&user=${anna}`
    for (const [dialect, expected] of [
      ['document', 'mapsrv_style'],
      ['ngw', 'mapserver_style'],
    ] as const) {
      const answer = await server.admin('GET', path, undefined, { 'x-api-dialect': dialect })
      const { data } = await answer.json<Answer>()
      const rules = data?.read?.explain.filter(({ type }) => type === 'acl_rule')
      expect(rules).toMatchObject([{ acl_rule: { identity: expected } }])
    }
  })

  test('of other users require the permission to change rules', async () => {
    const others = `?user=${anna}&permission=read`
    const asAdmin = await ask(others, server.admin)
    expect(asAdmin.json.resource?.read?.result).toBe(true)
    expect(asAdmin.json.metadata?.read?.result).toBe(false)
    const administrator = (
      await (await server.admin('GET', '/api/component/auth/current_user')).json<{ id: number }>()
    ).id
    expect((await ask(`?user=${administrator}`)).status).toBe(403)
    expect((await ask('', server.guest)).status).toBe(403)
  })

  test.for(['?scope=nothing', '?scope=data', '?permission=fly', '?user=99999'])(
    '%s is refused',
    async (query) => {
      const { status, json } = await ask(query, server.admin)
      expect([status, json.code]).toEqual([422, 'request/invalid'])
    },
  )
})
