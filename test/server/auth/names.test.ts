import { expect, test } from 'vitest'
import type { ErrorBody } from '../../../src/contract/bodies/error.ts'
import { addGroup, addUser, goodPassword, groupsPath, readUser, usersPath } from '../../support/principals.ts'
import { describeServers, type TestServer } from '../../support/server.ts'

describeServers('names of users and groups', (start) => {
  const refusal = async (server: TestServer, ...asked: Parameters<TestServer['admin']>) => {
    const answer = await server.admin(...asked)
    const { code, message, data } = await answer.json<ErrorBody>()
    return { status: answer.status, code, message, data }
  }

  test('keynames and display names are unique, ignoring case', async () => {
    const server = await start()
    const id = await addUser(server.admin, 'unique', { display_name: 'Only One' })
    const other = await addUser(server.admin, 'second')
    const taken = [
      await refusal(server, 'POST', usersPath, { keyname: 'UNIQUE' }),
      await refusal(server, 'POST', usersPath, { keyname: 'third', display_name: 'ONLY one' }),
      await refusal(server, 'PUT', usersPath + other, { keyname: 'Unique' }),
      await refusal(server, 'POST', groupsPath, { keyname: 'Administrators' }),
    ]
    expect(taken.map(({ status, code }) => [status, code])).toEqual(
      taken.map(() => [422, 'principal/name-taken']),
    )
    expect(taken[0]?.message).toBe(`The keyname "UNIQUE" belongs to another user, id = ${id}.`)
    expect((await server.admin('PUT', usersPath + id, { keyname: 'Unique' })).status).toBe(200)
  })

  test('of two concurrent requests for one name, one succeeds and the other is refused', async () => {
    const server = await start()
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => server.admin('POST', groupsPath, { keyname: 'race' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422, 422, 422])
  })

  test('a user cannot have the name of a group, nor a group that of a user', async () => {
    const server = await start()
    const user = await addUser(server.admin, 'cartographer', { display_name: 'Map Maker' })
    const group = await addGroup(server.admin, 'surveyors')
    await server.admin('PUT', groupsPath + group, { display_name: 'Land Survey' })
    const self = server.as('cartographer', goodPassword)
    const [ofUser, ofGroup] = [
      ['CARTOGRAPHER', 'map maker'],
      ['Surveyors', 'LAND SURVEY', ' Land\u200b  Survey ', 'Ｌａｎｄ Survey', 'administrators'],
    ]
    const attempts = [
      ...ofUser.flatMap((name) => [
        [server.admin, 'POST', groupsPath, { keyname: 'other', display_name: name }],
        [server.admin, 'PUT', groupsPath + group, { display_name: name }],
      ]),
      ...ofGroup.flatMap((name) => [
        [server.admin, 'POST', usersPath, { keyname: 'other', display_name: name }],
        [server.admin, 'PUT', usersPath + user, { display_name: name }],
        [self, 'PUT', '/api/component/auth/profile', { display_name: name }],
      ]),
      [server.admin, 'POST', groupsPath, { keyname: 'Cartographer' }],
      [server.admin, 'PUT', groupsPath + group, { keyname: 'cartographer' }],
      [server.admin, 'POST', usersPath, { keyname: 'SURVEYORS' }],
      [server.admin, 'PUT', usersPath + user, { keyname: 'administrators' }],
      [server.admin, 'POST', groupsPath, { keyname: 'guest' }],
    ] as (readonly [TestServer['admin'], string, string, object])[]
    for (const [ask, method, path, body] of attempts) {
      const answer = await ask(method, path, body)
      const { code } = await answer.json<Partial<ErrorBody>>()
      expect([method, path, body, answer.status, code]).toEqual([
        method,
        path,
        body,
        422,
        'principal/name-taken',
      ])
    }
    const told = await refusal(server, 'POST', usersPath, { keyname: 'surveyors' })
    expect(told.message).toBe(`The keyname "surveyors" belongs to a group, id = ${group}.`)
    expect((await readUser(server.admin, user)).display_name).toBe('Map Maker')
    expect((await self('PUT', '/api/component/auth/profile', { display_name: 'Map maker' })).status).toBe(200)
    // Users may not list each other: the message does not say whose name it is.
    const own = await self('PUT', '/api/component/auth/profile', { display_name: 'Land Survey' })
    const { message, data } = await own.json<ErrorBody>()
    expect([own.status, message]).toEqual([422, 'The display_name "Land Survey" is taken.'])
    expect(data).not.toHaveProperty('id')
  })

  test.each(['Ada\r\nSet-Cookie: a', 'Ada\u202egnp', 'A\u0000', 'Ada\u2028'])(
    'a display name is one line without direction characters: %j',
    async (display_name) => {
      const server = await start()
      const answer = await server.admin('POST', groupsPath, { keyname: 'lines', display_name })
      expect(answer.status).toBe(422)
    },
  )

  test('a user and a group that share a name since an older version keep it, and can be changed', async () => {
    const server = await start()
    const group = await addGroup(server.admin, 'shared')
    const user = await addUser(server.admin, 'sharing')
    await server.database.query(
      "update principal set keyname = 'shared', display_name = 'shared' where id = $1",
      [user],
    )
    for (const [path, id] of [
      [usersPath, user],
      [groupsPath, group],
    ] as const) {
      const read = await (await server.admin('GET', path + id)).json<object>()
      expect((await server.admin('PUT', path + id, { ...read, description: 'kept' })).status).toBe(200)
    }
    const self = server.as('shared', goodPassword)
    const body = { display_name: 'shared', language: 'de' }
    expect((await self('PUT', '/api/component/auth/profile', body)).status).toBe(200)
  })
})
