import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ErrorBody } from '../../../src/contract/bodies/error.ts'
import type { Queryable } from '../../../src/database/database.ts'
import { hashPassword } from '../../../src/server/auth/password.ts'
import { commitWhenAwaited } from '../../support/lock_wait.ts'
import { addUser, goodPassword, logIn, tokensPath, whoIs } from '../../support/principals.ts'
import {
  startTestServer,
  type TestResponse,
  type TestServer,
  testPasswordCost,
} from '../../support/server.ts'

const nextPassword = 'the next password'

let server: TestServer
let nextHash: string
beforeAll(async () => {
  server = await startTestServer('postgres')
  nextHash = await hashPassword(nextPassword, testPasswordCost)
})
afterAll(() => server.stop())

/** Changes the password of a user, as another process would that is not heard of yet. */
const change = (id: number) => (tx: Queryable) =>
  tx.query('update principal set password_hash = $2 where id = $1', [id, nextHash])

const codeOf = async (answer: TestResponse) => [answer.status, (await answer.json<Partial<ErrorBody>>()).code]

const refused = [401, 'auth/bad-credentials']

test('a login with the old password during the change starts no session', async () => {
  const { guest, database } = server
  const id = await addUser(server.admin, 'ada')
  const login = { login: 'ada', password: goodPassword }
  const answer = await commitWhenAwaited(database, change(id), () =>
    guest('POST', '/api/component/auth/login', login),
  )
  expect(await codeOf(answer)).toEqual(refused)
  expect(answer.headers.get('set-cookie')).toBeNull()
  expect(await database.query('select from session where user_id = $1', [id])).toEqual([])
  await logIn(guest, 'ada', nextPassword)
})

test('a caller authenticated with the old password cannot create a token', async () => {
  const { as, guest, database } = server
  const id = await addUser(server.admin, 'bob')
  const cookie = await logIn(guest, 'bob', goodPassword)
  const byPassword = as('bob', goodPassword)
  // Remembered from now on.
  expect([await whoIs(byPassword, {}), await whoIs(guest, { cookie })]).toEqual(['bob', 'bob'])
  const answers = await commitWhenAwaited(database, change(id), () =>
    Promise.all([
      byPassword('POST', tokensPath, { name: 'by password' }),
      guest('POST', tokensPath, { name: 'by session' }, { cookie }),
    ]),
  )
  for (const answer of answers) expect(await codeOf(answer)).toEqual(refused)
  expect(await database.query('select from token where user_id = $1', [id])).toEqual([])
})

test('a caller authenticated with the old password cannot change the password again', async () => {
  const { as, database } = server
  const id = await addUser(server.admin, 'carol')
  const body = { password: 'a password of a thief', old_password: goodPassword }
  const carol = as('carol', goodPassword)
  expect(await whoIs(carol, {})).toBe('carol')
  const answer = await commitWhenAwaited(database, change(id), () =>
    carol('PUT', '/api/component/auth/profile', body),
  )
  // Where it has waited decides what it is told.
  expect([401, 422]).toContain(answer.status)
  expect(await whoIs(as('carol', nextPassword), {})).toBe('carol')
})
