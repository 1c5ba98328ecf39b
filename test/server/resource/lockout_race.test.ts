import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ErrorBody } from '../../../src/contract/bodies/error.ts'
import { lockPrincipals } from '../../../src/store/auth/principal_change.ts'
import { commitWhenAwaited } from '../../support/lock_wait.ts'
import { addUser, groupsPath } from '../../support/principals.ts'
import { createGroup, rule } from '../../support/resources.ts'
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts'
import { principalId } from '../../support/users.ts'

let server: TestServer
let [administrators, first, second, group] = [0, 0, 0, 0]
let made = 0

beforeAll(async () => {
  server = await startTestServer('postgres')
  administrators = await principalId(server.database, 'administrators')
  first = await principalId(server.database, 'administrator')
})
afterAll(() => server.stop())

/** Each test has a second administrator, and a group of its own. */
beforeEach(async () => {
  made += 1
  second = await addUser(server.admin, `second${made}`, { member_of: [administrators] })
  group = await createGroup(server.admin, 0, { display_name: `Group ${made}` })
})

afterEach(async () => {
  const { database, running } = server
  await database.query('delete from rule where resource_id <> 0')
  await database.query('delete from membership where user_id <> $1', [first])
  await database.query('update permission_epoch set value = value + 1')
  running.context.authenticator.forget()
})

const codeOf = async (answer: TestResponse) => [answer.status, (await answer.json<Partial<ErrorBody>>()).code]

test('a deny for one administrator waits for the removal of the other, and is then refused', async () => {
  const { admin, database } = server
  const answer = await commitWhenAwaited(
    database,
    async (tx) => {
      await lockPrincipals(tx)
      await tx.query('delete from membership where user_id = $1', [second])
    },
    () => admin('PUT', `/api/resource/${group}`, { resource: { permissions: [rule('deny', first)] } }),
  )
  expect(await codeOf(answer)).toEqual([422, 'request/invalid'])
})

test('the removal of an administrator waits for a deny for the other, and is then refused', async () => {
  const { admin, database } = server
  const answer = await commitWhenAwaited(
    database,
    async (tx) => {
      await lockPrincipals(tx)
      await tx.query(
        `insert into rule (resource_id, action, principal_id, identity, scope, permission, propagate)
         values ($1, 'deny', $2, '', '', '', true)`,
        [group, first],
      )
    },
    () => admin('PUT', groupsPath + administrators, { remove_members: [second] }),
  )
  expect(await codeOf(answer)).toEqual([409, 'principal/last-administrator'])
})

test('of two concurrent denies for one administrator each, one is accepted', async () => {
  const { admin, database } = server
  const inner = await createGroup(admin, group, { display_name: 'Inner' })
  const deny = (id: number, user: number) => {
    const permissions = [rule('deny resource.change_permissions', user)]
    return admin('PUT', `/api/resource/${id}`, { resource: { permissions } })
  }
  const answers = await commitWhenAwaited(database, lockPrincipals, () =>
    Promise.all([deny(group, second), deny(inner, first)]),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
})
