import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { ErrorBody } from '../../../src/contract/bodies/error.ts'
import { addUser, goodPassword, logIn, mePath, usersPath, whoIs } from '../../support/principals.ts'
import { describeServers, type TestServer } from '../../support/server.ts'

const loginPath = '/api/component/auth/login'
const logoutPath = '/api/component/auth/logout'

const codeOf = async (answer: Promise<{ json<T>(): Promise<T> }>) =>
  (await (await answer).json<ErrorBody>()).code

describeServers('sessions', (start) => {
  /** Moves the clock of a session: its last use and its end are that much earlier. */
  const age = (server: TestServer, cookie: string, span: string) =>
    server.database.query(
      `update session set created_at = created_at - $2::interval, used_at = used_at - $2::interval,
              expires_at = expires_at - $2::interval where digest = $1 returning digest`,
      [
        createHash('sha256')
          .update(cookie.split('=')[1] ?? '')
          .digest('hex'),
        span,
      ],
    )

  test('a login returns the user, with a cookie that scripts and other sites cannot use', async () => {
    const server = await start()
    const id = await addUser(server.admin, 'ada', { display_name: 'Ada L.' })
    const answer = await server.guest('POST', loginPath, { login: 'ADA', password: goodPassword })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({ id, keyname: 'ada', display_name: 'Ada L.' })
    expect(answer.headers.get('set-cookie')).toMatch(
      /^landform=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? ''
    const me = await server.guest('GET', mePath, undefined, { cookie: `other=1; ${cookie}; more=2` })
    expect(await me.json()).toMatchObject({ id, auth_medium: 'session', auth_provider: 'local_pw' })
  })

  test('a login is accepted as JSON, as JSON with the content type of a form, and as a form', async () => {
    const server = await start()
    await addUser(server.admin, 'former', { password: 'a+b & c=ü%' })
    const form = 'application/x-www-form-urlencoded'
    const credentials = { login: 'former', password: 'a+b & c=ü%' }
    const bodies = [
      [JSON.stringify(credentials), 'application/json'],
      [JSON.stringify(credentials), form],
      [new URLSearchParams(credentials).toString(), form],
    ]
    for (const [body, type = ''] of bodies)
      expect((await server.guest('POST', loginPath, body, { 'content-type': type })).status, body).toBe(200)
  })

  test('an incomplete login is 422, a wrong one 401, a disabled user is reported, and none gets a cookie', async () => {
    const server = await start()
    await addUser(server.admin, 'sleeper', { disabled: true })
    const answers = [
      [{ login: 'sleeper' }, 422, 'request/invalid'],
      [{ login: 'sleeper', password: 5 }, 422, 'request/invalid'],
      [undefined, 422, 'request/invalid'],
      [{ login: 'sleeper', password: 'x'.repeat(2000) }, 422, 'request/invalid'],
      [{ login: 'sleeper', password: 'wrong' }, 401, 'auth/bad-credentials'],
      [{ login: 'nobody', password: 'wrong' }, 401, 'auth/bad-credentials'],
      [{ login: 'guest', password: '' }, 401, 'auth/bad-credentials'],
      [{ login: 'sleeper', password: goodPassword }, 401, 'auth/disabled'],
    ] as const
    for (const [body, status, code] of answers) {
      const answer = await server.guest('POST', loginPath, body)
      expect(answer.headers.get('set-cookie')).toBeNull()
      expect({ status: answer.status, code: (await answer.json<ErrorBody>()).code }).toEqual({ status, code })
    }
  })

  test('a login ignores other credentials of the request, and ends the present session', async () => {
    const server = await start()
    await addUser(server.admin, 'twice')
    const first = await logIn(server.guest, 'twice', goodPassword)
    const body = { login: 'twice', password: goodPassword }
    const again = await server.guest('POST', loginPath, body, {
      cookie: first,
      authorization: `Basic ${btoa('twice:wrong')}`,
    })
    expect(again.status).toBe(200)
    const second = again.headers.get('set-cookie')?.split(';')[0] ?? ''
    expect(second).not.toBe(first)
    expect(await whoIs(server.guest, { cookie: first })).toBe('auth/session-ended')
    expect(await whoIs(server.guest, { cookie: second })).toBe('twice')
    expect((await server.guest('POST', loginPath, body, { cookie: 'landform=unknown' })).status).toBe(200)
  })

  test('a logout ends the session and deletes the cookie; without a session it does nothing', async () => {
    const server = await start()
    await addUser(server.admin, 'goer')
    const cookie = await logIn(server.guest, 'goer', goodPassword)
    const answer = await server.guest('POST', logoutPath, undefined, { cookie })
    expect(await answer.json()).toEqual({})
    expect(answer.headers.get('set-cookie')).toMatch(/^landform=; Max-Age=0; Path=\//)
    expect(await whoIs(server.guest, { cookie })).toBe('auth/session-ended')
    for (const headers of [{}, { cookie }])
      expect((await server.guest('POST', logoutPath, undefined, headers)).status).toBe(200)
  })

  test('the database does not contain the secret of a session', async () => {
    const server = await start()
    await addUser(server.admin, 'hashed')
    const secret = (await logIn(server.guest, 'hashed', goodPassword)).split('=')[1] ?? ''
    const rows = await server.database.query('select * from session')
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain(secret)
    expect(await whoIs(server.guest, { cookie: `landform=${(rows[0] as { digest: string }).digest}` })).toBe(
      'auth/session-ended',
    )
  })

  test('the header decides if one is sent, else the session; an invalid one is 401 whatever else is sent', async () => {
    const server = await start()
    await addUser(server.admin, 'cookie')
    const cookie = await logIn(server.guest, 'cookie', goodPassword)
    const basic = `Basic ${btoa('administrator:a test password')}`
    const ended = { cookie: 'landform=ended' }
    for (const beside of [{}, { cookie }, ended]) {
      expect(await whoIs(server.guest, { ...beside, authorization: basic })).toBe('administrator')
      for (const wrong of ['Bearer wrong', `Basic ${btoa('a:b')}`])
        expect(await whoIs(server.guest, { ...beside, authorization: wrong })).toBe('auth/bad-credentials')
      expect(await whoIs(server.guest, { ...beside, authorization: 'Odd x' })).toBe('auth/bad-header')
    }
    expect(await whoIs(server.guest, { cookie })).toBe('cookie')
    const alone = await server.guest('GET', '/api/component/core/pkg_version', undefined, ended)
    expect(alone.status).toBe(401)
    expect(alone.headers.get('set-cookie')).toMatch(/^landform=; Max-Age=0;/)
  })

  test('a session lasts a week after its last use, and at most a month', async () => {
    const server = await start()
    await addUser(server.admin, 'slider')
    const cookie = await logIn(server.guest, 'slider', goodPassword)
    const ask = async () => {
      server.running.context.authenticator.forget()
      return server.guest('GET', mePath, undefined, { cookie })
    }
    const prolonged = async () => /Max-Age=(\d+)/.exec((await ask()).headers.get('set-cookie') ?? '')?.[1]
    expect(await prolonged()).toBeUndefined()
    for (let week = 1; week <= 4; week += 1) {
      await age(server, cookie, '6 days')
      const seconds = Number(await prolonged())
      expect(seconds).toBeGreaterThan(6 * 86_400 - 60)
      expect(seconds).toBeLessThanOrEqual(7 * 86_400)
      expect(await prolonged()).toBeUndefined()
    }
    await age(server, cookie, '5 days')
    expect(Number(await prolonged())).toBeLessThanOrEqual(86_400)
    await age(server, cookie, '2 days')
    expect((await ask()).status).toBe(401)
    await logIn(server.guest, 'slider', goodPassword)
    expect(await age(server, cookie, '1 day')).toEqual([])
  })

  test('a new password ends all sessions except the one that changed it', async () => {
    const server = await start()
    const id = await addUser(server.admin, 'changer')
    const [one, two] = [
      await logIn(server.guest, 'changer', goodPassword),
      await logIn(server.guest, 'changer', goodPassword),
    ]
    const body = { password: 'the next password', old_password: goodPassword }
    expect((await server.guest('PUT', '/api/component/auth/profile', body, { cookie: one })).status).toBe(200)
    expect(await whoIs(server.guest, { cookie: one })).toBe('changer')
    expect(await whoIs(server.guest, { cookie: two })).toBe('auth/session-ended')
    await server.admin('PUT', usersPath + id, { password: goodPassword })
    expect(await whoIs(server.guest, { cookie: one })).toBe('auth/session-ended')
  })

  test('a disabled or deleted user has no session', async () => {
    const server = await start()
    const id = await addUser(server.admin, 'fired')
    const cookie = await logIn(server.guest, 'fired', goodPassword)
    await server.admin('PUT', usersPath + id, { disabled: true })
    await server.admin('PUT', usersPath + id, { disabled: false })
    expect(await whoIs(server.guest, { cookie })).toBe('auth/session-ended')
    const next = await logIn(server.guest, 'fired', goodPassword)
    await server.admin('DELETE', usersPath + id)
    expect(await whoIs(server.guest, { cookie: next })).toBe('auth/session-ended')
  })

  test('a page of another site cannot change anything through a session, nor sign in or out', async () => {
    const server = await start()
    await addUser(server.admin, 'victim')
    const cookie = await logIn(server.guest, 'victim', goodPassword)
    const foreign = { cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const body = { display_name: 'Owned' }
    const login = { login: 'victim', password: goodPassword }
    expect(await codeOf(server.guest('PUT', '/api/component/auth/profile', body, foreign))).toBe(
      'auth/cross-site',
    )
    expect(await codeOf(server.guest('DELETE', '/api/resource/0', undefined, foreign))).toBe(
      'auth/cross-site',
    )
    expect(await codeOf(server.guest('POST', logoutPath, undefined, foreign))).toBe('auth/cross-site')
    expect(await codeOf(server.guest('POST', loginPath, login, foreign))).toBe('auth/cross-site')
    expect(await whoIs(server.guest, foreign)).toBe('victim')
    const own = { cookie, origin: server.url, 'sec-fetch-site': 'same-origin' }
    expect((await server.guest('PUT', '/api/component/auth/profile', body, own)).status).toBe(200)
    const basic = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    expect(
      (await server.as('victim', goodPassword)('PUT', '/api/component/auth/profile', body, basic)).status,
    ).toBe(200)
  })

  test('the oldest of too many sessions of one user end', async () => {
    const server = await start()
    const id = await addUser(server.admin, 'many')
    const first = await logIn(server.guest, 'many', goodPassword)
    await age(server, first, '1 minute')
    for (let at = 0; at < 100; at += 1) await logIn(server.guest, 'many', goodPassword)
    const [row] = await server.database.query<{ count: number }>(
      'select count(*)::int as count from session where user_id = $1',
      [id],
    )
    expect(row?.count).toBe(100)
    expect(await whoIs(server.guest, { cookie: first })).toBe('auth/session-ended')
  })
})
