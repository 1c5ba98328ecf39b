import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { parseCatalogPlace } from '../../../src/server/settings/parse_setting.ts'
import { changeCatalog, newGeoservice } from '../../support/catalog.ts'
import { createAsk, startTestServer, type TestServer } from '../../support/server.ts'

async function listedAddress({ guest }: TestServer): Promise<string | undefined> {
  const routes = await guest('GET', '/api/component/core/route')
  return (await routes.json<Record<string, string[]>>())['landform.catalog']?.[0]
}

describe('the place of the catalog', () => {
  test('is below a base path', async () => {
    const server = await startTestServer('postgres', { catalog: { path: '/maps/catalog' } })
    const root = await server.guest('GET', '/maps/catalog/api/v1/')
    expect(await root.json()).toMatchObject({
      geoservices_url: `${server.url}/maps/catalog/api/v1/geoservices/`,
    })
    const missing = await server.guest('GET', '/maps/catalog/api/v1/nothing')
    expect([missing.status, await missing.json()]).toEqual([404, { detail: 'Not found.' }])
    expect((await server.guest('GET', '/api/v1/')).status).toBe(404)
    expect(await listedAddress(server)).toBe('/maps/catalog/api/v1/')
    await server.stop()
  })

  test('is an address of its own, without the resource service', async () => {
    const server = await startTestServer('postgres', { catalog: { listen: { host: '127.0.0.1', port: 0 } } })
    const { catalogUrl = '' } = server.running
    const guest = createAsk(catalogUrl, {})
    expect(await (await guest('GET', '/api/v1/')).json()).toMatchObject({
      icons_url: `${catalogUrl}/api/v1/icons/`,
    })
    expect((await guest('GET', '/api/resource/0')).status).toBe(404)
    expect(await listedAddress(server)).toBe(`${catalogUrl}/api/v1/`)
    expect((await server.guest('GET', '/api/v1/')).status).toBe(404)
    await server.stop()
    await expect(guest('GET', '/api/v1/')).rejects.toThrow()
  })

  test.each(['a:99999', '[::1', 'a b', 'evil.example/x?y'])(
    'is the host that the client sent: %s',
    async (host) => {
      const server = await startTestServer('postgres')
      await changeCatalog(server, [newGeoservice('A'), newGeoservice('B')])
      for (const path of ['/api/v1/', '/api/v1/geoservices/?limit=1']) {
        const [answer] = await once(request(`${server.url}${path}`, { headers: { host } }).end(), 'response')
        expect((answer as IncomingMessage).statusCode).toBe(200)
        ;(answer as IncomingMessage).resume()
      }
      await server.stop()
    },
  )

  test('is nowhere', async () => {
    const server = await startTestServer('postgres', { catalog: 'off' })
    expect((await server.guest('GET', '/api/v1/')).status).toBe(404)
    expect(await listedAddress(server)).toBeUndefined()
    const operations = [newGeoservice('Unreadable')]
    const answer = await server.admin('POST', '/api/component/catalog/', { operations })
    expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'catalog/absent' }])
    await server.stop()
  })

  test('an address that is in use stops the server again', async () => {
    const first = await startTestServer('postgres', { catalog: { listen: { host: '127.0.0.1', port: 0 } } })
    const port = Number(new URL(first.running.catalogUrl ?? '').port)
    await expect(
      startTestServer('postgres', { catalog: { listen: { host: '127.0.0.1', port } } }),
    ).rejects.toMatchObject({ code: 'server/listen' })
    await first.stop()
  })
})

describe('parseCatalogPlace', () => {
  test.each([
    ['off', 'off'],
    ['/', { path: '' }],
    ['/catalog', { path: '/catalog' }],
    ['/a/b/', { path: '/a/b' }],
    ['127.0.0.1:8081', { listen: { host: '127.0.0.1', port: 8081 } }],
    ['[::1]:8081', { listen: { host: '::1', port: 8081 } }],
    [':8081', { listen: { host: '127.0.0.1', port: 8081 } }],
  ])('reads %s', (text, place) => {
    expect(parseCatalogPlace(text, '--catalog')).toEqual(place)
  })

  test.each(['', 'on', 'catalog', '/a b', '/a?b', '127.0.0.1:99999', '//x'])('refuses %j', (text) => {
    expect(() => parseCatalogPlace(text, '--catalog')).toThrow(/^Cannot use --catalog /)
  })
})
