import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttpClient } from '../../src/http/client.ts'
import { type ProxySettings, readProxySettings } from '../../src/http/proxy.ts'

describe('readProxySettings', () => {
  it('prefers lower-case variables, and returns nothing if none is set', () => {
    expect(readProxySettings({})).toBeUndefined()
    expect(readProxySettings({ NO_PROXY: '*' })).toBeUndefined()
    expect(
      readProxySettings({ http_proxy: 'http://a:1', HTTP_PROXY: 'http://b:2', HTTPS_PROXY: 'http://c:3' }),
    ).toEqual({ http: 'http://a:1', https: 'http://c:3' })
    expect(readProxySettings({ HTTP_PROXY: 'http://a:1', no_proxy: 'x.org' })).toEqual({
      http: 'http://a:1',
      except: 'x.org',
    })
  })

  it('refuses an invalid URL without showing it', () => {
    const read = () => readProxySettings({ https_proxy: 'me:sesame@proxy' })
    expect(read).toThrow('HTTPS_PROXY is not a proxy URL.')
    expect(read).not.toThrow('sesame')
  })
})

describe('a client with a proxy', () => {
  const seen: string[] = []
  let server: Server
  let address = ''

  beforeAll(async () => {
    server = createServer(({ url, headers }, response) => {
      seen.push(`${url} ${headers['proxy-authorization'] ?? 'nobody'}`)
      response.end('through')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  async function ask(origin: string, proxy: ProxySettings): Promise<string> {
    const client = createHttpClient({
      origin,
      proxy,
      retry: { times: 0, firstDelayMs: 1, maxDelayMs: 1 },
    })
    try {
      const { body } = await client.send({ method: 'GET', path: '/a?b=1' })
      return (await Array.fromAsync(body)).join('')
    } finally {
      await client.close()
    }
  }

  it('sends it the full URL and the proxy credentials', async () => {
    expect(await ask('http://gis.example.org', { http: `http://me:sesame@${address}` })).toBe('through')
    expect(seen).toEqual([`http://gis.example.org/a?b=1 Basic ${btoa('me:sesame')}`])
  })

  it('connects directly to excluded hosts', async () => {
    seen.length = 0
    const settings = { http: 'http://127.0.0.1:9', except: 'example.org,127.0.0.1' }
    expect(await ask(`http://${address}`, settings)).toBe('through')
    expect(seen).toEqual(['/a?b=1 nobody'])
  })
})
