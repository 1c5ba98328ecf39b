import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ErrorBody } from '../../../src/contract/bodies/error.ts'
import { guessConcurrently } from '../../support/principals.ts'
import { startTestServer, type TestServer, testPasswordCost } from '../../support/server.ts'
import { createUser, userPassword } from '../../support/users.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer('postgres')
})
afterAll(() => server.stop())

const me = '/api/component/auth/current_user'
const withHeader = (authorization: string) => server.guest('GET', me, undefined, { authorization })

test('a request without credentials is that of a guest', async () => {
  expect(await (await server.guest('GET', me)).json()).toEqual({
    id: expect.any(Number),
    keyname: 'guest',
    display_name: 'Guest',
    language: 'en',
    auth_medium: null,
    auth_provider: null,
  })
})

test('guests get 401 if the request requires authentication', async () => {
  const answer = await server.guest('GET', `${me}?require_authenticated=true`)
  expect([answer.status, (await answer.json<ErrorBody>()).code]).toEqual([401, 'auth/required'])
  expect((await server.admin('GET', `${me}?require_authenticated=true`)).status).toBe(200)
})

test('responses for a user are not cached for others', async () => {
  for (const path of ['/api/resource/0', '/api/resource/?parent=0'])
    expect((await server.admin('GET', path)).headers.get('cache-control')).toBe('private, no-cache')
  expect((await server.admin('GET', me)).headers.get('cache-control')).toBe('no-store')
})

test('logins ignore case, passwords do not', async () => {
  const asked = await server.as('AdminiStrator', 'a test password')('GET', me)
  expect(await asked.json()).toMatchObject({
    keyname: 'administrator',
    auth_medium: 'basic',
    auth_provider: 'local_pw',
  })
  expect((await server.as('administrator', 'A test password')('GET', me)).status).toBe(401)
})

test('wrong credentials are 401 even for public resources, with the same message for every login', async () => {
  const answers = []
  for (const login of ['administrator', 'nobody', 'guest', 'owner', ''])
    answers.push(await server.as(login, 'wrong')('GET', '/api/component/core/pkg_version'))
  const bodies = await Promise.all(answers.map((answer) => answer.json<ErrorBody>()))
  for (const [at, { request_id, ...rest }] of bodies.entries()) {
    expect(answers[at]?.status).toBe(401)
    expect(request_id).toBeTruthy()
    expect(rest).toEqual({
      title: 'Invalid credentials',
      message: 'Login or password is wrong.',
      exception: 'nextgisweb.auth.exception.InvalidCredentialsException',
      status_code: 401,
      data: {},
      code: 'auth/bad-credentials',
    })
  }
})

test('an invalid header is 400', async () => {
  for (const header of ['Basic', 'Basic %%%', `Basic ${btoa('no colon')}`, 'Digest x', 'x'])
    expect((await (await withHeader(header)).json<ErrorBody>()).code, header).toBe('auth/bad-header')
  expect((await withHeader('Bearer abc')).status).toBe(401)
})

test('umlauts, colons and percent signs in passwords work, percent-encoded or not', async () => {
  const { hashPassword } = await import('../../../src/server/auth/password.ts')
  const password = 'pä:ss 100%25'
  await createUser(server.database, 'umlaut')
  await server.database.query('update principal set password_hash = $1 where keyname = $2', [
    await hashPassword(password, testPasswordCost),
    'umlaut',
  ])
  for (const sent of [password, encodeURIComponent(password)])
    expect((await server.as('umlaut', sent)('GET', me)).status, sent).toBe(200)
})

test('a disabled user is reported only with the right password', async () => {
  await createUser(server.database, 'gone')
  await server.database.query("update principal set disabled = true where keyname = 'gone'")
  const right = await (await server.as('gone', userPassword)('GET', me)).json<ErrorBody>()
  const wrong = await (await server.as('gone', 'wrong')('GET', me)).json<ErrorBody>()
  expect([right.code, wrong.code]).toEqual(['auth/disabled', 'auth/bad-credentials'])
})

test('guessing is delayed for that login only', async () => {
  await createUser(server.database, 'victim')
  await guessConcurrently((at) => server.as('victim', `guess ${at}`)('GET', me))
  expect((await server.admin('GET', me)).status).toBe(200)
})

test('many concurrent requests with the same credentials all succeed', async () => {
  await createUser(server.database, 'busy')
  const ask = server.as('busy', userPassword)
  const answers = await Promise.all(Array.from({ length: 30 }, () => ask('GET', me)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
})
