import { expect, test } from 'vitest'
import type { ErrorBody } from '../../../src/contract/bodies/error.ts'
import type { TokenAnswer } from '../../../src/contract/principal.ts'
import { addUser, goodPassword, mePath, tokensPath, usersPath, whoIs } from '../../support/principals.ts'
import { type Ask, describeServers } from '../../support/server.ts'
import { principalId } from '../../support/users.ts'

type Made = TokenAnswer & { readonly token: string }

const make = async (ask: Ask, name: string, more: Record<string, unknown> = {}) => {
  const answer = await ask('POST', tokensPath, { name, ...more })
  return { status: answer.status, ...(await answer.json<Made & ErrorBody>()) }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describeServers('tokens', (start) => {
  test('a token is shown once and authenticates its user', async () => {
    const server = await start()
    const id = await addUser(server.admin, 'ada')
    const ask = server.as('ada', goodPassword)
    const made = await make(ask, 'nightly import', { expires: '2999-12-31' })
    expect(made).toEqual({
      status: 200,
      id: expect.any(Number),
      name: 'nightly import',
      user: { id, keyname: 'ada' },
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
      expires: '2999-12-31T00:00:00',
      last_used: null,
      token: expect.stringMatching(/^landform_[\w-]{43}$/),
    })
    const me = await server.guest('GET', mePath, undefined, bearer(made.token))
    expect(await me.json()).toMatchObject({ id, auth_medium: 'bearer', auth_provider: 'token' })
    const listed = await (await ask('GET', tokensPath)).json<TokenAnswer[]>()
    expect(listed.map(({ name, last_used }) => [name, last_used])).toEqual([
      ['nightly import', expect.stringMatching(/:00:00$/)],
    ])
    expect(JSON.stringify([listed, await server.database.query('select * from token')])).not.toContain(
      made.token.slice('landform_'.length),
    )
  })

  test('a revoked, expired or unknown token is 401, even for public resources', async () => {
    const server = await start()
    const { id, token } = await make(server.admin, 'short-lived')
    expect(await whoIs(server.guest, bearer(token))).toBe('administrator')
    expect(await (await server.admin('DELETE', tokensPath + id)).json()).toEqual({})
    const expired = await make(server.admin, 'expired', { expires: '2999-01-01' })
    await server.database.query("update token set expires_at = now() at time zone 'utc' where id = $1", [
      expired.id,
    ])
    for (const one of [token, expired.token, 'landform_x', 'x'.repeat(5000)]) {
      const answer = await server.guest('GET', '/api/component/core/pkg_version', undefined, bearer(one))
      expect(answer.status).toBe(401)
      const body = await answer.text()
      expect(body).toContain('auth/bad-credentials')
      expect(body).not.toContain(one)
    }
  })

  test('a token has the permissions of its user, but cannot create tokens or change the password', async () => {
    const server = await start()
    await addUser(server.admin, 'limited')
    const { token } = await make(server.as('limited', goodPassword), 'limits')
    const ask: Ask = (method, path, body) => server.guest(method, path, body, bearer(token))
    expect((await make(ask, 'another')).status).toBe(403)
    const password = { password: 'a new password', old_password: goodPassword }
    expect((await ask('PUT', '/api/component/auth/profile', password)).status).toBe(403)
    expect((await ask('PUT', '/api/component/auth/profile', { display_name: 'Limited' })).status).toBe(200)
    expect((await ask('GET', '/api/resource/0')).status).toBe(403)
    expect((await ask('GET', tokensPath)).status).toBe(200)
  })

  test('a token is deleted with its user, and suspended while the user is disabled', async () => {
    const server = await start()
    const id = await addUser(server.admin, 'mortal')
    const { token } = await make(server.as('mortal', goodPassword), 'mortal')
    await server.admin('PUT', usersPath + id, { disabled: true })
    expect(await whoIs(server.guest, bearer(token))).toBe('auth/disabled')
    await server.admin('PUT', usersPath + id, { disabled: false })
    expect(await whoIs(server.guest, bearer(token))).toBe('mortal')
    await server.admin('DELETE', usersPath + id)
    expect(await whoIs(server.guest, bearer(token))).toBe('auth/bad-credentials')
  })

  test('only users and administrators can manage tokens; guests have none', async () => {
    const server = await start()
    const id = await addUser(server.admin, 'owner_of_one')
    await addUser(server.admin, 'stranger')
    const [own, stranger] = [server.as('owner_of_one', goodPassword), server.as('stranger', goodPassword)]
    const made = await make(own, 'mine')
    expect((await stranger('GET', `${tokensPath}?user=${id}`)).status).toBe(403)
    expect((await make(stranger, 'theirs', { user: { id } })).status).toBe(403)
    const foreign = await stranger('DELETE', tokensPath + made.id)
    expect((await foreign.json<ErrorBody>()).code).toBe('token/not-found')
    expect((await server.guest('GET', tokensPath)).status).toBe(403)
    expect((await make(server.guest, 'x')).status).toBe(403)
    expect((await server.guest('DELETE', tokensPath + made.id)).status).toBe(404)
    const forRobot = await make(server.admin, 'from above', { user: { id } })
    expect(await whoIs(server.guest, bearer(forRobot.token))).toBe('owner_of_one')
    const listed = await (await server.admin('GET', `${tokensPath}?user=${id}`)).json<TokenAnswer[]>()
    expect(listed.map(({ name }) => name)).toEqual(['mine', 'from above'])
    expect((await server.admin('DELETE', tokensPath + made.id)).status).toBe(200)
    const guest = await principalId(server.database, 'guest')
    for (const nobody of [guest, 999_999, 1e300])
      expect((await make(server.admin, 'x', { user: { id: nobody } })).status).toBe(422)
    expect((await server.admin('DELETE', `${tokensPath}99999999999`)).status).toBe(404)
  })

  test.each([
    ['no name', {}, 'name'],
    ['an empty name', { name: '' }, '$.name'],
    ['a date that has passed', { name: 'a', expires: '2020-01-01' }, '$.expires'],
    ['no date', { name: 'a', expires: 'tomorrow' }, '$.expires'],
    ['a date that there is not', { name: 'a', expires: '2999-13-45' }, '$.expires'],
    ['a number', { name: 'a', expires: 90 }, '$.expires'],
  ])('%s is 422 with the location', async (_, body, place) => {
    const answer = await (await start()).admin('POST', tokensPath, body)
    expect(answer.status).toBe(422)
    expect((await answer.json<ErrorBody>()).message).toContain(place)
  })

  test('names are unique, expiry dates may have any time zone, and the number of tokens is limited', async () => {
    const server = await start()
    await addUser(server.admin, 'collector')
    const ask = server.as('collector', goodPassword)
    expect((await make(ask, 'zoned', { expires: '2999-06-01T12:00:00+02:00' })).expires).toBe(
      '2999-06-01T10:00:00',
    )
    expect((await make(ask, 'forever', { expires: null })).expires).toBeNull()
    expect(await make(ask, 'zoned')).toMatchObject({ status: 422, code: 'principal/name-taken' })
    for (let at = 2; at < 100; at += 1) await make(ask, `token ${at}`)
    expect(await make(ask, 'one too many')).toMatchObject({ status: 422, code: 'request/invalid' })
  })
})
