import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:net'
import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { workFor } from '../../../../src/database/turns.ts'
import {
  createExternalImages,
  type ExternalImages,
  imagePeriod,
  imageTtlMs,
} from '../../../../src/server/render/sources/external_images.ts'
import {
  drip,
  neverAnswer,
  pngStart,
  redirectTo,
  sendBody,
  sendBomb,
  sendEndless,
  sendHuge,
  stall,
  truncate,
} from '../../../support/misbehaving.ts'
import { useService } from '../../../support/wms.ts'

const startService = useService()
const startOther = useService()

const opened: ExternalImages[] = []
afterAll(() => Promise.all(opened.map((one) => one.close())))

const limits = { timeoutMs: 300, imageBytes: 2 ** 20, restMs: 60_000 }

/** A client that may reach the service of the test, and no other private address. */
async function open(given: object = {}) {
  const service = await startService()
  service.requests.length = 0
  const images = createExternalImages(({ origin }) => origin === service.url, { ...limits, ...given })
  opened.push(images)
  const get = (path: string, signal = new AbortController().signal, name = 'wms', resource = 1) =>
    images.get({
      ...{ service: `${service.url}/${name}`, resource },
      ...{ url: new URL(path, service.url), credentials: undefined, period: 'a', mayBeAbsent: false },
      signal,
    })
  return { service, images, get }
}

const sendLargeHeader: RequestListener = (_, response) =>
  response.writeHead(200, { 'x-large': 'x'.repeat(2 ** 20) }).end()

const image = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#102030' } })
  .jpeg()
  .toBuffer()

test.each([
  ['never responds', neverAnswer, 'external/unreachable', /did not respond within 0.3 seconds/],
  ['stops in the middle of an image', stall('image/png', 'x'), 'external/unreachable', /did not respond/],
  ['sends a byte at a time without end', drip('image/png'), 'external/unreachable', /did not respond/],
  ['states 10 GB', sendHuge('image/png', pngStart), 'external/answer', /exceeds 1048576 bytes/],
  ['sends without end', sendEndless('image/png', pngStart), 'external/answer', /exceeds 1048576 bytes/],
  ['sends a bomb', sendBomb('image/png', 'gzip', pngStart), 'external/answer', /exceeds 1048576 bytes/],
  ['closes the connection', truncate('image/png', pngStart), 'external/unreachable', /127\.0\.0\.1/],
  ['redirects to itself', redirectTo('/again'), 'external/answer', /redirected more than 5 times/],
  ['redirects to a file', redirectTo('file:///etc/passwd'), 'external/answer', /Cannot follow the redirect/],
] as const)('a service that %s is reported', async (_, answer, code, message) => {
  const { service, get } = await open({ timeoutMs: 3000, ...(code === 'external/unreachable' ? limits : {}) })
  service.answer = answer
  await expect(get('/image')).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
})

test('a service that redirects to a private address is refused', async () => {
  const other = await startOther()
  const { service, get } = await open()
  service.answer = redirectTo(`${other.url}/secret`)
  await expect(get('/image')).rejects.toMatchObject({ code: 'external/refused' })
  expect(other.requests).toEqual([])
})

test('a service that does not respond is not asked again for a while', async () => {
  const { service, get } = await open()
  service.answer = neverAnswer
  await expect(get('/first')).rejects.toMatchObject({ code: 'external/unreachable' })
  await expect(get('/second')).rejects.toMatchObject({ code: 'external/unreachable' })
  expect(service.requests).toEqual(['GET /first'])
})

test.each([
  ['does not respond', neverAnswer],
  ['sends too large headers', sendLargeHeader],
  ['closes the connection', truncate('image/png', pngStart)],
])('a service that %s does not affect another of its host, and its path is not shown', async (_, answer) => {
  const { service, get } = await open()
  const { signal } = new AbortController()
  service.answer = answer
  const failed = await get('/secret-key/wms', signal, 'secret-key').catch((error: unknown) => error)
  expect(failed).toMatchObject({ code: 'external/unreachable' })
  expect(String(failed)).not.toContain('secret-key')
  service.answer = sendBody('image/jpeg', image)
  expect(await get('/image', signal, 'other')).toMatchObject({ width: 8 })
})

test.each([
  ['layer', { first: () => 1, other: 2, caller: 'a' }],
  ['caller', { first: (at: number) => at, other: 100, caller: 'b' }],
] as const)(
  'slow images leave requests to the same host for another %s',
  async (_, { first, other, caller }) => {
    const { service, get } = await open({ timeoutMs: 60_000 })
    const released = Promise.withResolvers<void>()
    const answer = sendBody('image/jpeg', image)
    service.answer = async (request, response) => {
      if (request.url?.startsWith('/slow')) await released.promise
      answer(request, response)
    }
    const getFor = (name: string, path: string, resource: number) =>
      workFor({ name, statementMs: { pglite: 0, postgres: 0 } }, () => get(path, undefined, 'wms', resource))
    const slow = Promise.all(Array.from({ length: 10 }, (_, at) => getFor('a', `/slow/${at}`, first(at))))
    expect(await getFor(caller, '/fast', other)).toMatchObject({ width: 8 })
    released.resolve()
    expect(await slow).toHaveLength(10)
  },
)

test('a host that cannot be reached is not asked again for a while, by any of its services', async () => {
  const images = createExternalImages(() => true, limits)
  opened.push(images)
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  const get = (name: string) => {
    const url = new URL(`http://127.0.0.1:${port}/${name}`)
    const request = {
      url,
      service: url.href,
      resource: 1,
      credentials: undefined,
      period: 'a',
      mayBeAbsent: false,
    }
    return images.get({ ...request, signal: new AbortController().signal }).catch((error: unknown) => error)
  }
  const first = await get('first')
  expect(first).toMatchObject({ message: `Cannot reach http://127.0.0.1:${port}: connection refused.` })
  expect(await get('second')).toBe(first)
})

test('images are cached for a period, and those that fail are not', async () => {
  const { service, images, get } = await open()
  service.answer = sendBody('image/png', '', { status: 500 })
  await expect(get('/image')).rejects.toMatchObject({ code: 'external/answer' })
  service.answer = sendBody('application/octet-stream', image)
  expect(await get('/image')).toMatchObject({ width: 8, height: 8 })
  await get('/image')
  expect(service.requests).toHaveLength(2)
  const url = new URL('/image', service.url)
  const request = { url, service: service.url, resource: 1, credentials: undefined, mayBeAbsent: false }
  await images.get({ ...request, period: 'b', signal: new AbortController().signal })
  expect(service.requests).toHaveLength(3)
})

test('a request ends when its client goes away', async () => {
  const { service, get } = await open({ timeoutMs: 60_000 })
  const client = new AbortController()
  const closed = Promise.withResolvers<void>()
  service.answer = (request) => {
    request.socket.once('close', () => closed.resolve())
    client.abort(new Error('gone'))
  }
  await expect(get('/image', client.signal)).rejects.toThrow('gone')
  await closed.promise
})

test('a period lasts as long as the time to live, and begins at a time of the resource', () => {
  const begins = (id: number) =>
    Array.from({ length: 20 }, (_, at) => (at * imageTtlMs) / 20).findIndex(
      (ms) => imagePeriod(id, ms) !== imagePeriod(id, 0),
    )
  expect([0, imageTtlMs, 5 * imageTtlMs].map((ms) => imagePeriod(7, ms))).toEqual(['7/0', '7/1', '7/5'])
  expect(new Set([1, 20, 40, 60].map(begins)).size).toBeGreaterThan(1)
})
