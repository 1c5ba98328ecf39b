import { beforeAll, expect, test } from 'vitest'
import { groupBody, openBatchClient } from '../../support/batch.ts'
import { rule } from '../../support/resources.ts'
import { describeServers, type TestServer } from '../../support/server.ts'
import { createUser, principalId, userPassword } from '../../support/users.ts'

/** Requests that somebody sends at once. */
const many = 100

describeServers('who asks for much at once', (start) => {
  let server: TestServer
  beforeAll(async () => {
    server = await start()
    await createUser(server.database, 'greedy')
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

  test.each(['a user', 'guests'])('waits for his own, and others for one of his: %s', async (who) => {
    const greedy = who === 'guests' ? server.guest : server.as('greedy', userPassword)
    // Logged in, and compiled.
    await greedy('POST', '/api/component/resource/attr', work)
    await server.admin('GET', '/api/resource/0')
    let isDone = false
    const asked = Promise.all(
      Array.from(
        { length: many },
        async () => (await greedy('POST', '/api/component/resource/attr', work)).status,
      ),
    ).finally(() => {
      isDone = true
    })
    let reads = 0
    while (!isDone) {
      expect((await server.admin('GET', '/api/resource/0')).status).toBe(200)
      reads += 1
    }
    expect(await asked).toEqual(Array.from({ length: many }, () => 200))
    // In one queue with all of them, each statement of a read waits for one of every other request: at most 12 reads.
    expect(reads).toBeGreaterThan(many / 7)
  })
})
