import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { GeoserviceDetail, GeoserviceItem } from '../../../src/contract/catalog/catalog.ts'
import { useBrowser } from '../../support/browser.ts'
import { createSample, type SampleIds, sampleNames, square } from '../../support/catalog.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

const browser = useBrowser()

/** A web site of another origin, with an empty page. */
const host = createServer((_, reply) =>
  reply.setHeader('content-type', 'text/html').end('<title>map</title>'),
)

let site: string
let server: TestServer
let ids: SampleIds
beforeAll(async () => {
  server = await startTestServer('postgres')
  ids = await createSample(server)
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  site = `http://127.0.0.1:${(host.address() as AddressInfo).port}/`
})
afterAll(async () => {
  host.closeAllConnections()
  await new Promise((resolve) => host.close(resolve))
  await server.stop()
})

const get = async (path: string) => {
  const answer = await server.guest('GET', `/api/v1/${path}`)
  expect([path, answer.status]).toEqual([path, 200])
  return answer
}
const json = async <T>(path: string) => (await get(path)).json<T>()
const detail = (path: string) => json<GeoserviceDetail>(path)

/** Options of a layer of tiles, as the kit passes them to the adapter of a map library. */
interface TileOptions {
  readonly url: string
  readonly subdomains?: readonly string[]
  readonly attribution: string
  readonly minZoom: number
  readonly maxZoom: number
}

/** Loads a service with @nextgis/qms-kit in a browser, on a page of another origin. */
async function loadWithKit(id: number): Promise<TileOptions> {
  const page = await browser.open(site)
  browser.expectComplaint(new RegExp(`^requests ${server.url}/api/v1/geoservices/${id}$`))
  const kit = new URL(import.meta.resolve('@nextgis/qms-kit/lib/qms-kit.global.prod.js'))
  await page.evaluate(readFileSync(kit, 'utf8'))
  return page.evaluate(
    `(async () => {
      const [{ createAdapter }] = await new QmsKit.QmsKit({ url: '${server.url}' }).getLayerAdapters()
      let options
      class Tiles { addLayer(given) { options = given } }
      const Adapter = await createAdapter({
        mapAdapter: { layerAdapters: { TILE: Tiles } },
        options: { minZoom: 0, maxZoom: 21 },
      })
      await new Adapter({}, {}).addLayer({ qmsId: ${id} })
      return options
    })()`,
  ) as Promise<TileOptions>
}

describe('@nextgis/qms-kit', () => {
  test('loads a service of tiles by its id, with its hosts', async () => {
    expect(await loadWithKit(ids.roads)).toMatchObject({
      url: 'https://{s}.tile.example.org/{z}/{x}/{y}.png',
      subdomains: ['a', 'b', 'c'],
      attribution: 'Example',
      minZoom: 0,
      maxZoom: 18,
    })
  })
})

describe('the QGIS plugin QuickMapServices', () => {
  test('lists services of the map extent as an array with indexed extents', async () => {
    const boundary = encodeURIComponent(`SRID=4326;${square(10.2, 50.2, 0.1)}`)
    const found = await json<GeoserviceItem[]>(
      `geoservices/?search=&intersects_boundary=${boundary}&cumulative_status=works`,
    )
    expect(found.map(({ id, name, type, icon }) => ({ id, name, type, icon }))).toEqual([
      { id: ids.roads, name: sampleNames.roads, type: 'tms', icon: ids.icon },
    ])
    expect(found[0]).toHaveProperty('extent', expect.stringMatching(/^SRID=4326;POLYGON ?\(\(/))
  })

  const shared = ['license_name', 'license_url', 'copyright_text', 'copyright_url', 'terms_of_use_url']
  test.each([
    ['roads', ['origin_url', 'url', 'z_min', 'z_max', 'y_origin_top', 'epsg']],
    ['relief', ['layers', 'url', 'params', 'turn_over', 'format', 'epsg']],
    ['parks', ['url', 'layer', 'epsg']],
    ['trees', ['url']],
  ] as const)('finds every member that it reads of %s', async (key, members) => {
    const found = await detail(`geoservices/${ids[key]}/`)
    for (const member of ['id', 'type', 'name', ...shared, ...members]) expect(found).toHaveProperty(member)
  })

  test('loads icons without trailing slashes', async () => {
    for (const path of [
      `icons/${ids.icon}/content?width=24&height=24`,
      'icons/default?width=24&height=24',
      'icons',
      `icons/${ids.icon}`,
    ])
      expect((await (await get(path)).arrayBuffer()).byteLength).toBeGreaterThan(0)
  })
})

describe('the base map picker of NextGIS Web', () => {
  test('searches tiles, and reads a service that it stores whole', async () => {
    const found = await json<GeoserviceItem[]>('geoservices/?search=road&type=tms&format=json')
    expect(found.map(({ id, name, type }) => [id, name, type])).toEqual([[ids.roads, 'Roads', 'tms']])
    const service = await detail(`geoservices/${ids.roads}/?format=json`)
    expect(service).toMatchObject({ copyright_text: 'Example', y_origin_top: true, epsg: 3857, z_max: 18 })
  })
})

describe('NextGIS Mobile', () => {
  test('lists tiles in Web Mercator, and reads name, url and zooms', async () => {
    const found = await json<GeoserviceItem[]>('geoservices/?epsg=3857&format=json&type=tms')
    expect(found.map(({ id, icon }) => [id, icon])).toEqual([[ids.roads, ids.icon]])
    expect(await detail(`geoservices/${ids.roads}/?format=json`)).toMatchObject({
      name: 'Roads',
      url: expect.stringMatching(/^https:\/\/[abc]\.tile\.example\.org\/\{z\}/),
      z_min: 0,
    })
    await get(`icons/${ids.icon}/content?width=64&height=64`)
  })
})

describe('xyzservices', () => {
  test('finds tiles by their exact name', async () => {
    const found = await json<GeoserviceItem[]>('geoservices/?search=Roads&type=tms')
    const id = found.find(({ name }) => name === 'Roads')?.id
    expect(await detail(`geoservices/${id}`)).toMatchObject({
      name: 'Roads',
      z_max: 18,
      copyright_text: 'Example',
    })
  })
})

describe('leafmap', () => {
  test('reads a page of ten, then a service', async () => {
    const page = await json<{ count: number; results: GeoserviceItem[] }>(
      'geoservices/?search=roads&type=tms&epsg=3857&limit=10',
    )
    expect(page.count).toBe(1)
    expect(await detail(`geoservices/${page.results[0]?.id}`)).toMatchObject({ name: 'Roads' })
  })
})

describe('the web page of the catalog', () => {
  test('sends empty values for filters that are not set', async () => {
    const page = await json<{ count: number }>(
      'geoservices/?limit=10&offset=&type=&search=&submitter=&ordering=&epsg=&cumulative_status=&intersects_extent=',
    )
    expect(page.count).toBe(4)
  })
})
