import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { createExternalClient, type ExternalRequest } from '../../src/http/external_client.ts'
import {
  drip,
  neverAnswer,
  redirectTo,
  sendBody,
  sendBomb,
  sendEndless,
  stall,
} from '../support/misbehaving.ts'
import { type TestService, useService } from '../support/wms.ts'

const start = useService()
let service: TestService
beforeEach(async () => {
  service = await start()
  service.requests.length = 0
})

const client = createExternalClient({
  connectTimeoutMs: 5_000,
  allowsPrivate: ({ hostname }) => hostname === '127.0.0.1',
})
afterAll(client.close)

const running = new AbortController()
const requestOf = (path: string, more: Partial<ExternalRequest> = {}): ExternalRequest => ({
  url: new URL(path, service.url),
  timeoutMs: 60_000,
  limitBytes: 1_000_000,
  signal: running.signal,
  ...more,
})

const fetchText = (path: string, more: Partial<ExternalRequest> = {}) =>
  client.get(requestOf(path, more), ({ body }) => text(body))

const fault = (fetched: Promise<unknown>) => fetched.catch((error: unknown) => error)

describe('createExternalClient', () => {
  it('asks for the body as it is or in gzip, and decodes it', async () => {
    let accepted: string | undefined
    service.answer = ({ headers }, response) => {
      accepted = headers['accept-encoding']
      sendBody('text/plain', gzipSync('hello'), { encoding: 'gzip' })({} as never, response as never)
    }
    expect(await fetchText('/')).toBe('hello')
    expect(accepted).toBe('identity, gzip')
  })

  it('allows private networks by URL, of each redirect', async () => {
    service.answer = sendBody('text/plain', 'here')
    expect(await fetchText('/')).toBe('here')
    const other = service.url.replace('127.0.0.1', 'localhost')
    for (const target of [other, service.url.replace('127.0.0.1', '[::1]')]) {
      service.requests.length = 0
      service.answer = redirectTo(`${target}/secret`)
      expect(await fault(fetchText('/'))).toMatchObject({
        code: 'external/refused',
        data: { reason: 'private' },
      })
      expect(service.requests).toEqual(['GET /'])
    }
  })

  it('stops reading where the reader stops', async () => {
    const closed = new Promise((resolve) => {
      service.answer = (request, response) => {
        response.once('close', resolve)
        sendEndless('image/png')(request, response)
      }
    })
    const first = client.get(requestOf('/', { limitBytes: 1e12 }), async ({ body }) => {
      for await (const piece of body) return piece.length
    })
    expect(await first).toBeGreaterThan(0)
    await closed
  })

  it('uses connections again', async () => {
    const ports = new Set<number | undefined>()
    service.answer = ({ socket }, response) => {
      ports.add(socket.remotePort)
      response.end('x')
    }
    for (let count = 0; count < 10; count += 1) await fetchText('/')
    expect(ports.size).toBeLessThan(10)
  })

  it.each([
    ['never answers', neverAnswer],
    ['stops in the middle of the body', stall('text/plain', 'start')],
    ['sends small pieces without end', drip('text/plain')],
  ])('times out on a service that %s', async (_, answer) => {
    service.answer = answer
    const fetched = fetchText('/', { timeoutMs: 200, limitBytes: 1e12 })
    expect(await fault(fetched)).toMatchObject({ code: 'external/unreachable', data: { reason: 'timeout' } })
  })

  it.each([
    ['size', sendEndless('text/plain')],
    ['size', sendBomb('text/plain', 'gzip')],
    ['encoding', sendBody('text/plain', 'not compressed', { encoding: 'gzip' })],
    ['redirect', redirectTo('/again')],
    ['redirect', redirectTo('file:///etc/hostname')],
  ])('reports the reason %s', async (reason, answer) => {
    service.answer = answer
    expect(await fault(fetchText('/'))).toMatchObject({ code: 'external/answer', data: { reason } })
  })

  it('reports what the reader throws', async () => {
    service.answer = sendBody('text/plain', 'hello')
    const error = new Error('not what was expected')
    expect(await fault(client.get(requestOf('/'), () => Promise.reject(error)))).toBe(error)
  })

  it('aborts a running request', async () => {
    const stop = new AbortController()
    const closed = new Promise((resolve) => {
      service.answer = (_, response) => {
        once(response, 'close').then(resolve)
        stop.abort()
      }
    })
    expect(await fault(fetchText('/', { signal: stop.signal }))).toMatchObject({
      code: 'pipeline/interrupted',
    })
    await closed
  })
})
