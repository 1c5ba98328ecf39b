import { expect, test } from 'vitest'
import type { Representation } from '../../../src/contract/bodies/bodies.ts'
import type { ErrorBody } from '../../../src/contract/bodies/error.ts'
import type { Rule } from '../../../src/contract/bodies/resource.ts'
import { addGroup, addUser, goodPassword, groupsPath, usersPath } from '../../support/principals.ts'
import { createGroup, rule } from '../../support/resources.ts'
import { type Ask, describeServer, type TestResponse } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'
import { principalId } from '../../support/users.ts'

const batchPath = '/api/component/landform/batch'

const failure = async (answer: Promise<TestResponse> | TestResponse) => {
  const { status } = await answer
  const { code, message, hint, data } = await (await answer).json<Partial<ErrorBody>>()
  return { status, code, message, hint, location: data?.location }
}

const refusal = (pointer: string, what = 'the resource') => ({
  status: 422,
  code: 'request/invalid',
  message: `no enabled administrator could still read ${what}, update it and change its permissions - at $${pointer.replaceAll('/', '.')}`,
  hint: 'Leave at least one administrator whom no deny rule affects: as a user, as a group member or as the owner.',
  location: ['body', pointer],
})
const byRules = refusal('/resource/permissions')
const byMove = refusal('/resource/parent')

let scenes = 0

