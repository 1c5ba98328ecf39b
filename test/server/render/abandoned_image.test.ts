import { afterAll, expect, test } from 'vitest'
import { createTestLayer } from '../../support/layers.ts'
import { untilAwaited } from '../../support/lock_wait.ts'
import { startTestServer } from '../../support/server.ts'

const server = await startTestServer('postgres')
afterAll(() => server.stop())

const countReads = async () => {
  const [row] = await server.database.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%ST\\_AsTWKB%'`,
  )
  return row?.count
}

test.each(['cache=true', 'cache=false'])(
  'a client that goes away ends the query for its image with %s',
  async (cache) => {
    const id = await createTestLayer(server.database, {
      name: `abandoned ${cache}`,
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
    const path = `/api/component/render/tile?z=0&x=0&y=0&resource=${id}&${cache}`
    await server.database.transaction(async (tx) => {
      await tx.query(`lock table "${layer?.name}" in access exclusive mode`)
      const headers = {
        authorization: `Basic ${Buffer.from('administrator:a test password').toString('base64')}`,
      }
      const answer = fetch(server.url + path, { signal: client.signal, headers })
      answer.catch(() => undefined)
      await untilAwaited(server.database)
      expect(await countReads()).toBe(1)
      client.abort()
      await expect(answer).rejects.toThrow()
      await expect.poll(countReads, { interval: 10, timeout: 60_000 }).toBe(0)
    })
    expect((await server.admin('GET', path)).status).toBe(200)
  },
)
