import { expect, test } from 'vitest'
import type { ErrorBody } from '../../../src/contract/bodies/error.ts'
import { addUser, goodPassword, logIn, tokensPath, usersPath, whoIs } from '../../support/principals.ts'
import { type Ask, describeServers } from '../../support/server.ts'

const profilePath = '/api/component/auth/profile'
const nextPassword = 'the next password'

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describeServers('a new password', (start) => {
  /** A user with two sessions and two tokens, one of which has expired. */
  const prepare = async (keyname: string) => {
    const server = await start()
    const id = await addUser(server.admin, keyname)
    const ask = server.as(keyname, goodPassword)
    const make = async (name: string) =>
      (await (await ask('POST', tokensPath, { name })).json<{ token: string }>()).token
    const [token, expired] = [await make('valid'), await make('expired')]
    await server.database.query(
      "update token set expires_at = now() at time zone 'utc' where user_id = $1 and name = 'expired'",
      [id],
    )
    const [one, two] = [
      await logIn(server.guest, keyname, goodPassword),
      await logIn(server.guest, keyname, goodPassword),
    ]
    /** Who each of them stands for now. */
    const standing = async () => [
      await whoIs(server.guest, { cookie: one }),
      await whoIs(server.guest, { cookie: two }),
      await whoIs(server.guest, bearer(token)),
    ]
    const bySession: Ask = (method, path, body) => server.guest(method, path, body, { cookie: one })
    return { ...server, id, keyname, ask, bySession, standing, expired }
  }
  const gone = { session: 'auth/session-ended', token: 'auth/bad-credentials' }
  const own = { password: nextPassword, old_password: goodPassword }

  test('by the user ends the other sessions and revokes the tokens, and reports it', async () => {
    const { bySession, standing, keyname } = await prepare('ada')
    expect(await standing()).toEqual([keyname, keyname, keyname])
    const answer = await bySession('PUT', profilePath, own)
    expect([answer.status, await answer.json()]).toEqual([200, { ended_sessions: 1, revoked_tokens: 1 }])
    expect(await standing()).toEqual([keyname, gone.session, gone.token])
    expect(await (await bySession('GET', tokensPath)).json()).toEqual([])
    expect((await bySession('POST', tokensPath, { name: 'another' })).status).toBe(200)
  })

  test('by the user with Basic authentication ends every session', async () => {
    const { ask, standing } = await prepare('bob')
    expect(await (await ask('PUT', profilePath, own)).json()).toEqual({
      ended_sessions: 2,
      revoked_tokens: 1,
    })
    expect(await standing()).toEqual([gone.session, gone.session, gone.token])
  })

  test('keeps the tokens on request', async () => {
    const { bySession, admin, id, standing, keyname } = await prepare('carol')
    const kept = await bySession('PUT', profilePath, { ...own, keep_tokens: true })
    expect(await kept.json()).toEqual({ ended_sessions: 1, revoked_tokens: 0 })
    expect(await standing()).toEqual([keyname, gone.session, keyname])
    const again = await admin('PUT', usersPath + id, { password: goodPassword, keep_tokens: true })
    expect(await again.json()).toEqual({ id, ended_sessions: 1, revoked_tokens: 0 })
    expect(await standing()).toEqual([gone.session, gone.session, keyname])
  })

  test('by an administrator ends every session and revokes the tokens, and reports it', async () => {
    const { admin, id, standing } = await prepare('dan')
    const answer = await admin('PUT', usersPath + id, { password: nextPassword })
    expect(await answer.json()).toEqual({ id, ended_sessions: 2, revoked_tokens: 1 })
    expect(await standing()).toEqual([gone.session, gone.session, gone.token])
  })

  test('to no password ends access too, but only once', async () => {
    const { admin, id, standing } = await prepare('eve')
    const answer = await admin('PUT', usersPath + id, { password: null })
    expect(await answer.json()).toEqual({ id, ended_sessions: 2, revoked_tokens: 1 })
    expect(await standing()).toEqual([gone.session, gone.session, gone.token])
    await admin('POST', tokensPath, { name: 'robot', user: { id } })
    expect(await (await admin('PUT', usersPath + id, { password: null })).json()).toEqual({ id })
    expect(await (await admin('GET', `${tokensPath}?user=${id}`)).json()).toHaveLength(1)
  })

  test('that is refused ends nothing', async () => {
    const { bySession, admin, id, standing, keyname } = await prepare('fay')
    const attempts: readonly (readonly [Ask, string, object, number])[] = [
      [bySession, profilePath, { ...own, old_password: 'not the password' }, 422],
      [bySession, profilePath, { ...own, password: 'short' }, 422],
      [bySession, profilePath, { ...own, keep_tokens: 'no' }, 422],
      [bySession, profilePath, { display_name: 'Fay F.', keep_tokens: false }, 200],
      [admin, usersPath + id, { password: 'short' }, 422],
      [admin, usersPath + id, { password: true, display_name: 'Fay' }, 200],
      [admin, usersPath + id, { keep_tokens: false }, 200],
    ]
    for (const [ask, path, body, status] of attempts) {
      const answer = await ask('PUT', path, body)
      const { ended_sessions } = await answer.json<{ ended_sessions?: number } & Partial<ErrorBody>>()
      expect([body, answer.status, ended_sessions]).toEqual([body, status, undefined])
    }
    expect(await standing()).toEqual([keyname, keyname, keyname])
  })
})
