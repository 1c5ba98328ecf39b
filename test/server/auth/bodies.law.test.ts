import fc from 'fast-check'
import { afterAll, beforeAll, test } from 'vitest'
import { addUser, goodPassword, groupsPath, mePath, tokensPath, usersPath } from '../../support/principals.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

const run = { seed: 20_241_121, numRuns: process.env.LANDFORM_SOAK ? 20_000 : 400 }

let server: TestServer
beforeAll(async () => {
  server = await startTestServer('postgres')
  await addUser(server.admin, 'ada')
})
afterAll(() => server.stop())

/** Values that some member of some body may take, and many that none may. */
const value = fc.oneof(
  fc.constantFrom(
    null,
    true,
    false,
    '',
    0,
    -1,
    4,
    5,
    6,
    1e300,
    2 ** 31,
    2 ** 53,
    'administrator',
    '\u0000',
    '\ud800',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('2999-01-01', '9999-12-31T23:59:59+14:00', '2999-02-30', '-1', 'x'.repeat(300)),
  fc.array(fc.constantFrom(1, 2, 5, 6, -1, 1e300, 999_999), { maxLength: 4 }),
  fc.record({ id: fc.constantFrom(1, 6, 1e300, 'x', null) }),
  fc.jsonValue({ maxDepth: 2 }),
)
const members = ['keyname', 'display_name', 'description', 'language', 'disabled', 'member_of', 'members']
const more = [
  'add_members',
  'remove_members',
  'name',
  'expires',
  'user',
  'login',
  'old_password',
  'id',
  'system',
]
const body = fc.oneof(
  { weight: 9, arbitrary: fc.dictionary(fc.constantFrom(...members, ...more), value, { maxKeys: 5 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
)
const id = fc.constantFrom(
  '1',
  '4',
  '5',
  '6',
  '7',
  '0',
  '999999',
  '2147483648',
  '99999999999999999999',
  'x',
  '-1',
)
const asked = fc.oneof(
  fc.tuple(
    fc.constantFrom('POST', 'PUT', 'GET', 'DELETE'),
    fc.constantFrom(usersPath, groupsPath, tokensPath),
  ),
  fc.tuple(
    // Deleting is left to tokens: who asks here is a user, and a group.
    fc.constantFrom('PUT', 'GET'),
    fc.tuple(fc.constantFrom(usersPath, groupsPath), id).map(([path, one]) => path + one),
  ),
  fc.tuple(
    fc.constantFrom('DELETE', 'GET'),
    id.map((one) => tokensPath + one),
  ),
  fc.tuple(
    fc.constantFrom('PUT', 'POST'),
    fc.constantFrom('/api/component/auth/profile', '/api/component/auth/login', '/api/component/auth/logout'),
  ),
)

test('no request causes an internal error, and the administrator can still sign in', {
  timeout: 600_000,
}, async () => {
  const property = fc.asyncProperty(asked, body, async ([method, path], sent) => {
    // Another name is no fault: only nobody would come in by the old one.
    const renames = typeof sent === 'object' && sent !== null && 'keyname' in sent
    fc.pre(!(renames && path === `${usersPath}6`))
    const ask = path.endsWith('/profile') ? server.as('ada', goodPassword) : server.admin
    const answer = await ask(method, path, method === 'GET' ? undefined : sent)
    const text = await answer.text()
    if (answer.status >= 500) throw new Error(`${method} ${path} ${answer.status} ${text}`)
    if ((await server.admin('GET', mePath)).status !== 200) throw new Error('the administrator is locked out')
  })
  await fc.assert(property, run)
})
