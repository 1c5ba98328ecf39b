import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import type {
  GeoserviceDetail,
  GeoserviceItem,
  GeoserviceStatus,
} from '../../../src/contract/catalog/catalog.ts'
import { createSample, type SampleIds, type sampleNames } from '../../support/catalog.ts'
import { describeServers, type TestServer } from '../../support/server.ts'

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

interface Page<T = GeoserviceItem> {
  readonly count: number
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly T[]
}

describeServers('the catalog', (start) => {
  let server: TestServer
  let ids: SampleIds
  const get = async <T>(path: string, headers: Record<string, string> = {}) => {
    const answer = await server.guest('GET', `/api/v1${path}`, undefined, headers)
    return { status: answer.status, headers: answer.headers, body: await answer.json<T>() }
  }
  const list = async (query = '') => (await get<GeoserviceItem[]>(`/geoservices/${query}`)).body
  const namesOf = async (query: string) => (await list(query)).map(({ name }) => name)
  const detail = async (key: keyof typeof sampleNames) =>
    (await get<GeoserviceDetail>(`/geoservices/${ids[key]}/`)).body

  beforeAll(async () => {
    server = await start()
    ids = await createSample(server)
  })

  describe('Endpoints', () => {
    test('/api/v1/: object of URL templates for the endpoints', async () => {
      const { status, body } = await get<Record<string, string>>('/')
      expect(status).toBe(200)
      expect(Object.keys(body)).toEqual([
        'geoservices_url',
        'geoservices_type_filter_url',
        'geoservices_epsg_filter_url',
        'geoservices_status_filter_url',
        'geoservices_search_url',
        'geoservices_intersects_extent_url',
        'geoservices_intersects_boundary_url',
        'geoservices_ordering_url',
        'geoservices_pagination_url',
        'geoservice_detail_url',
        'geoservice_status_url',
        'geoservice_status_detail_url',
        'geoservice_status_service_filter_url',
        'geoservice_status_cumulative_status_filter_url',
        'geoservice_status_check_at_ordering_url',
        'icons_url',
        'icons_search_url',
        'icons_pagination_url',
        'icon_detail_url',
        'icon_content_url',
        'icon_resized_content_url',
        'default_icon_url',
      ])
      for (const url of Object.values(body)) expect(url.startsWith(`${server.url}/api/v1/`)).toBe(true)
      expect(body.geoservice_detail_url).toBe(`${server.url}/api/v1/geoservices/{id}/`)
    })

    test('/api/v1/geoservices/: array of geoservice list items', async () => {
      expect(await namesOf('')).toEqual(['Parks', 'Relief of Norway', 'Roads', 'Trees'])
    })

    test('/api/v1/geoservices/ with paging parameters: the body is {count (integer), next (string or null), previous (string or null), results: [items]}', async () => {
      const first = (await get<Page>('/geoservices/?limit=2&search=')).body
      expect(first).toEqual({
        count: 4,
        next: `${server.url}/api/v1/geoservices/?limit=2&search=&offset=2`,
        previous: null,
        results: [
          expect.objectContaining({ name: 'Parks' }),
          expect.objectContaining({ name: 'Relief of Norway' }),
        ],
      })
      const second = (await get<Page>((first.next ?? '').split('/api/v1')[1] ?? '')).body
      expect(second).toMatchObject({
        next: null,
        previous: `${server.url}/api/v1/geoservices/?limit=2&search=`,
      })
      expect(second.results.map(({ name }) => name)).toEqual(['Roads', 'Trees'])
    })

    test('/api/v1/geoservices/<id>/: geoservice detail', async () => {
      expect(Object.keys(await detail('roads')).sort()).toEqual([
        'alt_urls',
        'boundary',
        'boundary_area',
        'copyright_text',
        'copyright_url',
        'created_at',
        'cumulative_status',
        'desc',
        'epsg',
        'extent',
        'guid',
        'icon',
        'id',
        'last_status',
        'license_name',
        'license_url',
        'name',
        'origin_url',
        'source',
        'source_url',
        'submitter',
        'terms_of_use_url',
        'type',
        'updated_at',
        'url',
        'y_origin_top',
        'z_max',
        'z_min',
      ])
    })

    test('/api/v1/geoservice_status/: list of status records', async () => {
      const { body } = await get<Page<GeoserviceStatus>>('/geoservice_status/')
      expect(body).toMatchObject({ count: 3, next: null, previous: null })
      expect(body.results.map((one) => one.cumulative_status)).toEqual(['problematic', 'works', 'failed'])
    })

    test('/api/v1/geoservice_status/<id>/: one status record', async () => {
      const id = (await detail('roads')).last_status
      expect((await get(`/geoservice_status/${id}/`)).body).toEqual({
        id,
        check_at: '1970-01-01T00:00:02.000000Z',
        check_duration: 0.25,
        cumulative_status: 'works',
        http_code: 200,
        http_response: null,
        error_type: null,
        error_text: null,
        geoservice: ids.roads,
      })
    })

    test('/api/v1/icons/: list of icons', async () => {
      expect((await get('/icons/')).body).toEqual([
        { id: ids.icon, guid: expect.stringMatching(uuid), name: 'Pin' },
      ])
    })

    test('/api/v1/icons/<id>/: one icon', async () => {
      expect((await get(`/icons/${ids.icon}/`)).body).toMatchObject({ id: ids.icon, name: 'Pin' })
    })

    test.each(['/content', '/default'])('/api/v1/icons/…%s: the image', async (end) => {
      const path = end === '/default' ? '/icons/default' : `/icons/${ids.icon}/content`
      const answer = await server.guest('GET', `/api/v1${path}`)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
      const image = await sharp(await answer.arrayBuffer()).metadata()
      expect([image.format, image.width, image.height, image.hasAlpha]).toEqual(['png', 32, 32, true])
    })
  })

  describe('Geoservice list item', () => {
    test('id, guid, name, desc, type, epsg, icon, submitter, created_at, updated_at, cumulative_status, extent', async () => {
      const [roads] = await list('?search=roads')
      expect(Object.entries(roads ?? {})).toEqual([
        ['id', ids.roads],
        ['guid', expect.stringMatching(uuid)],
        ['name', 'Roads'],
        ['desc', 'Streets and paths'],
        ['type', 'tms'],
        ['epsg', 3857],
        ['icon', ids.icon],
        ['submitter', expect.stringMatching(uuid)],
        ['created_at', expect.stringMatching(timestamp)],
        ['updated_at', expect.stringMatching(timestamp)],
        ['cumulative_status', 'works'],
        ['extent', 'SRID=4326;POLYGON((10 50,10 51,11 51,11 50,10 50))'],
      ])
    })

    test('desc, icon and extent are null where the service has none; cumulative_status before the first check', async () => {
      const [trees] = await list('?search=trees')
      expect(trees).toMatchObject({
        desc: null,
        icon: null,
        extent: null,
        epsg: null,
        cumulative_status: null,
      })
    })

    test('the extent of a boundary in another reference system is in EPSG:4326', async () => {
      const [relief] = await list('?search=relief')
      expect(relief?.extent).toMatch(/^SRID=4326;POLYGON\(\(0 0,0 8\.94657\d+,8\.98315\d+ 8\.9/)
    })
  })

  describe('Geoservice detail', () => {
    test('url: one of the hosts; alt_urls: array; origin_url: as it was written', async () => {
      const { url, alt_urls, origin_url } = await detail('roads')
      expect(alt_urls).toEqual(
        ['a', 'b', 'c'].map((host) => `https://${host}.tile.example.org/{z}/{x}/{y}.png`),
      )
      expect(alt_urls).toContain(url)
      expect(origin_url).toBe('https://{switch:a,b,c}.tile.example.org/{z}/{x}/{y}.png')
    })

    test('boundary: multipolygon; boundary_area: square degrees; last_status: identifier of a status record', async () => {
      expect(await detail('roads')).toMatchObject({
        boundary: 'SRID=4326;MULTIPOLYGON(((10 50,11 50,11 51,10 51,10 50)))',
        boundary_area: 1,
        last_status: expect.any(Number),
        z_min: 0,
        z_max: 18,
        y_origin_top: true,
        license_name: 'CC BY 4.0',
        copyright_url: null,
      })
    })

    test('wms: params, layers, turn_over, format, without members of tiles', async () => {
      const relief = await detail('relief')
      expect(relief).toMatchObject({
        params: 'map=relief',
        layers: 'relief,shade',
        turn_over: true,
        format: 'image/png8',
      })
      expect(Object.keys(relief)).not.toEqual(expect.arrayContaining(['alt_urls']))
      expect(relief).not.toHaveProperty('z_min')
    })

    test('wfs: layer; geojson: url only', async () => {
      expect(await detail('parks')).toMatchObject({
        layer: 'town:parks',
        url: 'https://maps.example.org/wfs',
      })
      expect(await detail('trees')).toMatchObject({ url: 'https://maps.example.org/trees.geojson' })
      expect(await detail('trees')).not.toHaveProperty('layer')
    })
  })
})