describeServer('all administrators together', (start) => {
  /** A group under the root with an own name, and the principals that rules may speak of. */
  const prepare = async () => {
    const { admin, as, database } = await start()
    scenes += 1
    const idOf = (keyname: string) => principalId(database, keyname)
    const ids = {
      owner: await idOf('owner'),
      everyone: await idOf('everyone'),
      authenticated: await idOf('authenticated'),
      administrator: await idOf('administrator'),
      administrators: await idOf('administrators'),
    }
    const top = await createGroup(admin, 0, { display_name: `Scene ${scenes}` })
    return { admin, as, database, ids, top, suffix: scenes }
  }
  type Scene = Awaited<ReturnType<typeof prepare>>

  /** Makes a further administrator for a while. */
  const withSecond = async (scene: Scene, work: (id: number, ask: Ask) => Promise<void>) => {
    const keyname = `second${scene.suffix}`
    const id = await addUser(scene.admin, keyname, { member_of: [scene.ids.administrators] })
    await work(id, scene.as(keyname, goodPassword))
    expect((await scene.admin('PUT', usersPath + id, { member_of: [] })).status).toBe(200)
  }

  const rulesOf = async (ask: Ask, id: number): Promise<Rule[]> =>
    (await (await ask('GET', `/api/resource/${id}`)).json<Representation>()).resource.permissions ?? []
  const setRules = (ask: Ask, id: number, ...permissions: Rule[]) =>
    ask('PUT', `/api/resource/${id}`, { resource: { permissions } })
  const addRules = async (ask: Ask, id: number, ...more: Rule[]) =>
    setRules(ask, id, ...(await rulesOf(ask, id)), ...more)
  const move = (ask: Ask, id: number, parent: number) =>
    ask('PUT', `/api/resource/${id}`, { resource: { parent: { id: parent } } })

  const principals = ['administrators', 'administrator', 'owner', 'everyone', 'authenticated'] as const
  test.each(principals)('are not locked out by a deny for %s, including the root', async (name) => {
    const { admin, ids, top } = await prepare()
    for (const words of ['deny', 'deny resource', 'deny resource.read', 'deny resource.change_permissions'])
      for (const id of [top, 0])
        for (const propagate of [true, false]) {
          const before = await rulesOf(admin, id)
          const denied = rule(words, ids[name], { propagate })
          expect(await failure(addRules(admin, id, denied)), `${words} ${id} ${propagate}`).toEqual(byRules)
          const body = { resource: { permissions: [...before, denied] } }
          const batch = { operations: [{ op: 'update', id, body }] }
          expect(await failure(admin('POST', batchPath, batch))).toEqual(byRules)
          expect(await rulesOf(admin, id)).toEqual(before)
        }
    expect((await addRules(admin, top, rule('deny resource.delete', ids[name]))).status).toBe(200)
  })

  test('are not locked out by a group that contains all of them, now or later', async () => {
    const { admin, ids, top, suffix } = await prepare()
    const crew = await addGroup(admin, `crew${suffix}`, [ids.administrator])
    expect(await failure(addRules(admin, top, rule('deny', crew)))).toEqual(byRules)
    expect((await admin('PUT', groupsPath + crew, { members: [] })).status).toBe(200)
    expect((await addRules(admin, top, rule('deny', crew))).status).toBe(200)
    const joins: readonly (readonly [string, object])[] = [
      [groupsPath + crew, { members: [ids.administrator] }],
      [groupsPath + crew, { add_members: [ids.administrator] }],
      [usersPath + ids.administrator, { member_of: [ids.administrators, crew] }],
    ]
    for (const [path, body] of joins)
      expect(await failure(admin('PUT', path, body))).toMatchObject({
        status: 409,
        code: 'principal/last-administrator',
        message: `No enabled administrator could still read resource id = ${top}, update it and change its permissions.`,
      })
    expect((await setRules(admin, top)).status).toBe(200)
    expect((await admin('PUT', groupsPath + crew, { members: [ids.administrator] })).status).toBe(200)
  })

  test('are not locked out by the rules of a new resource', async () => {
    const { admin, ids, top } = await prepare()
    const body = (name: string, rules: Rule[]) => ({
      resource: { cls: 'resource_group', parent: { id: top }, display_name: name, permissions: rules },
    })
    for (const name of principals) {
      const refused = body(name, [rule('allow', ids.everyone), rule('deny', ids[name])])
      expect(await failure(admin('POST', '/api/resource/', refused))).toEqual(byRules)
      const operations = [
        { op: 'create', name: 'first', body: body('Before', []) },
        { op: 'create', body: refused },
      ]
      expect(await failure(admin('POST', batchPath, { operations }))).toEqual(byRules)
    }
    expect(await (await admin('GET', `/api/resource/?parent=${top}`)).json()).toEqual([])
    const allowed = body('Allowed', [rule('deny resource.delete', ids.everyone)])
    expect((await admin('POST', '/api/resource/', allowed)).status).toBe(200)
  })

  test('are not locked out of descendants, by class or by owner', async () => {
    const { admin, ids, top, suffix } = await prepare()
    const anna = await addUser(admin, `anna${suffix}`)
    await createResource(admin, { cls: 'webmap', parent: top, name: 'Map' })
    const maps = rule('deny resource.read', ids.administrators, { identity: 'webmap' })
    const below = refusal('/resource/permissions', 'a resource below it')
    expect(await failure(addRules(admin, top, maps))).toEqual(below)
    expect(await failure(addRules(admin, 0, maps))).toEqual(below)
    expect((await addRules(admin, top, { ...maps, propagate: false })).status).toBe(200)
    expect(
      (await admin('PUT', `/api/resource/${top}`, { resource: { owner_user: { id: anna } } })).status,
    ).toBe(200)
    expect(await failure(addRules(admin, top, rule('deny', ids.owner)))).toEqual(below)
    expect((await addRules(admin, top, rule('deny', ids.owner, { propagate: false }))).status).toBe(200)
  })

  test('are not locked out by a move of a resource, or by its owner', async () => {
    const { admin, as, ids, top, suffix } = await prepare()
    const anna = await addUser(admin, `anna${suffix}`)
    const root = await rulesOf(admin, 0)
    await addRules(admin, 0, rule('allow resource.read', anna, { propagate: false }))
    const give = (id: number, owner: number) =>
      admin('PUT', `/api/resource/${id}`, { resource: { owner_user: { id: owner } } })
    const create = (ask: Ask, name: string, parent: number) =>
      ask('POST', '/api/resource/', {
        resource: { cls: 'resource_group', parent: { id: parent }, display_name: name },
      })
    await give(top, anna)
    await addRules(admin, top, rule('allow', anna), rule('deny resource.change_permissions', ids.owner))
    const id = await createGroup(admin, 0, { display_name: `Moved ${suffix}` })
    const inner = await createGroup(admin, id, { display_name: 'Inner' })
    expect(await failure(move(admin, id, top))).toEqual(byMove)
    const body = { resource: { parent: { id: top } } }
    expect(await failure(admin('POST', batchPath, { operations: [{ op: 'update', id, body }] }))).toEqual(
      byMove,
    )
    expect(await failure(create(admin, 'Made there', top))).toEqual(byMove)
    await give(id, anna)
    expect(await failure(move(admin, id, top))).toEqual(refusal('/resource/parent', 'a resource below it'))
    await give(inner, anna)
    expect((await move(admin, id, top)).status).toBe(200)
    expect(await failure(give(inner, ids.administrator))).toEqual(refusal('/resource/owner_user'))
    expect((await create(as(`anna${suffix}`, goodPassword), 'Made there', top)).status).toBe(200)
    expect((await setRules(admin, 0, ...root)).status).toBe(200)
  })

  test('include at least one whom no deny affects, whoever is removed', async () => {
    const scene = await prepare()
    const { admin, ids, top } = scene
    await withSecond(scene, async (second, ask) => {
      const first = rule('deny resource.change_permissions', ids.administrator)
      expect((await addRules(admin, top, first)).status).toBe(200)
      expect((await admin('PUT', `/api/resource/${top}`, { resource: { permissions: [] } })).status).toBe(403)
      expect(await failure(addRules(ask, top, rule('deny', second)))).toEqual(byRules)
      const goings: readonly (readonly [string, string, unknown])[] = [
        ['PUT', usersPath + second, { disabled: true }],
        ['PUT', usersPath + second, { password: null }],
        ['PUT', usersPath + second, { member_of: [] }],
        ['DELETE', usersPath + second, undefined],
        ['PUT', groupsPath + ids.administrators, { members: [ids.administrator] }],
        ['PUT', groupsPath + ids.administrators, { remove_members: [second] }],
      ]
      for (const [method, path, body] of goings)
        expect(await failure(admin(method, path, body)), JSON.stringify([method, body])).toMatchObject({
          status: 409,
          code: 'principal/last-administrator',
        })
      expect((await setRules(ask, top)).status).toBe(200)
    })
  })

  test('are those who can sign in: disabled users and users without a password do not count', async () => {
    const scene = await prepare()
    const { admin, ids, top } = scene
    await withSecond(scene, async (second) => {
      for (const [off, on] of [
        [{ disabled: true }, { disabled: false }],
        [{ password: null }, { password: goodPassword }],
      ]) {
        await admin('PUT', usersPath + second, off)
        expect(await failure(addRules(admin, top, rule('deny', ids.administrator)))).toEqual(byRules)
        await admin('PUT', usersPath + second, on)
      }
    })
  })

  test('may be locked out by rules of an older version, without further refusals', async () => {
    const { admin, database, ids, top, suffix } = await prepare()
    const locked = await createGroup(admin, top, { display_name: 'Locked' })
    await database.query(
      `insert into rule (resource_id, action, principal_id, identity, scope, permission, propagate)
       values ($1, 'deny', $2, '', '', '', true)`,
      [locked, ids.administrators],
    )
    await database.query('update permission_epoch set value = value + 1')
    expect((await admin('GET', `/api/resource/${locked}`)).status).toBe(403)
    expect((await addRules(admin, top, rule('deny resource.delete', ids.everyone))).status).toBe(200)
    const other = await createGroup(admin, 0, { display_name: `Other ${suffix}` })
    expect((await move(admin, top, other)).status).toBe(200)
    const user = await addUser(admin, `third${suffix}`, { member_of: [ids.administrators] })
    expect((await admin('DELETE', usersPath + user)).status).toBe(200)
  })

  test('include superusers, to whom no rule applies', async () => {
    const { admin, database, ids, top, suffix } = await prepare()
    const id = await addUser(admin, `super${suffix}`)
    await database.query('update principal set superuser = true where id = $1', [id])
    expect((await addRules(admin, top, rule('deny', ids.administrators))).status).toBe(200)
    expect((await failure(admin('PUT', usersPath + id, { disabled: true }))).status).toBe(409)
  })
})
