import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createApp } from '../../../src/server/http/app.ts'
import { handlerOf } from '../../../src/server/routes/handlers.ts'
import { basic, type HotTree, makeHotTree } from '../../support/hot_tiles.ts'
import { captureLog } from '../../support/log.ts'
import { logIn } from '../../support/principals.ts'
import { type RawResponse, sendRawRequest } from '../../support/raw_request.ts'
import { adminPassword, startTestServer, type TestServer } from '../../support/server.ts'

const other = 'https://maps.example.org'

let server: TestServer
let tree: HotTree
let url: string
let closeApp: () => Promise<unknown>
/** Number of requests that the operations answered: only they authenticate. */
let byOperations = 0
let log: string[]

beforeAll(async () => {
  const captured = captureLog()
  log = captured.written
  server = await startTestServer('postgres', { corsOrigins: [other], log: captured.log })
  tree = await makeHotTree(server.admin)
  // A tile large enough to be compressed.
  const points = Array.from({ length: 200 }, (_, at) => ({
    geom: `POINT (${at * 7} ${at * 3})`,
    fields: { name: `point ${at}` },
  }))
  await server.admin('PATCH', `/api/resource/${tree.layer}/feature/`, points)
  const { context } = server.running
  const { authenticator } = context
  const counted = {
    ...authenticator,
    authenticate: (claims: Parameters<typeof authenticator.authenticate>[0]) => {
      byOperations += 1
      return authenticator.authenticate(claims)
    },
  }
  const app = createApp({ ...context, authenticator: counted }, handlerOf)
  await app.listen({ host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  closeApp = () => app.close()
})
afterAll(async () => {
  await closeApp?.()
  await server.stop()
})
beforeEach(() => {
  byOperations = 0
})

const administrator = basic('administrator', adminPassword)

type Headers = Record<string, string | string[]>

const ask = (path: string, headers: Headers, method = 'GET') => sendRawRequest(url, { method, path, headers })

/** What a client can compare: all but what differs in every response. */
function comparable({ status, headers: { date: _, 'x-request-id': id, ...headers }, text }: RawResponse) {
  expect(id).toMatch(/^[\w-]{8,64}$/)
  return { status, headers, text }
}

let unknown = 0

/** Asks twice for a URL that was answered before, then for the same tile with a URL that was not. */
async function askBoth(path: string, headers: Headers) {
  await ask(path, headers)
  const before = byOperations
  const quick = await ask(path, headers)
  const isQuick = byOperations === before
  unknown += 1
  const whole = await ask(`${path}${path.includes('?') ? '&' : '?'}unknown=${unknown}`, headers)
  expect(comparable(quick)).toEqual(comparable(whole))
  return { isQuick, status: quick.status, headers: quick.headers }
}

/** Asks until the answer is a quick one: a notification of an earlier change, which comes late, clears what is known. */
async function askQuick(path: string, headers: Headers) {
  for (;;) {
    const { isQuick, ...answer } = await askBoth(path, headers)
    if (isQuick) return answer
  }
}

const vector = () => `/api/component/feature_layer/mvt?z=0&x=0&y=0&resource=${tree.layer}`
const paths: readonly [string, () => string][] = [
  ['a vector tile', vector],
  ['a vector tile by its path', () => `/api/resource/${tree.layer}/0/0/0.mvt`],
  ['an empty vector tile', () => `/api/component/feature_layer/mvt?z=9&x=0&y=0&resource=${tree.layer}`],
  ['an image', () => `/api/component/render/tile?z=0&x=0&y=0&resource=${tree.style}`],
  ['an image of two', () => `/api/component/render/tile?z=0&x=0&y=0&resource=${tree.style},${tree.layer}`],
  ['an empty image', () => `/api/component/render/tile?z=9&x=0&y=0&nd=404&resource=${tree.style}`],
]

test.each(paths)('%s is answered again as at first', async (_title, path) => {
  for (const headers of [{}, { 'accept-encoding': 'gzip' }, { 'accept-encoding': 'br, gzip' }] as Headers[])
    for (const caller of [administrator, basic(tree.login)]) {
      const { headers: sent } = await askQuick(path(), { ...caller, ...headers })
      const known = await askQuick(path(), { ...caller, 'if-none-match': String(sent.etag) })
      expect([204, 304]).toContain(known.status)
    }
})

test('responses vary by the origin, and by what else they depend on', async () => {
  const path = `/api/component/render/tile?z=0&x=0&y=0&resource=${tree.style}`
  const cases = [
    [vector(), 'Accept-Encoding, Origin'],
    [path, 'Accept, Origin'],
    [`/api/resource/${tree.layer}`, 'Origin'],
    ['/nowhere', 'Origin'],
  ] as const
  for (const [url, vary] of cases)
    for (const origin of [{}, { origin: other }, { origin: 'https://elsewhere.example.org' }] as Headers[]) {
      const { headers } = await ask(url, { ...administrator, ...origin })
      expect(headers.vary).toBe(vary)
      expect(headers['access-control-allow-origin']).toBe(origin.origin === other ? other : undefined)
      const known = { ...administrator, ...origin, 'if-none-match': String(headers.etag) }
      expect((await ask(url, known)).headers.vary).toBe(vary)
    }
})

test('names of layers are those of the dialect', async () => {
  const tags = []
  for (const dialect of ['ngw', 'document']) {
    const { headers } = await askQuick(vector(), { ...administrator, 'x-api-dialect': dialect })
    tags.push(headers.etag)
  }
  expect(new Set(tags).size).toBe(2)
})

test('a client that accepts another image gets it', async () => {
  const path = `/api/component/render/tile?z=0&x=0&y=0&resource=${tree.style}`
  for (const type of ['image/png', 'image/webp']) {
    const { headers } = await askBoth(path, { ...administrator, accept: type })
    expect(headers['content-type']).toBe(type)
  }
})

test.each<[string, Headers, string?]>([
  ['from a page of another site', { origin: other }],
  ['with a body', { 'content-length': '0' }],
  ['for the head alone', {}, 'HEAD'],
])('a request %s is left to the operation', async (_title, headers, method) => {
  await ask(vector(), administrator)
  const before = byOperations
  const answer = await ask(vector(), { ...administrator, ...headers }, method)
  expect([answer.status, byOperations]).toEqual([200, before + 1])
  if (headers.origin !== undefined) expect(answer.headers['access-control-allow-origin']).toBe(other)
})

test('nobody gets a tile that only others may read', async () => {
  await ask(vector(), administrator)
  expect((await ask(vector(), {})).status).toBe(403)
  expect((await ask(vector(), basic('administrator', 'wrong'))).status).toBe(401)
})

test('a known caller beside another credential gets no answer for the other one', async () => {
  const cookie = await logIn(server.guest, 'administrator', adminPassword)
  await askQuick(vector(), { cookie })
  expect((await ask(vector(), { cookie, authorization: 'Bearer wrong' })).status).toBe(401)
  const authorization = [String(administrator.authorization), 'Bearer wrong']
  expect((await ask(vector(), { authorization })).json).toMatchObject({ code: 'auth/bad-header' })
})

test('the log has the same line for both', async () => {
  const headers = { ...administrator, 'x-request-id': 'quick-and-whole' }
  await ask(vector(), headers)
  log.length = 0
  await askBoth(vector(), headers)
  const lines = () => log.filter((line) => line.includes('"request"') && line.includes('quick-and-whole'))
  await expect.poll(() => lines().length).toBe(3)
  const facts = lines().map((line) => ({ ...JSON.parse(line), time: '', duration_ms: 0 }))
  expect(new Set(facts.map((one) => JSON.stringify(one))).size, JSON.stringify(facts)).toBe(1)
})
