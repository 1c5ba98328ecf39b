import { expect, test } from 'vitest'
import type { ErrorBody } from '../../../src/contract/bodies/error.ts'
import type { UserAnswer } from '../../../src/contract/principal.ts'
import {
  addGroup,
  addUser,
  goodPassword,
  groupsPath,
  mePath,
  readGroup,
  readUser,
  usersPath,
} from '../../support/principals.ts'
import { createGroup, rule } from '../../support/resources.ts'
import { adminPassword, describeServers, type TestServer } from '../../support/server.ts'
import { principalId } from '../../support/users.ts'

describeServers('users and groups', (start) => {
  const refusal = async (server: TestServer, ...asked: Parameters<TestServer['admin']>) => {
    const answer = await server.admin(...asked)
    const { code, message, data } = await answer.json<ErrorBody>()
    return { status: answer.status, code, message, data }
  }

  test('a user is created, read, changed and deleted', async () => {
    const server = await start()
    const id = await addUser(server.admin, 'ada', {
      display_name: 'Ada L.',
      description: 'maps',
      language: 'de',
    })
    expect(await readUser(server.admin, id)).toEqual({
      id,
      system: false,
      keyname: 'ada',
      display_name: 'Ada L.',
      description: 'maps',
      superuser: false,
      disabled: false,
      password: true,
      last_activity: null,
      language: 'de',
      is_administrator: false,
      member_of: [],
    } satisfies UserAnswer)
    const changed = await server.admin('PUT', usersPath + id, { display_name: 'Ada', description: null })
    expect(await changed.json()).toEqual({ id })
    expect(await readUser(server.admin, id)).toMatchObject({
      keyname: 'ada',
      display_name: 'Ada',
      description: null,
    })
    expect((await server.as('ADA', goodPassword)('GET', mePath)).status).toBe(200)
    expect((await readUser(server.admin, id)).last_activity).toMatch(/^\d{4}-\d\d-\d\dT\d\d:00:00$/)
    expect(await (await server.admin('DELETE', usersPath + id)).json()).toEqual({})
    expect((await refusal(server, 'GET', usersPath + id)).code).toBe('principal/not-found')
    expect((await server.as('ada', goodPassword)('GET', mePath)).status).toBe(401)
  })

  test('a representation can be sent back and changes nothing', async () => {
    const server = await start()
    const group = await addGroup(server.admin, 'echoes')
    const id = await addUser(server.admin, 'echo', { member_of: [group] })
    for (const [path, one] of [
      [usersPath, id],
      [groupsPath, group],
      [usersPath, await principalId(server.database, 'guest')],
      [groupsPath, await principalId(server.database, 'administrators')],
    ] as const) {
      const read = await (await server.admin('GET', path + one)).json()
      expect((await server.admin('PUT', path + one, read)).status, path).toBe(200)
      expect(await (await server.admin('GET', path + one)).json()).toEqual(read)
    }
    expect((await server.as('echo', goodPassword)('GET', mePath)).status).toBe(200)
  })

  test('membership can be written from either side', async () => {
    const server = await start()
    const [anna, bob] = [await addUser(server.admin, 'anna'), await addUser(server.admin, 'bob')]
    const editors = await addGroup(server.admin, 'editors', [anna])
    await server.admin('PUT', usersPath + bob, { member_of: [editors] })
    expect((await readGroup(server.admin, editors)).members).toEqual([anna, bob])
    await server.admin('PUT', groupsPath + editors, { members: [bob] })
    expect((await readUser(server.admin, anna)).member_of).toEqual([])
    expect((await readUser(server.admin, bob)).member_of).toEqual([editors])
    expect((await server.admin('DELETE', groupsPath + editors)).status).toBe(200)
    expect((await readUser(server.admin, bob)).member_of).toEqual([])
  })

  test('concurrent additions and removals of members are all applied', async () => {
    const server = await start()
    const ids = []
    for (const name of ['m1', 'm2', 'm3', 'm4'])
      ids.push(await addUser(server.admin, name, { password: null }))
    const crowd = await addGroup(server.admin, 'crowd', ids.slice(0, 1))
    const change = (body: object) => server.admin('PUT', groupsPath + crowd, body)
    const answers = await Promise.all([
      ...ids.slice(1).map((id) => change({ add_members: [id] })),
      change({ remove_members: [ids[0], 1e300] }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect((await readGroup(server.admin, crowd)).members).toEqual(ids.slice(1))
    expect((await change({ add_members: [999_999] })).status).toBe(422)
  })

  test('members get and lose the permissions of a group immediately', async () => {
    const server = await start()
    const joiner = await addUser(server.admin, 'joiner')
    const readers = await addGroup(server.admin, 'readers')
    const { resource } = await (await server.admin('GET', '/api/resource/0')).json<{
      resource: { permissions: unknown[] }
    }>()
    const permissions = [...resource.permissions, rule('allow resource.read', readers)]
    await server.admin('PUT', '/api/resource/0', { resource: { permissions } })
    const ask = server.as('joiner', goodPassword)
    const statuses = [(await ask('GET', '/api/resource/0')).status]
    for (const members of [[joiner], []]) {
      await server.admin('PUT', groupsPath + readers, { members })
      statuses.push((await ask('GET', '/api/resource/0')).status)
    }
    expect(statuses).toEqual([403, 200, 403])
    await server.admin('PUT', '/api/resource/0', { resource: { permissions: resource.permissions } })
  })

  test.each([
    ['keyname', { keyname: '1st' }, '$.keyname'],
    ['keyname', { keyname: 'a b' }, '$.keyname'],
    ['keyname', { keyname: 'ä' }, '$.keyname'],
    ['keyname', {}, 'keyname'],
    ['display name', { keyname: 'wrong', display_name: '' }, '$.display_name'],
    ['language', { keyname: 'wrong', language: 'Deutsch!' }, '$.language'],
    ['groups', { keyname: 'wrong', member_of: [1] }, '$.member_of.0'],
    ['groups', { keyname: 'wrong', member_of: [1e300] }, '$.member_of.0'],
    ['groups', { keyname: 'wrong', member_of: 5 }, '$.member_of'],
    ['disabled', { keyname: 'wrong', disabled: 'no' }, '$.disabled'],
    ['password', { keyname: 'wrong', password: 12345678 }, '$.password'],
  ])('an invalid %s is 422 with the location: %j', async (_, body, place) => {
    const answer = await refusal(await start(), 'POST', usersPath, body)
    expect(answer).toMatchObject({ status: 422, code: 'request/invalid' })
    expect(answer.message).toContain(place)
  })

  test('weak passwords are refused, and not shown', async () => {
    const server = await start()
    for (const [keyname, password] of [
      ['weak', 'short'],
      ['weak', 'aaaaaaaaaaaa'],
      ['weakling', 'WeakLing'],
    ]) {
      const answer = await refusal(server, 'POST', usersPath, { keyname, password })
      expect(answer, password).toMatchObject({ status: 422, code: 'principal/weak-password' })
      expect(JSON.stringify(answer)).not.toContain(password)
    }
    const long = await refusal(server, 'POST', usersPath, { keyname: 'weak', password: 'ab cd'.repeat(300) })
    expect(long.status).toBe(422)
    expect(JSON.stringify(long)).not.toContain('ab cd')
  })

  test('users without a password and disabled users cannot sign in', async () => {
    const server = await start()
    const none = await addUser(server.admin, 'bare', { password: null })
    expect((await readUser(server.admin, none)).password).toBe(false)
    for (const guess of ['', 'null', 'undefined'])
      expect((await server.as('bare', guess)('GET', mePath)).status).toBe(401)
    const id = await addUser(server.admin, 'leaver')
    const ask = server.as('leaver', goodPassword)
    expect((await ask('GET', mePath)).status).toBe(200)
    await server.admin('PUT', usersPath + id, { disabled: true })
    expect((await (await ask('GET', mePath)).json<ErrorBody>()).code).toBe('auth/disabled')
    await server.admin('PUT', usersPath + id, { disabled: false })
    expect((await ask('GET', mePath)).status).toBe(200)
  })

  test('system users and groups cannot be deleted', async () => {
    const server = await start()
    for (const keyname of ['guest', 'everyone', 'authenticated', 'owner']) {
      const path = usersPath + (await principalId(server.database, keyname))
      const changes = [{ keyname: 'x' }, { disabled: true }, { password: goodPassword }, { member_of: [5] }]
      for (const body of changes)
        expect(await refusal(server, 'PUT', path, body), JSON.stringify(body)).toMatchObject({
          status: 409,
          code: 'principal/system',
        })
      expect((await refusal(server, 'DELETE', path)).code).toBe('principal/system')
    }
    const administrators = groupsPath + (await principalId(server.database, 'administrators'))
    expect((await refusal(server, 'DELETE', administrators)).code).toBe('principal/system')
    expect((await refusal(server, 'PUT', administrators, { keyname: 'x' })).code).toBe('principal/system')
    const guest = await principalId(server.database, 'guest')
    const joined = await refusal(server, 'POST', groupsPath, { keyname: 'guests', members: [guest] })
    expect(joined).toMatchObject({ status: 422, message: expect.stringContaining('$.members.0') })
  })

  test('the last administrator who can sign in cannot be removed, disabled or deleted', async () => {
    const server = await start()
    const id = await principalId(server.database, 'administrator')
    const administrators = await principalId(server.database, 'administrators')
    const disabled = await addUser(server.admin, 'off', { member_of: [administrators], disabled: true })
    const bare = await addUser(server.admin, 'barer', { member_of: [administrators], password: null })
    const attempts = [
      ['PUT', usersPath + id, { disabled: true }],
      ['PUT', usersPath + id, { password: null }],
      ['PUT', usersPath + id, { member_of: [] }],
      ['PUT', groupsPath + administrators, { members: [disabled, bare] }],
    ] as const
    for (const [method, path, body] of attempts)
      expect(await refusal(server, method, path, body), JSON.stringify(body)).toMatchObject({
        status: 409,
        code: 'principal/last-administrator',
      })
    expect((await readGroup(server.admin, administrators)).members).toContain(id)
    const second = await addUser(server.admin, 'second_admin', { member_of: [administrators] })
    expect((await server.admin('PUT', usersPath + id, { member_of: [] })).status).toBe(200)
    expect((await server.admin('GET', usersPath)).status).toBe(403)
    const other = server.as('second_admin', goodPassword)
    expect((await other('PUT', usersPath + id, { member_of: [administrators] })).status).toBe(200)
    await server.admin('DELETE', usersPath + second)
  })

  test('two administrators cannot remove each other concurrently', async () => {
    const server = await start()
    const administrators = await principalId(server.database, 'administrators')
    const first = await principalId(server.database, 'administrator')
    const second = await addUser(server.admin, 'rival', { member_of: [administrators] })
    const rival = server.as('rival', goodPassword)
    await rival('GET', mePath)
    const answers = await Promise.all([
      server.admin('PUT', usersPath + second, { member_of: [] }),
      rival('PUT', usersPath + first, { member_of: [] }),
    ])
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 403 || status === 409)).toHaveLength(1)
    if (statuses[1] === 200) await rival('PUT', usersPath + first, { member_of: [administrators] })
    await server.admin('DELETE', usersPath + second)
  })

  test('principals that own resources or are in rules cannot be deleted, and the references are listed', async () => {
    const server = await start()
    const owner = await addUser(server.admin, 'possessor')
    const ruled = await addGroup(server.admin, 'ruled')
    const group = await createGroup(server.admin, 0, {
      display_name: 'Possession',
      owner_user: { id: owner },
    })
    const other = await createGroup(server.admin, 0, {
      display_name: 'Ruled',
      permissions: [rule('allow resource.read', ruled), rule('allow data.read', ruled)],
    })
    expect(await refusal(server, 'DELETE', usersPath + owner)).toEqual({
      status: 409,
      code: 'principal/referenced',
      message: `User "possessor" is owner of "Possession" (id = ${group}).`,
      data: { count: 1, resources: [{ id: group, use: 'owner' }] },
    })
    expect(await refusal(server, 'DELETE', groupsPath + ruled)).toMatchObject({
      status: 409,
      message: `Group "ruled" is in a rule of "Ruled" (id = ${other}).`,
    })
    for (const id of [group, other]) await server.admin('DELETE', `/api/resource/${id}`)
    expect((await server.admin('DELETE', usersPath + owner)).status).toBe(200)
    expect((await server.admin('DELETE', groupsPath + ruled)).status).toBe(200)
  })

  test('only administrators manage users, and others get brief lists', async () => {
    const server = await start()
    const id = await addUser(server.admin, 'plain')
    const plain = server.as('plain', goodPassword)
    for (const ask of [plain, server.guest])
      for (const [method, path, body] of [
        ['GET', usersPath],
        ['GET', groupsPath],
        ['GET', usersPath + id],
        ['POST', usersPath, { keyname: 'evil' }],
        ['PUT', usersPath + id, { superuser: true, member_of: [5] }],
        ['DELETE', usersPath + id],
        ['POST', groupsPath, { keyname: 'evil' }],
        ['PUT', `${groupsPath}5`, { members: [id] }],
        ['DELETE', `${groupsPath}5`],
      ] as const) {
        const answer = await ask(method, path, body)
        expect([method, path, answer.status]).toEqual([method, path, 403])
        expect((await answer.json<ErrorBody>()).code).toBe('access/denied')
      }
    const listed = await (await plain('GET', `${usersPath}?brief=true`)).json<UserAnswer[]>()
    expect(listed.find((user) => user.id === id)).toEqual({
      id,
      system: false,
      keyname: 'plain',
      display_name: 'plain',
    })
    const shown = await (await server.guest('GET', `${usersPath}?brief=true`)).json<UserAnswer[]>()
    expect(shown.every(({ system }) => system)).toBe(true)
  })

  test('superusers cannot be created, and unknown ids are 404', async () => {
    const server = await start()
    const id = await addUser(server.admin, 'wishful', { superuser: true })
    await server.admin('PUT', usersPath + id, { superuser: true })
    expect((await readUser(server.admin, id)).superuser).toBe(false)
    const group = await principalId(server.database, 'administrators')
    for (const path of [
      `${usersPath}99999999999`,
      `${usersPath}999999`,
      usersPath + group,
      `${groupsPath}${id}`,
    ])
      for (const method of ['GET', 'PUT', 'DELETE'])
        expect(await refusal(server, method, path, method === 'PUT' ? {} : undefined), path).toMatchObject({
          status: 404,
          code: 'principal/not-found',
        })
  })

  test('users read and change their own profile, and the password only with the old one', async () => {
    const server = await start()
    const path = '/api/component/auth/profile'
    const group = await addGroup(server.admin, 'profiled')
    const id = await addUser(server.admin, 'self', { member_of: [group] })
    const ask = server.as('self', goodPassword)
    expect(await (await ask('GET', path)).json()).toEqual({
      id,
      keyname: 'self',
      display_name: 'self',
      description: null,
      language: 'en',
      member_of: [group],
    })
    const wish = { display_name: 'Self', language: 'fr', keyname: 'other', member_of: [5], disabled: true }
    expect(await (await ask('PUT', path, wish)).json()).toEqual({})
    expect(await (await ask('GET', path)).json()).toMatchObject({
      keyname: 'self',
      display_name: 'Self',
      language: 'fr',
    })
    const password = 'another good one'
    const refused = [
      { password },
      { password, old_password: 'not it' },
      { password: 'weak', old_password: goodPassword },
    ]
    for (const body of refused) expect((await ask('PUT', path, body)).status).toBe(422)
    expect((await ask('PUT', path, { password, old_password: goodPassword })).status).toBe(200)
    expect((await ask('GET', path)).status).toBe(401)
    expect((await server.as('self', password)('GET', path)).status).toBe(200)
    expect((await server.guest('GET', path)).status).toBe(403)
    expect((await server.guest('PUT', path, {})).status).toBe(403)
    expect((await server.as('administrator', adminPassword)('GET', path)).status).toBe(200)
  })
})
