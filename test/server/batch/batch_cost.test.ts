import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { maxBatchMetadata } from '../../../src/contract/routes/batch.ts'
import { type BatchClient, groupBody, openBatchClient } from '../../support/batch.ts'
import { drivers, openTestDatabase } from '../../support/drivers.ts'
import { rule } from '../../support/resources.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { observeStatements } from '../../support/statement_observer.ts'
import { createUser } from '../../support/users.ts'

describe.each(drivers)('the cost of a batch on %s', (driver) => {
  let server: TestServer
  let batch: BatchClient
  let statements: string[] = []
  let user: number
  beforeAll(async () => {
    const database = observeStatements(await openTestDatabase(driver), (text, isInside) => {
      if (isInside) statements.push(text)
    })
    server = await startTestServer(driver, { database })
    await server.running.cleaned
    batch = openBatchClient(server)
    user = await createUser(server.database, 'somebody')
  })
  afterAll(() => server.stop())

  const kinds: Record<string, (at: number, parent: number) => object> = {
    names: (at) => ({ resource: { display_name: `New ${at}`, keyname: `key-${at}` } }),
    metadata: (at) => ({ resmeta: { items: { a: at, b: null, c: 'x' } } }),
    rules: () => ({ resource: { permissions: [rule('allow resource.read', user)] } }),
    'rules that may lock out': () => ({ resource: { permissions: [rule('deny resource.read', user)] } }),
    owners: () => ({ resource: { owner_user: { id: user } } }),
    places: (_, parent) => ({ resource: { parent: { id: parent } } }),
  }

  /** Counts the statements in which so many resources are made, changed among creations, and deleted. */
  async function count(size: number, change: (at: number, parent: number) => object) {
    const creations = Array.from({ length: size }, (_, at) => ({
      op: 'create',
      body: groupBody(`Old ${at}`),
    }))
    const [parent, ...made] = await batch.run([{ op: 'create', body: groupBody('Parent') }, ...creations])
    if (parent === undefined) throw new Error('the batch has made no parent')
    statements = []
    const updates = made.flatMap(({ id }, at) => [
      { op: 'update', id, body: change(at, parent.id) },
      { op: 'create', body: groupBody(`Between ${at}`, parent.id) },
    ])
    const results = await batch.run(updates)
    const updateCount = statements.length
    expect(results.filter(({ version }) => version === 2)).toHaveLength(size)
    statements = []
    const others = results.filter(({ version }) => version === 1)
    await batch.run([...others, ...made, parent].map(({ id }) => ({ op: 'delete', id })))
    return { updates: updateCount, deletions: statements.length }
  }

  test.each(Object.keys(kinds))('does not depend on the number of operations: %s', async (kind) => {
    const change = kinds[kind]
    if (change === undefined) throw new Error('no such kind')
    expect(await count(200, change)).toEqual(await count(40, change))
  })

  test('is limited by the number of metadata keys', async () => {
    const items = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`k${at}`, at]))
    const operations = Array.from({ length: maxBatchMetadata / 1000 + 1 }, (_, at) => ({
      op: 'create',
      body: { ...groupBody(`Meta ${at}`), resmeta: { items } },
    }))
    const error = await batch.refuse(operations)
    expect([error.status, error.data.operation]).toEqual([422, maxBatchMetadata / 1000])
    expect(error.message).toContain(`${maxBatchMetadata} metadata keys`)
  })
})
