import type { RequestListener } from 'node:http'
import sharp from 'sharp'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { publishRoot } from '../../../support/map.ts'
import { type Ask, describeServer } from '../../../support/server.ts'
import { allow, createLayer, createResource, createStyle } from '../../../support/tree.ts'
import { principalId } from '../../../support/users.ts'
import { type TestService, useService } from '../../../support/wms.ts'

const startService = useService()

interface Symbol {
  readonly index: number
  readonly display_name: string
  readonly icon: { readonly data: string }
}

const red = [255, 0, 0, 255]

/** Answers GetLegendGraphic with a red image of 30 × 20 pixels. */
const answerLegend: RequestListener = async (_, response) => {
  const create = { width: 30, height: 20, channels: 3, background: '#ff0000' } as const
  response.writeHead(200, { 'content-type': 'image/png' }).end(await sharp({ create }).png().toBuffer())
}

async function picture(bytes: Uint8Array) {
  const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const colors = Array.from({ length: info.width * info.height }, (_, at) =>
    [...data.subarray(4 * at, 4 * at + 4)].join(),
  )
  return { ...info, count: (color: readonly number[]) => colors.filter((one) => one === color.join()).length }
}

const read = async (ask: Ask, path: string) => {
  const answer = await ask('GET', path)
  if (answer.status !== 200) throw new Error(await answer.text())
  return picture(await answer.bytes())
}

