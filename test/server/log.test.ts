import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { captureLog } from '../support/log.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const { log, written } = captureLog()

let server: TestServer
beforeAll(async () => {
  server = await startTestServer('postgres', { log })
})
afterAll(() => server.stop())

interface Line {
  readonly level: string
  readonly time: string
  readonly message: string
  readonly [fact: string]: unknown
}

const linesOf = (requestId: string): Line[] =>
  written
    .join('')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
    .filter(({ request_id }) => request_id === requestId)

/** Asks, and gives the log's lines of the request. The next answer comes after they are written. */
const logged = async (id: string, ask: (headers: Record<string, string>) => Promise<unknown>) => {
  await ask({ 'x-request-id': id })
  await server.guest('GET', '/healthz')
  return linesOf(id)
}

test('a request has one line, with the path of its operation', async () => {
  const lines = await logged('request-read', (headers) =>
    server.admin('GET', '/api/resource/0?secret=hunter2', undefined, headers),
  )
  expect(lines).toEqual([
    {
      level: 'info',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      message: 'request',
      method: 'GET',
      path: '/api/resource/{id}',
      status: 200,
      duration_ms: expect.any(Number),
      user: 'administrator',
      request_id: 'request-read',
      bytes: expect.any(Number),
    },
  ])
  expect(lines[0]?.bytes).toBeGreaterThan(100)
})

test('streams are logged with their size, unknown paths as one path, and failed logins without the name', async () => {
  const [tree] = await logged('request-tree', async (headers) =>
    (await server.admin('GET', '/api/component/landform/tree', undefined, headers)).text(),
  )
  expect(tree).toMatchObject({ path: '/api/component/landform/tree', status: 200 })
  expect(tree?.bytes).toBeGreaterThan(200)
  const [unknown] = await logged('request-none', (headers) =>
    server.guest('GET', '/api/wrong', undefined, headers),
  )
  expect(unknown).toMatchObject({ path: 'unknown', status: 404, user: null })
  const [wrong] = await logged('request-wrong', (headers) =>
    server.as('administrator', 'not it')('GET', '/api/resource/0', undefined, headers),
  )
  expect(wrong).toMatchObject({ status: 401, user: null })
})

test('internal errors are logged with all details', async () => {
  await server.database.query('alter table resmeta rename to resmeta_gone')
  const lines = await logged('request-fail', (headers) =>
    server.admin('GET', '/api/resource/0', undefined, headers),
  )
  await server.database.query('alter table resmeta_gone rename to resmeta')
  expect(lines.map(({ level, message }) => [level, message])).toEqual([
    ['error', 'request failed'],
    ['info', 'request'],
  ])
  expect(JSON.stringify(lines[0]?.error)).toContain('resmeta')
})

test('a client that disconnects during an upload is not logged as an error of the server', async () => {
  const lines = await logged('request-gone', async (headers) => {
    const path = `${server.url}/api/component/file_upload/`
    const sent = request(path, { method: 'PUT', headers: { ...headers, 'content-length': 500_000 } })
    const { promise: gone, resolve } = Promise.withResolvers<void>()
    sent.once('error', () => undefined)
    sent.once('close', resolve)
    sent.write(Buffer.alloc(100_000), () => sent.destroy())
    await gone
    // The next request is answered after the server has seen the end of this one.
    await server.guest('PUT', '/api/component/file_upload/', 'after')
  })
  expect(lines.filter(({ level }) => level !== 'info')).toEqual([])
})

test('a secret never reaches the log, in any field of a line', () => {
  const facts = { secret: 'hunter2', user: { password: 'hunter2' }, headers: { authorization: 'hunter2' } }
  log.info(facts, 'with secrets')
  log.child({ token: 'hunter2', request: facts }).error({ error: new Error('plain') }, 'with secrets')
  const text = written.join('')
  for (const secret of [
    'hunter2',
    'a test password',
    'not it',
    'Basic',
    btoa('administrator:a test password'),
  ])
    expect(text).not.toContain(secret)
  expect(text).toContain('with secrets')
})
