import { beforeAll, expect, test } from 'vitest'
import { askWms } from '../../support/map_service.ts'
import { sendBody } from '../../support/misbehaving.ts'
import { makeRaster } from '../../support/raster.ts'
import { uploadContent } from '../../support/samples.ts'
import { type Ask, describeServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'
import { useService } from '../../support/wms.ts'

const startUpstream = useService()

const half = 20_037_508.342789244

/** What the other service finds. */
const road = {
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      geometry: null,
      properties: { name: 'A & <b>', 'max speed': 50, tags: ['a'], end: null },
    },
  ],
}

describeServer(
  'images of a WMS service',
  (start) => {
    let admin: Ask
    let path: string
    beforeAll(async () => {
      admin = (await start()).admin
      const values = { width: 20, height: 10, bands: 1, type: 'Float32', noData: 0 } as const
      const place = { srs: 3857, geoTransform: [1e6, 10, 0, 6e6, 0, -10] }
      const raster = makeRaster({ ...values, ...place, value: (_, column) => column / 4 })
      const source = await uploadContent(admin, raster)
      const layer = await createResource(admin, {
        ...{ cls: 'raster_layer', name: 'Heights', members: { raster_layer: { source } } },
      })
      const style = await createResource(admin, {
        ...{ cls: 'raster_style', parent: layer, name: 'Grey', members: { raster_style: {} } },
      })
      const upstream = await startUpstream()
      upstream.answer = sendBody('application/json', JSON.stringify(road))
      const { url } = upstream
      const id = await createResource(admin, {
        ...{ cls: 'wmsclient_connection', name: 'Upstream' },
        members: { wmsclient_connection: { url, version: '1.3.0' } },
      })
      const external = await createResource(admin, {
        ...{ cls: 'wmsclient_layer', name: 'External roads' },
        members: {
          wmsclient_layer: {
            ...{ connection: { id }, srs: { id: 3857 }, imgformat: 'image/png', wmslayers: 'roads' },
          },
        },
      })
      const layers = [
        { keyname: 'heights', display_name: 'Heights & more', resource_id: style },
        { keyname: 'ext:roads', display_name: 'Roads', resource_id: external },
      ]
      const service = await createResource(admin, {
        ...{ cls: 'wmsserver_service', name: 'Images', members: { wmsserver_service: { layers } } },
      })
      path = `/api/resource/${service}`
    })

    /** Asks what is at a pixel of 20 × 10 pixels, which are those of the raster. */
    const info = async (layers: string, own: Record<string, string> = {}) => {
      const place = { crs: 'EPSG:3857', bbox: '1000000,5999900,1000200,6000000', width: '20', height: '10' }
      const asked = { request: 'GetFeatureInfo', layers, query_layers: layers, i: '7', j: '3' }
      return (await askWms(admin, { path }, { ...place, ...asked, ...own })).text()
    }

    test('can be queried', async () => {
      const xml = await (await askWms(admin, { path }, { request: 'GetCapabilities' })).text()
      expect(xml.match(/queryable="1"/g)).toHaveLength(2)
    })

    test('tells the values of rasters as text, HTML, GeoJSON and GML', async () => {
      expect(await info('heights', { info_format: 'text/plain' })).toBe('Heights & more: 1\n  Gray: 1.75\n')
      expect(await info('heights', { info_format: 'text/html' })).toContain(
        '<caption>Heights &amp; more: 1</caption><tr><th>Gray</th><td>1.75</td></tr>',
      )
      expect(JSON.parse(await info('heights', { info_format: 'application/json' })).features).toEqual([
        { type: 'Feature', id: 'heights.1', geometry: null, properties: { Gray: 1.75 } },
      ])
      expect(await info('heights', { info_format: 'application/vnd.ogc.gml' })).toContain(
        '<svc:heights fid="heights.1"><svc:Gray>1.75</svc:Gray></svc:heights>',
      )
    })

    test('finds nothing where a raster has no data, or lies elsewhere', async () => {
      const plain = { info_format: 'text/plain' }
      expect(await info('heights', { ...plain, i: '0' })).toBe('No features were found.\n')
      const world = { bbox: `${-half},${-half},${half},${half}` }
      expect(await info('heights', { ...plain, ...world })).toBe('No features were found.\n')
    })

    test('finds values in every copy of the world', async () => {
      for (const copy of [-2 * half, 2 * half]) {
        const bbox = [1_000_000 + copy, 5_999_900, 1_000_200 + copy, 6_000_000].join()
        expect(await info('heights', { info_format: 'text/plain', bbox })).toContain('Gray: 1.75\n')
      }
    })

    test('passes on what other services find, under the place of the pixel', async () => {
      const upstream = await startUpstream()
      upstream.requests.length = 0
      const found = JSON.parse(await info('ext:roads', { info_format: 'application/json' }))
      expect(found.features).toEqual([
        {
          ...{ type: 'Feature', id: 'ext_roads.1', geometry: null },
          properties: { name: 'A & <b>', 'max speed': 50, tags: '["a"]', end: null },
        },
      ])
      const [, asked = ''] = upstream.requests[0]?.split(' ') ?? []
      const { searchParams } = new URL(asked, upstream.url)
      const [minX = 0, minY = 0, maxX = 0, maxY = 0] = (searchParams.get('BBOX') ?? '').split(',').map(Number)
      expect([(minX + maxX) / 2, (minY + maxY) / 2]).toEqual([1_000_075, 5_999_965])
      const gml = await info('ext:roads', { info_format: 'application/vnd.ogc.gml' })
      expect(gml).toContain('<svc:max_speed>50</svc:max_speed>')
      expect(gml).toContain('<svc:name>A &amp; &lt;b&gt;</svc:name>')
    })

    test('reports a failure of the other service as an exception', async () => {
      const upstream = await startUpstream()
      const { answer } = upstream
      upstream.answer = sendBody('text/html', '<html>Sorry</html>')
      expect(await info('ext:roads', { info_format: 'text/plain' })).toMatch(
        /ServiceException.*describes no features as JSON, GML or text/s,
      )
      upstream.answer = answer
    })
  },
  { allowPrivateAddresses: true },
)
