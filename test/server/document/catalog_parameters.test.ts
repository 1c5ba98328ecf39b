import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import type { GeoserviceItem, GeoserviceStatus } from '../../../src/contract/catalog/catalog.ts'
import { createSample, sampleNames as names, type SampleIds, square } from '../../support/catalog.ts'
import { describeServers, type TestServer } from '../../support/server.ts'

interface Page<T = GeoserviceItem> {
  readonly count: number
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly T[]
}

describeServers('parameters and errors of the catalog', (start) => {
  let server: TestServer
  let ids: SampleIds
  const get = async <T>(path: string, headers: Record<string, string> = {}) => {
    const answer = await server.guest('GET', `/api/v1${path}`, undefined, headers)
    return { status: answer.status, headers: answer.headers, body: await answer.json<T>() }
  }
  const list = async (query = '') => (await get<GeoserviceItem[]>(`/geoservices/${query}`)).body
  const namesOf = async (query: string) => (await list(query)).map(({ name }) => name)

  beforeAll(async () => {
    server = await start()
    ids = await createSample(server)
  })

  describe('Query parameters', () => {
    test.each([
      ['type', '?type=wms', [names.relief]],
      ['type', '?type=TMS', []],
      ['epsg', '?epsg=3857', [names.parks, names.roads]],
      ['epsg', '?epsg=', [names.parks, names.relief, names.roads, names.trees]],
      ['cumulative_status', '?cumulative_status=works', [names.roads]],
      ['cumulative_status', '?cumulative_status=failed', [names.parks]],
      ['cumulative_status', '?cumulative_status=problematic', []],
      ['search', '?search=STREETS', [names.roads]],
      ['search', '?search=of,relief', [names.relief]],
      ['search', '?search=relief+roads', []],
      ['search', '?search=%25', []],
      ['intersects_extent', `?intersects_extent=${square(10.5, 50.5)}`, [names.roads]],
      ['intersects_extent', '?intersects_extent=POINT(0.5 0.5)', [names.relief]],
      ['intersects_extent', '?intersects_extent=SRID=3857;POINT(1000 1000)', [names.relief]],
      ['intersects_boundary', '?intersects_boundary=SRID=4326;LINESTRING(10 50,10 51)', [names.roads]],
      ['intersects_boundary', '?intersects_boundary=POINT(-100 0)', []],
      [
        'intersects_boundary',
        '?intersects_boundary=SRID=4326;GEOMETRYCOLLECTION(POINT(-100 0),GEOMETRYCOLLECTION(POINT(10.5 50.5)))',
        [names.roads],
      ],
      [
        'intersects_extent',
        `?intersects_extent=${encodeURIComponent('{"type":"Point","coordinates":[10.5,50.5]}')}`,
        [names.roads],
      ],
      ['ordering', '?ordering=-name', [names.trees, names.roads, names.relief, names.parks]],
      ['ordering', '?ordering=id', [names.roads, names.relief, names.parks, names.trees]],
      ['ordering', '?ordering=-id', [names.trees, names.parks, names.relief, names.roads]],
      ['ordering', '?ordering=created_at,-name', [names.trees, names.roads, names.relief, names.parks]],
      ['ordering', '?ordering=nothing', [names.parks, names.relief, names.roads, names.trees]],
      ['unknown parameters', '?utm_source=x', [names.parks, names.relief, names.roads, names.trees]],
      ['format', '?format=json&type=wfs', [names.parks]],
    ])('geoservices: %s %s', async (_, query, expected) => {
      expect(await namesOf(query.replaceAll(' ', '%20'))).toEqual(expected)
    })

    test('geoservices: submitter', async () => {
      const [{ submitter } = {}] = await list()
      expect(await namesOf(`?submitter=${submitter}`)).toHaveLength(4)
    })

    test.each([
      ['limit=0', 'array'],
      ['limit=-1', 'array'],
      ['limit=many', 'array'],
      ['limit=', 'array'],
      ['offset=2', 'array'],
      ['limit=1', 'page'],
      ['limit=99999999999999999999', 'page'],
      ['limit=1&offset=-5', 'page'],
      ['limit=1&offset=99999999999999999999', 'page'],
    ])('geoservices, icons: limit, offset: %s gives %s', async (query, kind) => {
      for (const path of ['/geoservices/', '/icons/']) {
        const { status, body } = await get(`${path}?${query}`)
        expect([status, Array.isArray(body) ? 'array' : 'page']).toEqual([200, kind])
      }
    })

    test('an offset beyond the end gives no results, the count and a link back', async () => {
      expect((await get<Page>('/geoservices/?limit=3&offset=100')).body).toEqual({
        count: 4,
        next: null,
        previous: `${server.url}/api/v1/geoservices/?limit=3&offset=97`,
        results: [],
      })
    })

    test.each([
      ['', [1, 2, 3]],
      ['limit=2', [1, 2]],
      ['offset=1', [2, 3]],
      ['limit=0', [1, 2, 3]],
      ['ordering=check_at', [1, 2, 3]],
      ['ordering=-check_at', [3, 2, 1]],
      ['cumulative_status=works', [2]],
      ['geoservice={roads}', [1, 2]],
      ['geoservice={roads}&ordering=-check_at', [2, 1]],
    ])('geoservice_status: %s', async (query, seconds) => {
      const path = `/geoservice_status/?${query.replace('{roads}', String(ids.roads))}`
      const { results } = (await get<Page<GeoserviceStatus>>(path)).body
      expect(results.map(({ check_at }) => new Date(check_at).getTime() / 1000)).toEqual(seconds)
    })

    test.each([
      ['pin', 1],
      ['in', 1],
      ['needle', 0],
    ])('icons: search %s', async (text, count) => {
      expect((await get<unknown[]>(`/icons/?search=${text}`)).body).toHaveLength(count)
    })

    test.each([
      ['width=16&height=64', [16, 64]],
      ['width=64', [64, 32]],
      ['width=15&height=65', [32, 32]],
      ['width=x&height=', [32, 32]],
      ['height=24&width=24', [24, 24]],
    ])('icons/<id>/content: %s gives exactly %j pixels', async (query, size) => {
      for (const path of [`icons/${ids.icon}/content`, 'icons/default', 'icons/default/content']) {
        const answer = await server.guest('GET', `/api/v1/${path}?${query}`)
        const { width, height } = await sharp(await answer.arrayBuffer()).metadata()
        expect([width, height]).toEqual(size)
      }
    })
  })

  describe('Methods and paths', () => {
    test.each(['', '/', '/geoservices', '/geoservices/', '/geoservice_status', '/icons', '/icons/default/'])(
      'GET %s with and without its slash',
      async (path) => {
        expect((await server.guest('GET', `/api/v1${path}`)).status).toBe(200)
      },
    )

    test('geoservice_status and its records also have the suffix .json', async () => {
      const { results } = (await get<{ results: { id: number }[] }>('/geoservice_status.json')).body
      expect(results).toHaveLength(3)
      for (const record of results)
        expect(await get(`/geoservice_status/${record.id}.json`)).toMatchObject({ status: 200, body: record })
      expect((await get('/geoservice_status/0.json')).status).toBe(404)
      expect((await get('/geoservice_status/x.json')).status).toBe(404)
    })

    test.each(['/', '/geoservices/', '/geoservice_status/', '/icons/', '/icons/default'])(
      'HEAD and OPTIONS %s, for scripts of any site',
      async (path) => {
        const head = await server.guest('HEAD', `/api/v1${path}`)
        expect([head.status, await head.text()]).toEqual([200, ''])
        expect(head.headers.get('access-control-allow-origin')).toBe('*')
        const options = await server.guest('OPTIONS', `/api/v1${path}`, undefined, {
          origin: 'https://maps.example.net',
          'access-control-request-method': 'GET',
        })
        expect(options.status).toBe(200)
        expect(options.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
        expect(options.headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS')
        expect(options.headers.get('access-control-allow-origin')).toBe('*')
      },
    )

    test('the Accept header is respected, and format=json wins over it', async () => {
      const xml = { accept: 'application/xml' }
      expect(await get('/geoservices/', xml)).toMatchObject({
        status: 406,
        body: { detail: 'Could not satisfy the request Accept header.' },
      })
      expect((await get('/geoservices/?format=json', xml)).status).toBe(200)
      expect((await get('/icons/default', { accept: 'application/json' })).status).toBe(406)
      expect((await get('/geoservices/', { accept: 'text/html,*/*;q=0.8' })).status).toBe(200)
    })
  })

  describe('Errors', () => {
    test.each([
      ['/geoservices/999/', 404, { detail: 'Not found.' }],
      ['/geoservices/99999999999999999999/', 404, { detail: 'Not found.' }],
      ['/geoservices/none/', 404, { detail: 'Not found.' }],
      ['/geoservice_status/999/', 404, { detail: 'Not found.' }],
      ['/icons/999/content', 404, { detail: 'Not found.' }],
      ['/nothing', 404, { detail: 'Not found.' }],
      ['/geoservices/?format=xml', 404, { detail: 'Not found.' }],
      ['/geoservices/?epsg=mercator', 400, { epsg: ['Enter a number.'] }],
      ['/geoservices/?epsg=NaN', 400, { epsg: ['Enter a number.'] }],
      [
        '/geoservices/?cumulative_status=broken',
        400,
        { cumulative_status: ['Select a valid choice. broken is not one of the available choices.'] },
      ],
      [
        '/geoservices/?submitter=00000000-0000-0000-0000-000000000000',
        400,
        { submitter: ['Select a valid choice. That choice is not one of the available choices.'] },
      ],
      [
        '/geoservice_status/?geoservice=x',
        400,
        { geoservice: ['Select a valid choice. That choice is not one of the available choices.'] },
      ],
      [
        '/geoservice_status/?geoservice=999',
        400,
        { geoservice: ['Select a valid choice. That choice is not one of the available choices.'] },
      ],
      [
        '/geoservices/?intersects_extent=CIRCLE(1)',
        400,
        { intersects_extent: [expect.stringMatching(/^Enter a WKT or EWKT geometry: /)] },
      ],
      [
        '/geoservices/?intersects_boundary=POLYGON((0 0',
        400,
        { intersects_boundary: [expect.stringMatching(/^Enter a WKT/)] },
      ],
      [
        '/geoservices/?intersects_boundary=SRID=999998;POINT(1 1)',
        400,
        { intersects_boundary: ['Unknown reference system EPSG:999998.'] },
      ],
      ['/geoservices/?intersects_extent=SRID=3857;POINT(1e300 1)', 200, []],
      ['/geoservices/?intersects_extent=GEOMETRYCOLLECTION(POINT EMPTY,POLYGON EMPTY)', 200, []],
      [
        `/geoservices/?intersects_extent=${'GEOMETRYCOLLECTION('.repeat(17)}POINT(1 1)${')'.repeat(17)}`,
        400,
        { intersects_extent: [expect.stringMatching(/nested more than 16 times/)] },
      ],
      [
        '/geoservices/?intersects_extent={"type":"Point"',
        400,
        { intersects_extent: [expect.stringMatching(/^Enter a WKT or EWKT geometry: /)] },
      ],
      [
        `/geoservices/?intersects_extent=MULTIPOINT(${'1 1,'.repeat(9000)}1 1)`,
        400,
        { intersects_extent: ['A geometry has at most 32768 characters.'] },
      ],
      [`/geoservices/?search=${'a '.repeat(30).replaceAll('a', 'x')}`, 200, []],
      [
        `/geoservices/?search=${'x'.repeat(1001)}`,
        400,
        { search: ['A search has at most 1000 characters.'] },
      ],
      ['/geoservices/?search=%00', 400, { search: [expect.stringMatching(/NUL/)] }],
    ])('%s: %d', async (path, status, body) => {
      const answer = await get(path.replaceAll(' ', '%20'))
      expect([answer.status, answer.body]).toEqual([status, body])
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    })

    test.each(['POST', 'PUT', 'DELETE', 'PATCH'])('%s is not allowed', async (method) => {
      const answer = await server.guest(method, '/api/v1/geoservices/')
      expect([answer.status, await answer.json()]).toEqual([
        405,
        { detail: `Method "${method}" not allowed.` },
      ])
      expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    })
  })
})
