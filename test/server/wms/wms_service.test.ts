import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { parseWmsCapabilities } from '../../../src/ogc/wms_capabilities.ts'
import { connectService } from '../../support/connected_service.ts'
import { askWms, publishMaps, type TestMaps, wholeMap } from '../../support/map_service.ts'
import { describeServer, type TestServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'
import { createUser, userPassword } from '../../support/users.ts'

describeServer(
  'a WMS service',
  (start) => {
    let server: TestServer
    let maps: TestMaps
    beforeAll(async () => {
      server = await start()
      maps = await publishMaps(server)
    })
    const ask = async (parameters: Record<string, string>) =>
      (await askWms(server.guest, maps, parameters)).text()
    const capabilities = (version = '1.3.0') => ask({ request: 'GetCapabilities', version })
    /** Asks for the features at the centre of the square, or at a pixel. */
    const info = (format: string, own: Record<string, string> = {}) =>
      ask({
        request: 'GetFeatureInfo',
        query_layers: 'square',
        info_format: format,
        i: '50',
        j: '50',
        ...own,
      })

    test('lists layers with boxes, styles, legends and scale limits', async () => {
      const xml = await capabilities()
      const { layers, formats } = parseWmsCapabilities(xml)
      expect(formats).toEqual(['image/png', 'image/jpeg', 'image/webp'])
      expect(layers.map(({ id, title }) => [id, title])).toEqual([
        ['square', 'Squares & more'],
        ['road', 'Roads'],
        ['town', 'Towns'],
      ])
      expect(layers[0]?.bbox?.map((edge) => Math.round(edge * 1e6) / 1e6)).toEqual([10, 10, 20, 20])
      expect(xml).toMatch(
        /<BoundingBox CRS="EPSG:4326" minx="0" miny="15" maxx="0?[.\d]+" maxy="30"|<BoundingBox CRS="EPSG:4326" minx="15" miny="0" maxx="15[.\d]*" maxy="30"/,
      )
      // Those of the layers are among them.
      const systems = [3857, 4326, 3395, 4258, 3035].map((code) => `EPSG:${code}`)
      const announced = (text: string) =>
        [...text.matchAll(/<[CS]RS>([^<]*)<\/[CS]RS>/g)].map(([, name]) => name)
      expect(announced(xml)).toEqual([...systems, 'CRS:84'])
      expect(xml).toContain('<MaxScaleDenominator>5000000</MaxScaleDenominator>')
      expect(xml).toContain('<MaxWidth>8192</MaxWidth>')
      expect(xml).toMatch(/<LegendURL.*REQUEST=GetLegendGraphic&amp;FORMAT=image%2Fpng&amp;LAYER=square"/)
      expect(xml).not.toMatch(/Dimension|Extent name|NaN|Infinity/)
      const old = await capabilities('1.1.1')
      expect(announced(old)).toEqual(systems)
      expect(old).toMatch(/<ScaleHint min="0" max="1979.89\d*"\/>/)
      expect(parseWmsCapabilities(old).layers[0]?.bbox?.map(Math.round)).toEqual([10, 10, 20, 20])
    })

    test('states the boxes of layers of external services that their capabilities state', async () => {
      const createLayerOf = await connectService(server, 0)
      const layers: { keyname: string; display_name: string; resource_id: number }[] = []
      for (const name of ['roads', 'islands', 'rails'])
        layers.push({ keyname: name, display_name: name, resource_id: await createLayerOf(name) })
      const service = await createResource(server.admin, {
        ...{ cls: 'wmsserver_service', name: 'Others' },
        members: { wmsserver_service: { layers } },
      })
      const address = `/api/resource/${service}/wms?service=WMS&version=1.3.0&request=GetCapabilities`
      const xml = await (await server.admin('GET', address)).text()
      const boxes = xml
        .split('<Layer queryable')
        .slice(1)
        .map((text) => [
          /<Name>(\w+)/.exec(text)?.[1],
          [...text.matchAll(/BoundLongitude>(-?[\d.]+)</g)].map(([, edge]) => Number(edge)),
        ])
      expect(boxes).toEqual([
        ['roads', [5, 15]],
        ['islands', [-180, 180]],
        ['rails', []],
      ])
    })

    test('states the address that the client uses', async () => {
      const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'maps.example.org' }
      for (const kind of ['wms', 'wmts']) {
        const path = `${maps.path}/${kind}`
        const answer = await server.guest(
          'GET',
          `${path}/?service=${kind}&request=GetCapabilities`,
          undefined,
          headers,
        )
        const xml = await answer.text()
        const urls = [...xml.matchAll(/(?:xlink:href|template)="([^"]*)"/g)].map(([, url = '']) => url)
        expect(urls.length).toBeGreaterThan(5)
        const start = `https://maps.example.org${maps.path}/`
        // Legends of tiles are those of the web map service.
        const expected = /^(?:wmts\b|wms\?.*GetLegendGraphic)/
        const others = urls.filter(
          (url) =>
            !url.startsWith(start) || !(kind === 'wms' ? /^wms\b/ : expected).test(url.slice(start.length)),
        )
        expect(others).toEqual([])
      }
    })

    test('finds the features at a pixel as text, HTML, GeoJSON and GML', async () => {
      expect(await info('text/plain')).toBe(
        'Squares & more: 1\n  name: A & <b>\n  people: 9007199254740993\n  since: 2001-02-03\n  empty: \n',
      )
      const html = await info('text/html')
      expect(html).toContain('<tr><th>Name</th><td>A &amp; &lt;b&gt;</td></tr>')
      const json = JSON.parse(await info('application/json'))
      expect(json).toEqual({
        type: 'FeatureCollection',
        features: [
          {
            type: 'Feature',
            id: 'square.1',
            geometry: {
              type: 'Polygon',
              coordinates: [
                [
                  [10, 10],
                  [20, 10],
                  [20, 20],
                  [10, 20],
                  [10, 10],
                ],
              ],
            },
            properties: { name: 'A & <b>', people: '9007199254740993', since: '2001-02-03', empty: null },
          },
        ],
      })
      const gml = await info('application/vnd.ogc.gml')
      expect(gml).toContain('<gml:coordinates>10,10 20,10 20,20 10,20 10,10</gml:coordinates>')
      expect(gml).toContain('<svc:name>A &amp; &lt;b&gt;</svc:name>')
      const mercator = JSON.parse(
        await info('application/json', { crs: 'EPSG:3857', bbox: '1100000,1100000,2300000,2300000' }),
      )
      expect(mercator.crs.properties.name).toBe('urn:ogc:def:crs:EPSG::3857')
      expect(mercator.features[0].geometry.coordinates[0][0]).toEqual([1_113_194.908, 1_118_889.975])
    })

    test('finds points and lines within a tolerance, in all requested layers that are drawn', async () => {
      const found = async (own: Record<string, string>) => {
        const text = await info('application/json', { feature_count: '10', ...own })
        return JSON.parse(text).features.map(({ id }: { id: string }) => id)
      }
      const town = { layers: 'town,square', query_layers: 'town,square' }
      expect(await found({ ...town, i: '54', j: '46' })).toEqual(['town.1', 'square.1'])
      expect(await found({ ...town, i: '57', j: '46' })).toEqual(['square.1'])
      expect(await found({ ...town, i: '57', j: '46', tolerance: '9' })).toEqual(['town.1', 'square.1'])
      expect(await found({ ...town, i: '54', j: '46', tolerance: '0' })).toEqual(['square.1'])
      expect(await found({ query_layers: 'road' })).toEqual([])
      expect(await found({ query_layers: 'road', bbox: '14.99,14.99,15.01,15.01' })).toEqual(['road.1'])
      expect(await found({ i: '5', j: '5' })).toEqual([])
      expect(await found({ bbox: '-100,-300,100,300', i: '1' })).toEqual([])
      expect(await info('text/plain', { i: '5', j: '5' })).toBe('No features were found.\n')
    })

    test('finds features in every copy of the world, and on both sides of the antimeridian', async () => {
      const found = async (west: number, own: Record<string, string> = {}) => {
        const copies = [
          { crs: 'CRS:84', bbox: [west, 14, west + 2, 16].join() },
          { crs: 'EPSG:3857', bbox: [west, 14, west + 2, 16].map((degrees) => degrees * metres).join() },
        ]
        const layers = { layers: 'town,square', query_layers: 'town,square', feature_count: '10' }
        const texts = await Promise.all(
          copies.map((place) => info('application/json', { ...layers, ...place, ...own })),
        )
        return texts.map((text) => JSON.parse(text).features.map(({ id }: { id: string }) => id))
      }
      const metres = 20_037_508.342789244 / 180
      // In EPSG:3857, the town lies 14.8° north in these units, which is within the tolerance.
      const near = { tolerance: '20' }
      for (const copy of [-1080, -360, 0, 360, 720])
        expect(await found(14 + copy, near)).toEqual(Array(2).fill(['town.1', 'square.1']))
      expect(await found(194)).toEqual([[], []])
    })

    test('shows each caller the layers that the caller may read', async () => {
      const { admin, database } = server
      const reader = await createUser(database, 'reader')
      const { resource } = await (await admin('GET', `/api/resource/${maps.squareLayer}`)).json<{
        resource: { permissions: object[] }
      }>()
      const deny = {
        ...{ action: 'deny', principal: { id: reader }, identity: '', scope: 'data', permission: 'read' },
        propagate: true,
      }
      await admin('PUT', `/api/resource/${maps.squareLayer}`, {
        resource: { permissions: [...resource.permissions, deny] },
      })
      const own = server.as('reader', userPassword)
      const answer = await askWms(own, maps, { request: 'GetCapabilities' })
      // The rules of the group name guests only.
      expect(answer.status).toBe(403)
      const rules = ['resource.read', 'data.read', 'service.connect'].map((rule) => {
        const [scope, permission] = rule.split('.')
        return { ...deny, action: 'allow', scope, permission }
      })
      const root = await (await admin('GET', '/api/resource/0')).json<{
        resource: { permissions: object[] }
      }>()
      await admin('PUT', '/api/resource/0', {
        resource: { permissions: [...root.resource.permissions, ...rules] },
      })
      const visible = parseWmsCapabilities(
        await (await askWms(own, maps, { request: 'GetCapabilities' })).text(),
      )
      expect(visible.layers.map(({ id }) => id)).toEqual(['road', 'town'])
      for (const parameters of [{}, { request: 'GetFeatureInfo', query_layers: 'square', i: '1', j: '1' }]) {
        const refused = await askWms(own, maps, parameters)
        expect([refused.status, await refused.text()]).toEqual([
          400,
          expect.stringContaining('LayerNotDefined'),
        ])
      }
      const tile = `${maps.path}/wmts/1.0.0/square/default/GoogleMapsCompatible/0/0/0.png`
      expect((await own('GET', tile)).status).toBe(400)
      expect((await server.guest('GET', tile)).status).toBe(200)
    })

    test('asks guests without permission for credentials', async () => {
      const { service } = maps
      const hidden = await createResource(server.admin, {
        cls: 'wmsserver_service',
        name: 'Hidden',
        members: { wmsserver_service: { layers: [] } },
      })
      expect(hidden).toBeGreaterThan(service)
      for (const path of ['wms?service=WMS&request=GetCapabilities', 'wmts/1.0.0/WMTSCapabilities.xml']) {
        const answer = await server.guest('GET', `/api/resource/${hidden}/${path}`)
        expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
          401,
          expect.stringContaining('Basic'),
        ])
        expect(await answer.text()).toMatch(/<(ServiceExceptionReport|ows:ExceptionReport)/)
        expect((await server.admin('GET', `/api/resource/${hidden}/${path}`)).status).toBe(200)
      }
      const other = await server.admin(
        'GET',
        `/api/resource/${maps.squareLayer}/wms?service=WMS&request=GetCapabilities`,
      )
      expect([other.status, await other.text()]).toEqual([404, expect.stringContaining('ServiceException')])
    })

    test('publishes 1,000 layers, and refuses requests for too many', async () => {
      const layers = Array.from({ length: 1000 }, (_, at) => ({
        ...{ keyname: `layer,${at}`, display_name: `Layer ${at}`, resource_id: maps.squareStyle },
      }))
      const service = await createResource(server.admin, {
        cls: 'wmsserver_service',
        name: 'Thousand',
        members: { wmsserver_service: { layers } },
      })
      const many = { path: `/api/resource/${service}` }
      const xml = await (await askWms(server.admin, many, { request: 'GetCapabilities' })).text()
      expect(parseWmsCapabilities(xml).layers).toHaveLength(1000)
      const names = Array.from({ length: 1000 }, (_, at) => `layer_${at}`)
      const refused = await askWms(server.admin, many, { layers: names.join() })
      expect([refused.status, await refused.text()]).toEqual([
        400,
        expect.stringContaining('the limit is 100'),
      ])
      const drawn = await askWms(server.admin, many, { layers: names.slice(0, 100).join() })
      expect([drawn.status, drawn.headers.get('content-type')]).toEqual([200, 'image/png'])
    })

    test('answers WMTS tiles and features, in parameters and paths', async () => {
      const set = 'GoogleMapsCompatible'
      const kvp = (own: Record<string, string>) => {
        const all = {
          service: 'WMTS',
          version: '1.0.0',
          request: 'GetTile',
          layer: 'square',
          style: 'default',
        }
        const tile = { tilematrixset: set, tilematrix: '3', tilerow: '3', tilecol: '4', format: 'image/png' }
        return server.guest('GET', `${maps.path}/wmts?${new URLSearchParams({ ...all, ...tile, ...own })}`)
      }
      const bytes = async (answer: { arrayBuffer(): Promise<ArrayBuffer> }) =>
        Buffer.from(await answer.arrayBuffer())
      const tile = await kvp({})
      expect([tile.status, tile.headers.get('content-type')]).toEqual([200, 'image/png'])
      const start = `${maps.path}/wmts/1.0.0/square/default`
      const rest = await server.guest('GET', `${start}/${set}/3/3/4.png`)
      const drawn = await bytes(rest)
      expect(drawn.equals(await bytes(tile))).toBe(true)
      const style = maps.squareStyle
      const plain = await server.admin('GET', `/api/component/render/tile?z=3&x=4&y=3&resource=${style}`)
      expect(drawn.equals(await bytes(plain))).toBe(true)
      const large = await bytes(await server.guest('GET', `${start}/${set}512/3/3/4.webp`))
      expect(large.subarray(8, 12).toString()).toBe('WEBP')
      const jpeg = await server.guest('GET', `${start}/${set}/3/3/4.jpg`)
      expect(jpeg.headers.get('content-type')).toBe('image/jpeg')
      // 15° east and north, of a tile from 0° to 45° east and 0° to 41° north.
      const info = await server.guest('GET', `${start}/${set}/3/3/4/167/85.json`)
      expect((await info.json<{ features: { id: string }[] }>()).features.map(({ id }) => id)).toEqual([
        'square.1',
      ])
      for (const answer of [
        await kvp({ tilerow: '8' }),
        await server.guest('GET', `${start}/${set}/3/8/4.png`),
      ])
        expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('TileOutOfRange')])
      expect(await (await kvp({ layer: 'rivers' })).text()).toMatch(/InvalidParameterValue" locator="Layer"/)
    })

    test('states legends of tiles, which its web map service draws', async () => {
      for (const path of ['wmts?service=WMTS&request=GetCapabilities', 'wmts/1.0.0/WMTSCapabilities.xml']) {
        const xml = await (await server.guest('GET', `${maps.path}/${path}`)).text()
        const [, href = '', width, height] =
          /<LegendURL format="image\/png" xlink:href="([^"]*)" width="(\d+)" height="(\d+)"\/>/.exec(xml) ??
          []
        const answer = await server.guest('GET', href.replaceAll('&amp;', '&').replace(server.url, ''))
        expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
        const image = await sharp(Buffer.from(await answer.arrayBuffer())).metadata()
        expect([image.width, image.height]).toEqual([Number(width), Number(height)])
      }
    })

    test('describes tiles of layers, styles and services as TileJSON', async () => {
      const describe = async (id: number, query = '') => {
        const answer = await server.guest('GET', `/api/resource/${id}/tilejson.json${query}`)
        expect(answer.status).toBe(200)
        return answer.json<{ tiles: string[]; bounds: number[]; name: string; vector_layers?: object[] }>()
      }
      const fetchTile = ([template = '']: string[]) =>
        server.guest(
          'GET',
          template.slice(server.url.length).replace('{z}', '3').replace('{x}', '4').replace('{y}', '3'),
        )
      const layer = await describe(maps.squareLayer)
      expect(layer).toMatchObject({
        tilejson: '3.0.0',
        format: 'pbf',
        name: 'Squares',
        minzoom: 0,
        maxzoom: 22,
      })
      expect(layer.bounds.map(Math.round)).toEqual([10, 10, 20, 20])
      expect(layer.vector_layers).toMatchObject([
        {
          id: `svc:${maps.squareLayer}`,
          fields: { name: 'String', people: 'Number', since: 'String', empty: 'Number' },
        },
      ])
      expect((await fetchTile(layer.tiles)).headers.get('content-type')).toContain('vector-tile')
      for (const [id, query] of [
        [maps.squareLayer, '?format=png'],
        [maps.squareStyle, ''],
        [maps.service, ''],
        [maps.service, '?layer=road'],
      ] as const) {
        const pictures = await describe(id, query)
        expect(pictures).toMatchObject({ format: 'png' })
        expect((await fetchTile(pictures.tiles)).headers.get('content-type')).toBe('image/png')
      }
      // Resources of an image are listed from bottom to top, those of a service from top to bottom.
      const [all = ''] = (await describe(maps.service)).tiles
      expect(all).toMatch(new RegExp(`resource=\\d+,${maps.roadStyle},${maps.squareStyle}$`))
      const refused = await server.guest('GET', `/api/resource/${maps.service}/tilejson.json?layer=rivers`)
      expect(refused.status).toBe(422)
      expect((await server.guest('GET', '/api/resource/9999/tilejson.json')).status).toBe(404)
    })

    test('needs the parameters of a map', async () => {
      for (const name of ['layers', 'crs', 'bbox', 'width', 'height'])
        expect(await ask({ [name]: '' })).toContain(`The parameter ${name.toUpperCase()} is missing.`)
      expect(Object.keys(wholeMap)).toContain('bbox')
    })
  },
  { trustedProxies: ['127.0.0.1'] },
)
