import { type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureFeatureTable } from '../../../src/store/layer/layer_table.ts'
import { lockLayer } from '../../../src/store/layer/stored_layer.ts'
import { oneDriver, openTestDatabase } from '../../support/drivers.ts'
import { createTestLayer } from '../../support/layers.ts'
import { adminPassword, startTestServer, type TestServer } from '../../support/server.ts'

const count = 20_000
const textLength = 1000

/** A layer whose list is about 20 MB: more than sockets and memory of the spool take. */
async function createGreatLayer(server: TestServer, name: string): Promise<string> {
  const fields = { s: 'STRING' } as const
  const id = await createTestLayer(server.database, { name, geometryType: 'POINT', srs: 4326, fields })
  await server.database.transaction(async (tx) => {
    const layer = await lockLayer(tx, id)
    if (layer === undefined) throw new Error('the layer is not there')
    const { tableName, fields: made } = await ensureFeatureTable(tx, layer)
    await tx.query(
      `insert into ${tableName} (geom, ${made[0]?.columnName})
       select ST_SetSRID(ST_MakePoint(n / 1000.0, 0), 4326), repeat('x', ${textLength}) from generate_series(1, ${count}) n`,
    )
  })
  return `/api/resource/${id}/feature/`
}

/** Sends a GET and gives the answer before any of its body was read. */
function open(server: TestServer, path: string): Promise<IncomingMessage> {
  const token = Buffer.from(`administrator:${adminPassword}`).toString('base64')
  const headers = { authorization: `Basic ${token}` }
  return new Promise((resolve, reject) => {
    request(server.url + path, { headers, agent: false }, resolve)
      .on('error', reject)
      .end()
  })
}

async function readRest(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** Few connections, and as long a wait for them as a busy machine may need. */
const pool = { poolSize: 3, connectTimeoutMs: 120_000 }

describe.each(oneDriver)('a list with a slow reader on %s', (driver) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer(driver, { database: await openTestDatabase(driver, pool) })
  })
  afterAll(() => server.stop())

  test('does not block other requests or hold a connection, and arrives completely', async () => {
    const path = await createGreatLayer(server, 'slow')
    // More readers than there are connections, and none of them reads.
    const readers = pool.poolSize + 1
    const answers = await Promise.all(Array.from({ length: readers }, () => open(server, path)))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 200))
    const one = await server.admin('POST', path, { fields: { s: 'new' } })
    expect(await one.json()).toEqual({ id: count + 1 })
    expect((await server.admin('GET', `${path}${count + 1}`)).status).toBe(200)
    // All of the lists were read from the database before the new feature came, or after it, but whole.
    for (const answer of answers) {
      const features = JSON.parse(await readRest(answer)) as { id: number; fields: { s: string } }[]
      expect([count, count + 1]).toContain(features.length)
      expect(
        features.slice(0, count).every(({ id, fields }, at) => id === at + 1 && fields.s.length > 999),
      ).toBe(true)
    }
  })

  test('is terminated on an error, so that clients detect the truncation', async () => {
    const path = await createGreatLayer(server, 'broken')
    const [row] = await server.database.query<{ table: string }>(
      'select table_name as table from layer where resource_id = $1::int',
      [Number(path.split('/')[3])],
    )
    // Beyond the pole, which has no place in the reference system that is asked for.
    await server.database.query(
      `update ${row?.table} set geom = ST_SetSRID(ST_MakePoint(0, 91), 4326) where id = ${count}`,
    )
    const answer = await open(server, `${path}?srs=3857`)
    expect(answer.statusCode).toBe(200)
    const end = await readRest(answer).then(
      () => 'whole',
      (error: Error) => error.message,
    )
    expect(end).toBe('aborted')
    expect((await server.admin('GET', `${path}?limit=1`)).status).toBe(200)
  })
})
