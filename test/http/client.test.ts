import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { Problem } from '../../src/core/problem.ts'
import { createHttpClient, type HttpClient, parseServerUrl } from '../../src/http/client.ts'
import { parseRetryAfter } from '../../src/http/retry.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

const quick = { times: 3, firstDelayMs: 1, maxDelayMs: 5 }

describe('an HTTP client', () => {
  it('retries a GET to a busy server, and returns the last response', async () => {
    const statuses = [503, 429, 200]
    const seen: string[] = []
    const client = await connect((request, response) => {
      seen.push(`${request.method} ${request.url}`)
      response.statusCode = statuses.shift() ?? 500
      response.end(`status ${response.statusCode}`)
    })
    const answer = await client.send({ method: 'GET', path: '/a' })
    expect(answer.status).toBe(200)
    expect(await textOf(answer.body)).toBe('status 200')
    expect(seen).toEqual(['GET /a', 'GET /a', 'GET /a'])
  })

  it('returns the body of the last response after all retries', async () => {
    const client = await connect((_, response) => {
      response.statusCode = 503
      response.end('still busy')
    })
    const answer = await client.send({ method: 'PUT', path: '/a', body: '{}' })
    expect([answer.status, await textOf(answer.body), answer.repeated]).toEqual([503, 'still busy', 3])
  })

  it('sends a POST once, whatever the response', async () => {
    let count = 0
    const client = await connect((_, response) => {
      count += 1
      response.statusCode = 503
      response.end()
    })
    const { repeated } = await client.send({ method: 'POST', path: '/a', body: '{}' })
    expect([count, repeated]).toEqual([1, 0])
  })

  it('retries a POST with an idempotency key while the first request is in progress', async () => {
    const statuses = [503, 409, 200]
    const keys: unknown[] = []
    const client = await connect((request, response) => {
      keys.push(request.headers['idempotency-key'])
      response.statusCode = statuses.shift() ?? 500
      if (response.statusCode === 409) response.setHeader('retry-after', '0')
      response.end()
    })
    const headers = { 'idempotency-key': 'a' }
    const answer = await client.send({ method: 'POST', path: '/a', headers, body: '{}' })
    expect([answer.status, keys]).toEqual([200, ['a', 'a', 'a']])
  })

  it('does not retry other conflicts', async () => {
    let count = 0
    const client = await connect((_, response) => {
      count += 1
      response.statusCode = 409
      response.end('in use')
    })
    const headers = { 'idempotency-key': 'a' }
    const answer = await client.send({ method: 'POST', path: '/a', headers, body: '{}' })
    expect([answer.status, await textOf(answer.body), count, answer.repeated]).toEqual([409, 'in use', 1, 0])
    expect((await client.send({ method: 'DELETE', path: '/a' })).status).toBe(409)
  })

  it('sends credentials with the first request, and never shows them', async () => {
    let header = ''
    const client = await connect(
      (request, response) => {
        header = request.headers.authorization ?? ''
        request.socket.destroy()
        response.end()
      },
      { credentials: { login: 'alice', password: 'sesame' } },
    )
    const fault = await client.send({ method: 'POST', path: '/a?x=1' }).catch((error: unknown) => error)
    expect(header).toBe(`Basic ${btoa('alice:sesame')}`)
    expect(fault).toBeInstanceOf(Problem)
    expect(JSON.stringify([(fault as Problem).message, fault])).not.toContain('sesame')
  })

  it('reports a refused connection with the URL', async () => {
    const server = await listen(() => undefined)
    const origin = originOf(server)
    await new Promise((resolve) => server.close(resolve))
    const client = keep(createHttpClient({ origin, retry: quick }))
    await expect(client.send({ method: 'GET', path: '/' })).rejects.toMatchObject({
      code: 'http/unreachable',
      message: `Cannot reach ${origin}: connection refused.`,
      data: { sent: false, repeated: 3 },
    })
  })

  it('reports a host name that cannot be resolved, without advice to start a server', async () => {
    const client = keep(createHttpClient({ origin: 'http://nowhere.invalid', retry: quick }))
    const fault = await client.send({ method: 'GET', path: '/' }).catch((error: unknown) => error)
    expect(fault).toMatchObject({
      code: 'http/unreachable',
      message: expect.stringMatching(
        /^Cannot reach http:\/\/nowhere\.invalid: the host name (could not|cannot) be resolved/,
      ),
    })
    expect((fault as Problem).hint).not.toContain('landform serve')
  })

  it('times out if the server does not respond', async () => {
    const client = await connect(() => undefined)
    await expect(client.send({ method: 'POST', path: '/slow', timeoutMs: 50 })).rejects.toMatchObject({
      code: 'http/timeout',
    })
  })

  it('has the timeout of its options for requests that would wait longer, too', async () => {
    const client = await connect(() => undefined, { timeoutMs: 50 })
    await expect(client.send({ method: 'POST', path: '/slow', timeoutMs: 60_000 })).rejects.toMatchObject({
      code: 'http/timeout',
    })
  })

  it('aborts a response that exceeds the limit', async () => {
    const client = await connect((_, response) => {
      response.write('x'.repeat(2000))
      response.end('y'.repeat(2000))
    })
    const reading = async () => {
      const answer = await client.send({ method: 'GET', path: '/big', maxResponseBytes: 1000 })
      return textOf(answer.body)
    }
    await expect(reading()).rejects.toMatchObject({
      code: 'http/unexpected',
      message: expect.stringContaining('exceeds 1000 bytes'),
    })
  })

  it('reports an interruption by the caller', async () => {
    const abort = new AbortController()
    const client = await connect(() => abort.abort())
    const sent = client.send({ method: 'POST', path: '/a', signal: abort.signal })
    await expect(sent).rejects.toMatchObject({ code: 'pipeline/interrupted' })
  })

  it('rethrows the error of a request body unchanged', async () => {
    const client = await connect((request) => request.resume())
    async function* broken() {
      yield Buffer.from('half')
      throw new Problem('source/unreadable', 'line 7 is broken')
    }
    await expect(client.send({ method: 'PUT', path: '/a', body: broken() })).rejects.toMatchObject({
      code: 'source/unreadable',
      message: 'line 7 is broken',
    })
  })

  it('reports a server without TLS', async () => {
    const origin = originOf(await listen((_, response) => response.end())).replace('http:', 'https:')
    const client = keep(createHttpClient({ origin, retry: quick }))
    await expect(client.send({ method: 'GET', path: '/' })).rejects.toMatchObject({
      code: 'http/unreachable',
      message: `Cannot reach ${origin}: the server does not use TLS; try http://.`,
    })
  })

  it('rejects a truncated body', async () => {
    const client = await connect((_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half')
      response.socket?.destroySoon()
    })
    const reading = async () => textOf((await client.send({ method: 'GET', path: '/half' })).body)
    await expect(reading()).rejects.toBeInstanceOf(Problem)
  })
})

