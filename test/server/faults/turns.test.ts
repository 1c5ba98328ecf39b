import { beforeAll, expect, test } from 'vitest'
import type { Database } from '../../../src/database/database.ts'
import { groupBody, openBatchClient } from '../../support/batch.ts'
import { untilAwaited } from '../../support/lock_wait.ts'
import { rule } from '../../support/resources.ts'
import { describeServers, type TestServer } from '../../support/server.ts'
import { createUser, principalId, userPassword } from '../../support/users.ts'

/** Requests that somebody sends at once. */
const many = 100

describeServers('a caller with many concurrent requests', (start) => {
  let server: TestServer
  beforeAll(async () => {
    server = await start()
    for (const name of ['greedy', 'new a user', 'new guests']) await createUser(server.database, name)
    const principal = await principalId(server.database, 'authenticated')
    const guest = await principalId(server.database, 'guest')
    const groups = Array.from({ length: 50 }, (_, at) => ({ op: 'create', body: groupBody(`Group ${at}`) }))
    await openBatchClient(server).run(groups)
    const root = await (await server.admin('GET', '/api/resource/0')).json<{
      resource: { permissions: object[] }
    }>()
    const open = [principal, guest].map((id) => rule('allow resource.read', id))
    const permissions = [...root.resource.permissions, ...open]
    expect((await server.admin('PUT', '/api/resource/0', { resource: { permissions } })).status).toBe(200)
  })

  const attributes = ['resource.parents', 'resource.is_deletable']
  const work = { resources: { type: 'search' }, attributes: attributes.map((name) => [name]) }

  test.each(['a user', 'guests'])(
    'waits for its own requests, and delays others by one of them: %s',
    async (who) => {
      const greedy = who === 'guests' ? server.guest : server.as('greedy', userPassword)
      // Logged in, and compiled.
      await greedy('POST', '/api/component/resource/attr', work)
      await server.admin('GET', '/api/resource/0')
      let answered = 0
      const ask = () =>
        Promise.all(
          Array.from({ length: many }, async () => {
            const { status } = await greedy('POST', '/api/component/resource/attr', work)
            answered += 1
            return status
          }),
        )
      const read = async (client = server.admin) =>
        expect((await client('GET', '/api/resource/0')).status).toBe(200)
      const { database } = server
      const statuses =
        database.driver === 'postgres' ? await readWhileBlocked(database) : await readMeanwhile()
      expect(statuses).toEqual(Array.from({ length: many }, () => 200))

      /** Several connections: while the requests wait for a lock, all of them, a connection is left for others. */
      async function readWhileBlocked(of: Database) {
        let asked: Promise<number[]> | undefined
        let late: Promise<void> | undefined
        await of.transaction(async (tx) => {
          await tx.query('lock table layer_field in access exclusive mode')
          asked = ask()
          await untilAwaited(of)
          // What several read together is read in nobody's turn.
          late = read(greedy)
          for (let reads = 0; reads < 3; reads += 1) await read()
          // Nobody knows this user yet, and the requests come from the same network.
          await read(server.as(`new ${who}`, userPassword))
          const form = { login: `new ${who}`, password: userPassword }
          expect((await server.guest('POST', '/api/component/auth/login', form)).status).toBe(200)
          expect(answered).toBe(0)
        })
        await late
        return asked
      }

      /** One connection: in one queue with all of them, each statement of a read would wait for one of every other. */
      async function readMeanwhile() {
        let reads = 0
        let isDone = false
        const asked = ask().finally(() => {
          isDone = true
        })
        while (!isDone) {
          await read()
          reads += 1
        }
        expect(reads).toBeGreaterThan(many / 2)
        return asked
      }
    },
  )
})
