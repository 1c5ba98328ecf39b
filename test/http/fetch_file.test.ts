import { beforeEach, describe, expect, it } from 'vitest'
import { type FetchRequest, fetchExternal } from '../../src/http/fetch_file.ts'
import { type TestService, useService } from '../support/wms.ts'

const start = useService()
let service: TestService
beforeEach(async () => {
  service = await start()
  service.requests.length = 0
})

const fetchAt = (path: string, more: Partial<FetchRequest> = {}) =>
  fetchExternal({
    url: new URL(path, service.url),
    timeoutMs: 5_000,
    limitBytes: 1_000,
    allowPrivate: true,
    signal: new AbortController().signal,
    ...more,
  })

const fault = (asked: Promise<unknown>) => asked.catch((error: unknown) => error)

describe('fetching from a service that a user has configured', () => {
  it('returns status, type and body of any response', async () => {
    service.answer = (_, response) => {
      response.writeHead(404, { 'content-type': 'text/x; charset=a' }).end('gone')
    }
    const { status, contentType, body } = await fetchAt('/a?b=c')
    expect([status, contentType, body.toString()]).toEqual([404, 'text/x; charset=a', 'gone'])
    expect(service.requests).toEqual(['GET /a?b=c'])
  })

  it('follows redirects, and sends the credentials to the same server', async () => {
    service.answer = ({ url }, response) => {
      if (url === '/end') response.end('end')
      else response.writeHead(302, { location: url === '/a' ? '/b' : 'end' }).end()
    }
    const credentials = { login: 'ann', password: 'sesame' }
    expect((await fetchAt('/a', { credentials })).body.toString()).toBe('end')
    const basic = `Basic ${btoa('ann:sesame')}`
    expect(service.requests).toEqual(['/a', '/b', '/end'].map((path) => `GET ${path} ${basic}`))
  })

  it('does not send the credentials to other servers', async () => {
    const there = service.url.replace('127.0.0.1', 'localhost')
    service.answer = ({ url }, response) => {
      if (url === '/end') response.end('end')
      else response.writeHead(307, { location: `${there}/end` }).end()
    }
    await fetchAt('/a', { credentials: { login: 'ann', password: 'sesame' } })
    expect(service.requests.at(-1)).toBe('GET /end')
  })

  it('refuses redirect loops and redirects to files', async () => {
    service.answer = (_, response) => response.writeHead(302, { location: '/again' }).end()
    expect(await fault(fetchAt('/a'))).toMatchObject({
      code: 'external/answer',
      message: expect.stringContaining('redirected more than 5 times'),
    })
    service.answer = (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end()
    expect(await fault(fetchAt('/a'))).toMatchObject({ code: 'external/answer' })
  })

  it('aborts a response that is too large', async () => {
    service.answer = (_, response) => response.end('x'.repeat(1_001))
    expect(await fault(fetchAt('/a'))).toMatchObject({
      code: 'external/answer',
      message: expect.stringContaining('exceeds 1000 bytes'),
    })
  })

  it('times out on a response that takes too long, even if bytes keep arriving', async () => {
    service.answer = (_, response) => {
      const drip = () => {
        if (!response.destroyed) response.write('x', () => setImmediate(drip))
      }
      drip()
    }
    const limitBytes = Number.POSITIVE_INFINITY
    expect(await fault(fetchAt('/a', { timeoutMs: 200, limitBytes }))).toMatchObject({
      code: 'external/unreachable',
      message: expect.stringContaining('did not respond within 0.2 seconds'),
    })
  })

  it('reports why a server is unreachable', async () => {
    const url = new URL('http://127.0.0.1:9/')
    expect(await fault(fetchAt('/', { url }))).toMatchObject({
      code: 'external/unreachable',
      message: 'Cannot reach http://127.0.0.1:9: connection refused.',
    })
  })

  it.each(['http://127.0.0.1:PORT/', 'http://localhost:PORT/', 'http://[::1]:PORT/', 'http://0x7f.1:PORT/'])(
    'does not connect to %s if private networks are not allowed',
    async (template) => {
      const url = new URL(template.replace('PORT', new URL(service.url).port))
      expect(await fault(fetchAt('/', { url, allowPrivate: false }))).toMatchObject({
        code: 'external/refused',
        status: 422,
      })
      expect(service.requests).toEqual([])
    },
  )

  it('reports an interruption', async () => {
    const stop = new AbortController()
    service.answer = () => stop.abort()
    expect(await fault(fetchAt('/a', { signal: stop.signal }))).toMatchObject({
      code: 'pipeline/interrupted',
    })
  })
})
