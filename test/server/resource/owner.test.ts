import { expect, test } from 'vitest'
import type { Representation } from '../../../src/contract/bodies/bodies.ts'
import type { ErrorBody } from '../../../src/contract/bodies/error.ts'
import { addUser, goodPassword } from '../../support/principals.ts'
import { createGroup, rule } from '../../support/resources.ts'
import { type Ask, describeServers, type TestResponse } from '../../support/server.ts'
import { principalId } from '../../support/users.ts'

const batchPath = '/api/component/landform/batch'

type Send = (ask: Ask, id: number, owner: number) => Promise<TestResponse>

const put: Send = (ask, id, owner) =>
  ask('PUT', `/api/resource/${id}`, { resource: { owner_user: { id: owner } } })

/** The ways in which a request can give a standing resource another owner. */
const doors: readonly (readonly [string, Send])[] = [
  ['a change', put],
  [
    'a change in the NextGIS dialect',
    (ask, id, owner) => {
      const resource = { owner_user: { id: owner, keyname: 'x', display_name: 'x' } }
      return ask('PUT', `/api/resource/${id}`, { resource }, { 'x-api-dialect': 'ngw' })
    },
  ],
  [
    'a change of more than the owner',
    (ask, id, owner) => {
      const resource = { display_name: `Renamed ${owner}`, keyname: null, owner_user: { id: owner } }
      return ask('PUT', `/api/resource/${id}`, { resource })
    },
  ],
  [
    'a move',
    (ask, id, owner) => {
      const resource = { parent: { id: 0 }, owner_user: { id: owner } }
      return ask('PUT', `/api/resource/${id}`, { resource })
    },
  ],
  [
    'a batch',
    (ask, id, owner) => {
      const body = { resource: { owner_user: { id: owner } } }
      return ask('POST', batchPath, { operations: [{ op: 'update', id, body }] })
    },
  ],
]

const ownerOf = async (ask: Ask, id: number) =>
  (await (await ask('GET', `/api/resource/${id}`)).json<Representation>()).resource.owner_user?.id

const failure = async (response: TestResponse) => {
  const { code, data } = await response.json<ErrorBody>()
  return { status: response.status, code, attribute: data.attribute }
}

const refused = { status: 403, code: 'access/attribute', attribute: 'owner_user' }

let scenes = 0

describeServers('the owner of a resource', (start) => {
  /** Two users and a group; one of them may do everything of scope resource in all of the tree. */
  const prepare = async () => {
    const { admin, as, database } = await start()
    scenes += 1
    const [annaId, bobId] = [await addUser(admin, `anna${scenes}`), await addUser(admin, `bob${scenes}`)]
    const { resource } = await (await admin('GET', '/api/resource/0')).json<Representation>()
    const permissions = [...(resource.permissions ?? []), rule('allow resource', annaId)]
    await admin('PUT', '/api/resource/0', { resource: { permissions } })
    const owners = rule('allow', await principalId(database, 'owner'))
    const group = await createGroup(admin, 0, { display_name: `Scene ${scenes}`, permissions: [owners] })
    return { admin, anna: as(`anna${scenes}`, goodPassword), annaId, bobId, group }
  }

  test.each(doors)('is not changed by %s from a user who is not an administrator', async (_, send) => {
    const { anna, annaId, bobId, admin, group } = await prepare()
    const id = await createGroup(admin, group, { display_name: `Coveted ${scenes}` })
    const before = await (await admin('GET', `/api/resource/${id}`)).json()
    expect(await failure(await send(anna, id, annaId))).toEqual(refused)
    expect(await failure(await send(anna, id, bobId))).toEqual(refused)
    expect(await (await admin('GET', `/api/resource/${id}`)).json()).toEqual(before)
    expect((await send(admin, id, annaId)).status).toBe(200)
    expect(await ownerOf(admin, id)).toBe(annaId)
  })

  test("can be changed only by administrators, also of one's resources", async () => {
    const { anna, annaId, bobId, admin, group } = await prepare()
    const id = await createGroup(anna, group, { display_name: 'Hers' })
    expect(await ownerOf(admin, id)).toBe(annaId)
    for (const [, send] of doors) expect(await failure(await send(anna, id, bobId))).toEqual(refused)
    expect(await ownerOf(admin, id)).toBe(annaId)
  })

  test('can be sent back unchanged by every user with write permission, and nothing changes', async () => {
    const { anna, admin, group } = await prepare()
    const id = await createGroup(admin, group, { display_name: 'Kept' })
    const owner = (await ownerOf(anna, id)) ?? 0
    const before = await anna('GET', `/api/resource/${id}`)
    expect((await put(anna, id, owner)).status).toBe(200)
    const after = await anna('GET', `/api/resource/${id}`)
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'))
    expect(await after.json()).toEqual(await before.json())
  })

  test('is the creator unless an administrator sets another user', async () => {
    const { anna, annaId, bobId, admin, group } = await prepare()
    const body = (display_name: string, id: number) => ({
      resource: {
        cls: 'resource_group',
        parent: { id: group },
        display_name,
        owner_user: { id },
      },
    })
    const create = (ask: Ask, name: string, owner: number) => ask('POST', '/api/resource/', body(name, owner))
    const createInBatch = (ask: Ask, name: string, owner: number) =>
      ask('POST', batchPath, { operations: [{ op: 'create', body: body(name, owner) }] })
    for (const [at, send] of [create, createInBatch].entries()) {
      expect(await failure(await send(anna, `Foisted ${at}`, bobId))).toEqual(refused)
      expect((await send(anna, `Own ${at}`, annaId)).status).toBe(200)
      expect((await send(admin, `Given ${at}`, bobId)).status).toBe(200)
    }
    const children = await (await admin('GET', `/api/resource/?parent=${group}`)).json<Representation[]>()
    expect(children.map(({ resource }) => [resource.display_name, resource.owner_user?.id]).sort()).toEqual([
      ['Given 0', bobId],
      ['Given 1', bobId],
      ['Own 0', annaId],
      ['Own 1', annaId],
    ])
  })

  test('cannot be changed by a former administrator', async () => {
    const { admin, annaId, group } = await prepare()
    const { as, database } = await start()
    const administrators = await principalId(database, 'administrators')
    const name = `former${scenes}`
    const formerId = await addUser(admin, name, { member_of: [administrators] })
    const former = as(name, goodPassword)
    const id = await createGroup(admin, group, { display_name: 'Remembered' })
    expect((await put(former, id, annaId)).status).toBe(200)
    // Past the API, so that the server still remembers the membership.
    await database.query('delete from membership where user_id = $1', [formerId])
    const { resource } = await (await admin('GET', '/api/resource/0')).json<Representation>()
    await admin('PUT', '/api/resource/0', {
      resource: { permissions: [...(resource.permissions ?? []), rule('allow', formerId)] },
    })
    expect(await failure(await put(former, id, formerId))).toEqual(refused)
    expect(await ownerOf(admin, id)).toBe(annaId)
  })
})