describe('parseRetryAfter', () => {
  it('reads seconds and dates', () => {
    expect(parseRetryAfter('7')).toBe(7000)
    expect(parseRetryAfter('Thu, 01 Jan 1970 00:01:00 GMT', 20_000)).toBe(40_000)
    expect(parseRetryAfter('soon')).toBeUndefined()
    expect(parseRetryAfter(undefined)).toBeUndefined()
  })
})

describe('parseServerUrl', () => {
  it('splits URLs into their parts', () => {
    expect(parseServerUrl('http://127.0.0.1:8080')).toEqual({ origin: 'http://127.0.0.1:8080', basePath: '' })
    expect(parseServerUrl('https://gis.example.org/maps/')).toEqual({
      origin: 'https://gis.example.org',
      basePath: '/maps',
    })
  })

  it.each(['maps.example.org', 'ftp://x', ''])('refuses %j', (text) => {
    expect(() => parseServerUrl(text)).toThrow('is not a server URL')
  })

  it('refuses a URL with credentials without printing it', () => {
    expect(() => parseServerUrl('https://alice:sesame@gis.example.org')).toThrow(
      'The URL of gis.example.org contains credentials.',
    )
  })
})

async function connect(
  listener: RequestListener,
  options: { credentials?: { login: string; password: string }; timeoutMs?: number } = {},
): Promise<HttpClient> {
  const server = await listen(listener)
  return keep(createHttpClient({ origin: originOf(server), retry: quick, ...options }))
}

async function listen(listener: RequestListener): Promise<Server> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push({
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  })
  return server
}

function keep(client: HttpClient): HttpClient {
  open.push(client)
  return client
}

const originOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
