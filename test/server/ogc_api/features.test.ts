import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { drivers } from '../../support/drivers.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { letGuests, publish, publishTowns, wfsTowns } from '../../support/wfs.ts'

interface Collection {
  readonly numberMatched: number
  readonly numberReturned: number
  readonly links: readonly { readonly rel: string; readonly href: string; readonly type: string }[]
  readonly features: readonly {
    readonly id: number
    readonly geometry: { readonly coordinates: readonly number[] } | null
    readonly properties: Readonly<Record<string, unknown>>
  }[]
}

describe.each(drivers)('OGC API Features on %s', (driver) => {
  let server: TestServer
  let base: string
  beforeAll(async () => {
    server = await startTestServer(driver)
    const { service } = await publishTowns(server.admin, 'Towns')
    base = `/api/resource/${service}/ogcapi`
  })
  afterAll(() => server.stop())

  const read = async (path: string) => {
    const answer = await server.admin('GET', `${base}${path}`)
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
    return answer
  }
  const readItems = async (parameters: Readonly<Record<string, string>>): Promise<Collection> =>
    (await read(`/collections/towns/items?${new URLSearchParams(parameters)}`)).json()
  const names = async (parameters: Readonly<Record<string, string>>) =>
    (await readItems(parameters)).features.map(({ properties }) => properties.name)

  it('describes itself: landing page, conformance, collections, queryables, definition', async () => {
    const landing = await (await read('')).json<{ links: { rel: string; href: string }[] }>()
    const rels = ['self', 'service-desc', 'conformance', 'data']
    expect(landing.links.map(({ rel }) => rel)).toEqual(expect.arrayContaining(rels))
    for (const { href } of landing.links) {
      const answer = await server.admin('GET', href.replace(server.url, ''))
      expect([href, answer.status]).toEqual([href, 200])
    }
    const { collections } = await (await read('/collections')).json<{ collections: object[] }>()
    expect(collections).toEqual([
      expect.objectContaining({
        id: 'towns',
        title: 'Towns',
        itemType: 'feature',
        storageCrs: 'http://www.opengis.net/def/crs/EPSG/0/3857',
        extent: { spatial: { bbox: [expect.any(Array)], crs: expect.stringContaining('CRS84') } },
      }),
    ])
    expect(await (await read('/collections/towns')).json()).toEqual(collections[0])
    const queryables = await (await read('/collections/towns/queryables')).json<{ properties: object }>()
    expect(queryables.properties).toMatchObject({ name: { type: 'string' }, since: { format: 'date' } })
    const definition = await read('/api')
    expect(definition.headers.get('content-type')).toContain('openapi+json;version=3.0')
    const { paths } = await definition.json<{ paths: object }>()
    expect(Object.keys(paths)).toContain('/collections/{collection}/items')
  })

  it('returns features in degrees, with all their values', async () => {
    const items = await readItems({})
    expect([items.numberMatched, items.numberReturned]).toEqual([4, 4])
    const [oslo, , , last] = items.features
    expect(oslo?.geometry?.coordinates[0]).toBeCloseTo(10.75, 9)
    const { area, ...others } = wfsTowns[0].fields as { readonly area: string }
    expect(oslo?.properties).toMatchObject({
      ...others,
      seen: expect.stringContaining('2020-01-31T23:59:59'),
    })
    expect(last).toMatchObject({ geometry: null, properties: { name: null } })
    const text = await (await read('/collections/towns/items/1')).text()
    // Beyond 2^53, as in every GeoJSON.
    expect(text).toContain(`"area":"${area}"`)
  })

  it('returns pages with links', async () => {
    const first = await readItems({ limit: '2', filter: 'people > 0' })
    expect(first).toMatchObject({ numberMatched: 3, numberReturned: 2 })
    const next = first.links.find(({ rel }) => rel === 'next')?.href ?? ''
    const second = await (await server.admin('GET', next.replace(server.url, ''))).json<Collection>()
    expect(second.features.map(({ id }) => id)).toEqual([3])
    expect(second.links.map(({ rel }) => rel)).toEqual(['self', 'alternate', 'prev', 'collection'])
  })

  it.each([
    [{ filter: "name LIKE 'O%'" }, ['Oslo']],
    [{ filter: "CASEI(name) = CASEI('WIEN')" }, ['Wien']],
    [{ filter: 'people BETWEEN 600000 AND 800000 AND NOT height IS NULL' }, ['Oslo']],
    [{ filter: '"2020 total" = 1' }, ['Oslo']],
    [{ filter: "since < DATE('1000-01-01')" }, ['Wien']],
    [{ filter: "since = TIMESTAMP('1048-01-01T00:00:00Z')" }, ['Oslo']],
    [{ filter: "since BETWEEN '1047-12-31T12:00:00' AND '1048-01-01'" }, ['Oslo']],
    [{ filter: "seen > DATE('2020-01-31')" }, ['Oslo']],
    [{ filter: 'since < seen' }, ['Oslo']],
    [{ since: '1048-01-01T00:00:00Z' }, ['Oslo']],
    [{ filter: 'S_WITHIN(geometry, BBOX(15, 45, 20, 55))', sortby: '-people' }, ['Wien', 'Łódź & <co> "x"']],
    [
      {
        filter: 'S_INTERSECTS(geometry, POLYGON((47 16, 49 16, 49 17, 47 17, 47 16)))',
        'filter-crs': 'http://www.opengis.net/def/crs/EPSG/0/4326',
      },
      ['Wien'],
    ],
    [{ filter: 'geometry IS NULL' }, [null]],
    [{ bbox: '10,50,17,60' }, ['Oslo']],
    [{ bbox: '-180,-90,180,90', limit: '1' }, ['Oslo']],
    [{ bbox: '170,-90,12,90' }, ['Oslo']],
    [{ bbox: '47,16,49,17', 'bbox-crs': 'http://www.opengis.net/def/crs/EPSG/0/4326' }, ['Wien']],
    [{ name: 'Wien' }, ['Wien']],
    [{ id: '2' }, ['Wien']],
    [{ sortby: '-people', limit: '1', filter: 'people IS NOT NULL' }, ['Wien']],
  ])('selects by %j', async (parameters, expected) => {
    expect(await names(parameters as unknown as Record<string, string>)).toEqual(expected)
  })

  it('returns coordinates in the order of the reference system, and names it', async () => {
    const crs = 'http://www.opengis.net/def/crs/EPSG/0/4326'
    const answer = await read(`/collections/towns/items?limit=1&crs=${encodeURIComponent(crs)}`)
    expect(answer.headers.get('content-crs')).toBe(`<${crs}>`)
    const { features } = await answer.json<Collection>()
    expect(features[0]?.geometry?.coordinates[0]).toBeCloseTo(59.91, 9)
  })

  it('returns the wanted properties only', async () => {
    const { features } = await readItems({ properties: 'people,name', skipGeometry: 'true', id: '1' })
    expect(features).toEqual([
      { type: 'Feature', id: 1, geometry: null, properties: { name: 'Oslo', people: 709_000 } },
    ])
  })

  it.each([
    ['items?limit=0', 400, 'limit: expected a whole number of at least 1'],
    ['items?nam=x', 400, 'nam: unknown parameter'],
    ['items?bbox=1,2,3', 400, 'bbox: expected four or six numbers'],
    ['items?bbox=1,5,3,2', 400, 'bbox: the lower edge'],
    ['items?crs=EPSG:9999', 400, 'crs: the collection is not offered in'],
    ['items?filter=people%20%3D', 400, 'at character 9'],
    ['items?filter-lang=cql2-json', 400, 'filter-lang'],
    ['items?sortby=x', 400, 'sortby: the collection has no property'],
    ['items?datetime=yesterday', 400, 'datetime: expected a time'],
    ['items?people=many', 400, 'people'],
    ['items?f=xml', 400, 'f: the format'],
    ['items/77', 404, 'no feature with id 77'],
    ['tiles/x/0/0/0', 404, 'no tile matrix set'],
    ['tiles/WebMercatorQuad/1/7/0', 400, 'does not exist at zoom level'],
    ['tiles/WebMercatorQuad/25/0/0', 400, 'zoom levels are 0 to 24'],
    ['tiles/WebMercatorQuad/0/-1/0', 404, 'No route matches'],
  ])('refuses %s with %i', async (path, status, message) => {
    const answer = await server.admin('GET', `${base}/collections/towns/${path}`)
    expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(message)])
  })

  it('shows every document as a page', async () => {
    const feature = '/collections/towns/items/3'
    for (const path of ['', '/api', '/collections', '/collections/towns/items', feature, '/tileMatrixSets']) {
      const answer = await server.admin('GET', `${base}${path}`, undefined, { accept: 'text/html,*/*' })
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      const html = await answer.text()
      expect(html).not.toContain('<co>')
      if (path === feature) expect(html).toContain('Łódź &amp; &lt;co&gt; &quot;x&quot;')
    }
  })

  it('offers vector tiles', async () => {
    const tileset = await (await read('/collections/towns/tiles/WebMercatorQuad')).json<{
      links: { href: string }[]
      layers: { id: string }[]
    }>()
    const template = tileset.links.find(({ href }) => href.includes('{tileMatrix}'))?.href ?? ''
    const path = template.replace(server.url, '').replace('{tileMatrix}/{tileRow}/{tileCol}', '0/0/0')
    const tile = await server.admin('GET', path)
    expect([tile.status, tile.headers.get('content-type')]).toEqual([
      200,
      'application/vnd.mapbox-vector-tile',
    ])
    const { layers } = new VectorTile(new PbfReader(new Uint8Array(await tile.arrayBuffer())))
    expect(Object.keys(layers)).toEqual(tileset.layers.map(({ id }) => id))
    expect(Object.keys(layers)).toEqual(['towns'])
  })

  it('shows each caller the layers that he may read, and asks guests for credentials', async () => {
    const [open, hidden] = [
      await publishTowns(server.admin, 'Open towns'),
      await publishTowns(server.admin, 'Hidden towns'),
    ]
    const entry = (keyname: string, layer: number) => ({ keyname, display_name: keyname, resource_id: layer })
    const layers = [entry('open', open.layer), entry('hidden', hidden.layer)]
    const { service } = await publish(server.admin, 'Half', { layers })
    const path = `/api/resource/${service}/ogcapi/collections`
    const refused = await server.guest('GET', path)
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringMatching(/^Basic/),
    ])
    await letGuests(server.admin, { layer: open.layer, service })
    expect(await (await server.guest('GET', path)).json()).toMatchObject({ collections: [{ id: 'open' }] })
    expect((await server.guest('GET', `${path}/hidden/items`)).status).toBe(404)
    expect((await server.guest('GET', `${path}/open/items`)).status).toBe(200)
  })
})
