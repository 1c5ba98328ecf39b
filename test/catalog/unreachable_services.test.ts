import { once } from 'node:events'
import { createServer } from 'node:net'
import { beforeEach, describe, expect, it } from 'vitest'
import { allowHosts } from '../../src/catalog/allowed_hosts.ts'
import { checkServices } from '../../src/catalog/check_services.ts'
import { HostTurns } from '../../src/catalog/host_turns.ts'
import type { CheckTarget } from '../../src/store/catalog/check_target.ts'
import { checkTarget } from '../support/check_targets.ts'
import * as bad from '../support/misbehaving.ts'
import { type TestService, useService } from '../support/wms.ts'

const start = useService()
let service: TestService
beforeEach(async () => {
  service = await start()
  service.requests.length = 0
})

const types = ['tms', 'wms', 'wfs', 'geojson'] as const

/** Checks the service at the address, of which only the host and port may be private. */
async function check(
  url: string,
  { timeoutMs = 60_000, ...members }: Partial<CheckTarget> & { timeoutMs?: number } = {},
) {
  const errors: unknown[] = []
  const targets = (async function* () {
    yield checkTarget({ url, layers: 'a', layer: 'a', ...members })
  })()
  const results = await Array.fromAsync(
    checkServices(targets, {
      timeoutMs,
      turns: new HostTurns(),
      allowsPrivate: allowHosts([new URL(url.replaceAll(/[{}]/g, '')).host]),
      signal: new AbortController().signal,
      onError: (error) => errors.push(error),
    }),
  )
  expect(errors).toEqual([])
  const [result] = results.flat()
  expect(result?.check_duration).toBeGreaterThanOrEqual(0)
  return result
}

const failed = { cumulative_status: 'failed', error_type: null, http_code: 0, http_response: null }
const timeout = {
  cumulative_status: 'failed',
  error_type: 'timeout',
  error_text: expect.stringMatching(/^127\.0\.0\.1:\d+ did not respond within 0\.3 seconds\.$/),
}
const template = '{z}/{x}/{y}'

describe.each(types)('a service of type %s', (type) => {
  const checkIt = (timeoutMs = 60_000) => check(`${service.url}/${template}`, { type, timeoutMs })

  it.each([
    ['never answers', bad.neverAnswer, 0],
    ['stops in the middle of the body', bad.stall('text/xml', ' '), 200],
    ['stops before the body', bad.stall('image/png'), 200],
  ])('fails with a timeout if it %s', async (_, answer, http_code) => {
    service.answer = answer
    expect(await checkIt(300)).toMatchObject({ ...timeout, http_code })
  })

  it('fails if it redirects in a circle, to another protocol or to a private network', async () => {
    service.answer = bad.redirectTo('/again')
    expect(await checkIt()).toMatchObject({
      ...failed,
      error_text: expect.stringContaining('redirected more than 5 times'),
    })
    expect(service.requests).toHaveLength(6)
    service.answer = bad.redirectTo('file:///etc/hostname')
    expect(await checkIt()).toMatchObject({ ...failed, error_text: expect.stringContaining('to file:') })
    service.requests.length = 0
    for (const host of [
      'localhost',
      '[::1]',
      '127.0.0.2',
      '169.254.169.254',
      '0x7f.2',
      '[::ffff:127.0.0.1]',
    ]) {
      service.answer = bad.redirectTo(`http://${host}:${new URL(service.url).port}/secret`)
      expect(await checkIt()).toMatchObject({
        ...failed,
        error_text: expect.stringContaining('it is in a private network'),
      })
    }
    expect(service.requests.filter((line) => line.includes('secret'))).toEqual([])
  })

  it('fails if it cannot be reached', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    server.close()
    await once(server, 'close')
    const refused = await check(`http://127.0.0.1:${port}/${template}`, { type })
    expect(refused).toMatchObject({ ...failed, error_text: expect.stringContaining('connection refused') })
    const unknown = await check(`http://no-such-host.invalid/${template}`, { type })
    expect(unknown).toMatchObject({
      ...failed,
      error_text: expect.stringContaining('the host name could not be resolved'),
    })
  })
})

describe('a service with a fault in its response', () => {
  it.each(['wms', 'wfs', 'geojson'] as const)('fails if it closes the connection early: %s', async (type) => {
    service.answer = bad.truncate('text/xml', '{"type": ')
    expect(await check(service.url, { type })).toMatchObject({
      cumulative_status: 'failed',
      error_text: expect.stringContaining('the connection was closed'),
      http_code: 200,
    })
  })

  it.each(['wms', 'wfs', 'geojson'] as const)('fails if it sends %s without end, in pieces', async (type) => {
    service.answer = bad.drip('text/xml')
    expect(await check(service.url, { type, timeoutMs: 300 })).toMatchObject({ ...timeout, http_code: 200 })
  })

  it('is problematic if it sends another type than that of a tile without end', async () => {
    service.answer = bad.drip('text/html')
    const result = await check(`${service.url}/${template}`)
    expect(result).toMatchObject({ cumulative_status: 'problematic', http_response: ' '.repeat(2048) })
  })

  it('fails if it does not speak HTTP', async () => {
    const server = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    try {
      expect(await check(`http://127.0.0.1:${port}/${template}`)).toMatchObject({
        ...failed,
        error_text: expect.stringContaining('does not match the HTTP/1.1 protocol'),
      })
      expect(await check(`https://127.0.0.1:${port}/${template}`)).toMatchObject(failed)
    } finally {
      server.close()
    }
  })

  it('fails if its address is not valid', async () => {
    expect(await check(`${service.url}/{zoom}/{x}/{y}`)).toMatchObject({
      ...failed,
      error_text: 'The address has the unknown placeholder {zoom}.',
    })
    expect(service.requests).toEqual([])
  })
})