describeServer(
  'legends of other services and of web maps',
  (start) => {
    let admin: Ask
    let guest: Ask
    let service: TestService
    let wms: number
    let map: number
    let broken: number
    let brokenMap: number
    let maps: number

    beforeAll(async () => {
      const server = await start()
      admin = server.admin
      guest = server.guest
      service = await startService()
      const reader = await principalId(server.database, 'guest')
      await publishRoot(admin, reader)
      const permissions = [allow(reader, 'resource', 'read'), allow(reader, 'webmap', 'display')]
      const parent = await createResource(admin, {
        ...{ cls: 'resource_group', name: 'Shown' },
        resource: { permissions: [...permissions, allow(reader, 'data', 'read')] },
      })
      const connection = await createResource(admin, {
        ...{ cls: 'wmsclient_connection', name: 'Service' },
        members: { wmsclient_connection: { url: `${service.url}/?key=S3cretKey`, version: '1.3.0' } },
      })
      const own = { connection: { id: connection }, srs: { id: 3857 }, imgformat: 'image/png' }
      const createWms = (name: string, wmslayers: string) =>
        createResource(admin, {
          ...{ cls: 'wmsclient_layer', name, parent },
          members: { wmsclient_layer: { ...own, wmslayers } },
        })
      wms = await createWms('Roads', 'roads,rails')
      broken = await createWms('Broken', 'broken')
      const layer = await createLayer(admin, { parent, name: 'Areas', geometryType: 'POLYGON' })
      const style = await createStyle(admin, {
        ...{ parent: layer, name: 'Blue', inner: '<color red="0" green="0" blue="255"/>' },
      })
      const item = (display_name: string, layer_style_id: number) => ({
        ...{ item_type: 'layer', display_name, layer_style_id },
      })
      const group = { item_type: 'group', display_name: 'Group', children: [item('My areas', style)] }
      const createMap = (name: string, id: number) => {
        const root_item = { item_type: 'root', children: [item('My roads', id), group] }
        return createResource(admin, { cls: 'webmap', parent, name, members: { webmap: { root_item } } })
      }
      map = await createMap('Map', wms)
      brokenMap = await createMap('Broken map', broken)
      const layers = [{ keyname: 'roads', display_name: 'Roads', resource_id: wms }]
      maps = await createResource(admin, {
        ...{ cls: 'wmsserver_service', parent, name: 'Maps', members: { wmsserver_service: { layers } } },
      })
    })
    beforeEach(() => {
      service.answer = answerLegend
      service.requests.length = 0
    })

    test('a layer of a service has the pictures of its layers, which are fetched once', async () => {
      const legend = await read(admin, `/api/resource/${wms}/legend`)
      expect(legend.count(red)).toBe(2 * 30 * 20)
      const asked = service.requests.map((request) => new URL(request.split(' ')[1] ?? '', service.url))
      expect(asked.map(({ searchParams }) => searchParams.get('LAYER')).toSorted()).toEqual([
        'rails',
        'roads',
      ])
      expect(Object.fromEntries(asked[0]?.searchParams ?? [])).toMatchObject({
        ...{ SERVICE: 'WMS', REQUEST: 'GetLegendGraphic', VERSION: '1.3.0', SLD_VERSION: '1.1.0' },
        ...{ FORMAT: 'image/png', key: 'S3cretKey' },
      })
      const symbols = await (await admin('GET', `/api/resource/${wms}/legend_symbols`)).json<Symbol[]>()
      expect(symbols.map(({ index, display_name }) => [index, display_name])).toEqual([
        [0, 'Roads'],
        [1, 'Roads'],
      ])
      const icon = await picture(Buffer.from(symbols[0]?.icon.data ?? '', 'base64'))
      expect([icon.width, icon.height, icon.count(red)]).toEqual([30, 20, 600])
      expect(service.requests).toHaveLength(2)
    })

    test('GetLegendGraphic of a published layer of another service returns them', async () => {
      const query = 'service=WMS&version=1.3.0&request=GetLegendGraphic&layer=roads&format=image/png'
      const legend = await read(admin, `/api/resource/${maps}/wms?${query}`)
      expect(legend.count(red)).toBe(1200)
    })

    test('a web map has the legends of its layers, with their names in the map', async () => {
      const legend = await read(admin, `/api/resource/${map}/legend`)
      expect(legend.count(red)).toBe(1200)
      expect(legend.count([0, 0, 255, 255])).toBeGreaterThan(100)
      const symbols = await (await admin('GET', `/api/resource/${map}/legend_symbols`)).json<Symbol[]>()
      expect(symbols.map(({ index, display_name }) => [index, display_name])).toEqual([
        [0, 'My roads'],
        [1, 'My roads'],
        [2, 'My areas'],
      ])
    })

    test('callers get the legends of the layers that they may read', async () => {
      // Guests may not connect to the service.
      const legend = await read(guest, `/api/resource/${map}/legend`)
      expect([legend.count(red), legend.count([0, 0, 255, 255]) > 100]).toEqual([0, true])
      expect((await guest('GET', `/api/resource/${wms}/legend`)).status).toBe(403)
      const members = { webmap: { root_item: { item_type: 'root', children: [] } } }
      const hidden = await createResource(admin, { cls: 'webmap', name: 'Hidden', members })
      for (const part of ['legend', 'legend_symbols'])
        expect((await guest('GET', `/api/resource/${hidden}/${part}`)).status).toBe(403)
      expect((await read(admin, `/api/resource/${hidden}/legend`)).width).toBe(1)
      expect((await admin('GET', '/api/resource/99999999/legend')).status).toBe(404)
    })

    test('a failing service is reported without its key, and missing in the legend of the map', async () => {
      const report = '<ServiceExceptionReport><ServiceException>'
      service.answer = (request, response) =>
        response
          .writeHead(200, { 'content-type': 'text/xml' })
          .end(
            `${report}Wrong http://intern${request.url?.replaceAll('&', '&amp;')}</ServiceException></ServiceExceptionReport>`,
          )
      const answer = await admin('GET', `/api/resource/${broken}/legend`)
      const { code, message } = await answer.json<{ code: string; message: string }>()
      expect([answer.status, code]).toEqual([503, 'external/answer'])
      expect(message).toMatch(/returned an exception: Wrong http:\/\/intern\/…$/)
      const legend = await read(admin, `/api/resource/${brokenMap}/legend`)
      expect([legend.count(red), legend.count([0, 0, 255, 255]) > 100]).toEqual([0, true])
      const symbols = await (await admin('GET', `/api/resource/${brokenMap}/legend_symbols`)).json<Symbol[]>()
      expect(symbols.map(({ display_name }) => display_name)).toEqual(['My areas'])
      // The preview of the map is drawn without its layer.
      const preview = await read(admin, `/api/resource/${brokenMap}/preview.png?size=20,16`)
      expect(preview.count([255, 255, 255, 255])).toBe(320)
      expect((await admin('GET', `/api/resource/${broken}/preview.png`)).status).toBe(503)
    })
  },
  { allowPrivateAddresses: true },
)
