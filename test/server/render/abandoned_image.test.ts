import { afterAll, expect, test } from 'vitest'
import { createTestLayer } from '../../support/layers.ts'
import { untilAwaited } from '../../support/lock_wait.ts'
import { startTestServer } from '../../support/server.ts'

const server = await startTestServer('postgres')
afterAll(() => server.stop())

/** Counts the queries that wait for a table. */
const countReads = async (table: string) => {
  const [row] = await server.database.query<{ count: number }>(
    'select count(*)::int as count from pg_locks where relation = to_regclass($1) and not granted',
    [table],
  )
  return row?.count
}

test.each([
  'render/tile?cache=true',
  'render/tile?cache=false',
  'feature_layer/mvt?simplification=8',
  'feature_layer/mvt?simplification=0',
])('a client that goes away ends the query for %s', async (route) => {
  const id = await createTestLayer(server.database, {
    name: `abandoned ${route}`,
    geometryType: 'POLYGON',
    fields: {},
  })
  const geom = 'POLYGON((0 0,1000000 0,0 1000000,0 0))'
  await server.admin('PATCH', `/api/resource/${id}/feature/`, [{ geom }])
  const [layer] = await server.database.query<{ name: string }>(
    'select table_name as name from layer where resource_id = $1',
    [id],
  )
  const client = new AbortController()
  const path = `/api/component/${route}&z=0&x=0&y=0&resource=${id}`
  await server.database.transaction(async (tx) => {
    await tx.query(`lock table "${layer?.name}" in access exclusive mode`)
    const headers = {
      authorization: `Basic ${Buffer.from('administrator:a test password').toString('base64')}`,
    }
    const answer = fetch(server.url + path, { signal: client.signal, headers })
    answer.catch(() => undefined)
    await untilAwaited(server.database)
    const countOwn = () => countReads(layer?.name ?? '')
    expect(await countOwn()).toBe(1)
    client.abort()
    await expect(answer).rejects.toThrow()
    await expect.poll(countOwn, { interval: 10 }).toBe(0)
  })
  expect((await server.admin('GET', path)).status).toBe(200)
})
