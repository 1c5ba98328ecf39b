import { afterAll, expect, test } from 'vitest'
import { createTestLayer } from '../../support/layers.ts'
import { untilAwaited } from '../../support/lock_wait.ts'
import { startTestServer } from '../../support/server.ts'

const server = await startTestServer('postgres')
afterAll(() => server.stop())

/** Creates a layer with a triangle; returns its id and its table. */
async function createTriangle(name: string) {
  const id = await createTestLayer(server.database, { name, geometryType: 'POLYGON', fields: {} })
  const geom = 'POLYGON((0 0,1000000 0,0 1000000,0 0))'
  await server.admin('PATCH', `/api/resource/${id}/feature/`, [{ geom }])
  const [layer] = await server.database.query<{ name: string }>(
    'select table_name as name from layer where resource_id = $1',
    [id],
  )
  return { id, table: layer?.name ?? '' }
}

const headers = {
  authorization: `Basic ${Buffer.from('administrator:a test password').toString('base64')}`,
}

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
  const { id, table } = await createTriangle(`abandoned ${route}`)
  const client = new AbortController()
  const path = `/api/component/${route}&z=0&x=0&y=0&resource=${id}`
  await server.database.transaction(async (tx) => {
    await tx.query(`lock table "${table}" in access exclusive mode`)
    const answer = fetch(server.url + path, { signal: client.signal, headers })
    answer.catch(() => undefined)
    await untilAwaited(server.database)
    const countOwn = () => countReads(table)
    expect(await countOwn()).toBe(1)
    client.abort()
    await expect(answer).rejects.toThrow()
    await expect.poll(countOwn, { interval: 10 }).toBe(0)
  })
  expect((await server.admin('GET', path)).status).toBe(200)
})

/** More than the connections that the requests of an account may use. */
const many = 24

test('images and tiles that wait for a table do not delay edits of the same account', async () => {
  const [slow, other] = [await createTriangle('slow'), await createTriangle('edited')]
  const client = new AbortController()
  await server.database.transaction(async (tx) => {
    await tx.query(`lock table "${slow.table}" in access exclusive mode`)
    const paths = Array.from({ length: many }, (_, at) => [
      `feature_layer/mvt?z=5&x=16&y=15&resource=${slow.id}&extent=${1000 + at}`,
      `render/image?resource=${slow.id}&extent=0,0,${1000 + at},${1000 + at}&size=256,256`,
    ])
    const answers = paths
      .flat()
      .map((path) => fetch(`${server.url}/api/component/${path}`, { signal: client.signal, headers }))
    for (const answer of answers) answer.catch(() => undefined)
    await expect.poll(() => countReads(slow.table), { interval: 10 }).toBeGreaterThan(5)
    const edit = [{ geom: 'POLYGON((0 0,1 0,0 1,0 0))' }]
    expect((await server.admin('PATCH', `/api/resource/${other.id}/feature/`, edit)).status).toBe(200)
    client.abort()
    await Promise.allSettled(answers)
  })
})

test('an image reads a style that it lists a hundred times once', async () => {
  const { id, table } = await createTriangle('repeated')
  const path = `/api/component/render/image?extent=0,0,1000000,1000000&size=64,64&resource=`
  let image: Promise<Response> | undefined
  await server.database.transaction(async (tx) => {
    await tx.query(`lock table "${table}" in access exclusive mode`)
    image = fetch(server.url + path + Array(100).fill(id).join(','), { headers })
    await untilAwaited(server.database)
    expect(await countReads(table)).toBe(1)
  })
  expect((await image)?.status).toBe(200)
})
