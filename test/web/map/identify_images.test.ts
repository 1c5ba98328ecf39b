import type { RequestListener } from 'node:http'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pixelOf, untilDrawn, useBrowser } from '../../support/browser.ts'
import { makeOpenGroup } from '../../support/map.ts'
import { makeRaster } from '../../support/raster.ts'
import { uploadContent } from '../../support/samples.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { allow, createResource } from '../../support/tree.ts'
import { type TestService, useService } from '../../support/wms.ts'

const browser = useBrowser()
const startService = useService()
let server: TestServer
let service: TestService
let path: string

const evil = 'Station <img src=x onerror="document.title=1">\nheight = 12'

/** A red image, and at every place the same text. */
const answerWms: RequestListener = async ({ url }, response) => {
  const { searchParams } = new URL(url ?? '', 'http://localhost')
  if (searchParams.get('REQUEST') === 'GetFeatureInfo') {
    response.writeHead(200, { 'content-type': 'text/plain' }).end(evil)
    return
  }
  // Legends have no size.
  const [width, height] = ['WIDTH', 'HEIGHT'].map((name) => Number(searchParams.get(name) ?? 40))
  const create = { width: width ?? 1, height: height ?? 1, channels: 3 as const, background: '#ff0000' }
  response.writeHead(200, { 'content-type': 'image/png' }).end(await sharp({ create }).png().toBuffer())
}

/** Each band has one value. */
const photo = () =>
  makeRaster({ width: 40, height: 30, geoTransform: [-20, 1, 0, 15, 0, -1], value: (band) => band * 60 })

beforeAll(async () => {
  server = await startTestServer('pglite', { allowPrivateAddresses: true })
  service = await startService()
  service.answer = answerWms
  const { admin } = server
  const { parent, guest } = await makeOpenGroup(server)
  const source = await uploadContent(admin, photo())
  const raster = await createResource(admin, {
    ...{ cls: 'raster_layer', parent, name: 'Photo' },
    members: { raster_layer: { source } },
  })
  const style = await createResource(admin, { cls: 'raster_style', parent: raster, name: 'Style' })
  const connection = await createResource(admin, {
    ...{ cls: 'wmsclient_connection', parent, name: 'Service' },
    resource: { permissions: [allow(guest, 'connection', 'connect')] },
    members: { wmsclient_connection: { url: service.url, version: '1.3.0' } },
  })
  const wmsclient_layer = {
    ...{ connection: { id: connection }, srs: { id: 3857 } },
    ...{ imgformat: 'image/png', wmslayers: 'stations' },
  }
  const stations = await createResource(admin, {
    ...{ cls: 'wmsclient_layer', parent, name: 'Stations', members: { wmsclient_layer } },
  })
  const item = (display_name: string, layer_style_id: number) => ({
    ...{ item_type: 'layer', display_name, layer_style_id },
  })
  const children = [item('Photo', style), item('Stations', stations)]
  const webmap = { root_item: { item_type: 'root', children } }
  const id = await createResource(admin, { cls: 'webmap', parent, name: 'Images', members: { webmap } })
  path = `${server.url}/resource/${id}/display?lon=0&lat=0&zoom=4`
})
afterAll(() => server.stop())

const place = { lon: 0, lat: 0, zoom: 4 }

async function open(): Promise<Page> {
  const page = await browser.open(path)
  await untilDrawn(page)
  return page
}

async function click(page: Page, position: readonly [number, number]): Promise<void> {
  const { x, y } = pixelOf(page, place, position)
  await page.mouse.click(x, y)
}

const rowsOf = (page: Page) =>
  page
    .locator('details[open] tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)))

test('a click shows the value of each band of a raster, and the text of another map service as text', async () => {
  const page = await open()
  await click(page, [5, 5])
  await page.getByRole('heading', { name: '2 results' }).waitFor()
  const titles = await page.locator('.features summary .title').allTextContents()
  expect(titles).toEqual(['60, 120, 180, 255', evil.split('\n')[0]])
  expect(await rowsOf(page)).toEqual([
    ['Red', '60'],
    ['Green', '120'],
    ['Blue', '180'],
    ['Alpha', '255'],
  ])
  await page.locator('.features summary').nth(1).click()
  expect(await rowsOf(page)).toEqual([['text', evil]])
  expect(await page.locator('.features img').count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Zoom to feature' }).count()).toBe(0)
  expect(await page.title()).toBe('Images')
})

test('the legend of another service is shown as a picture below its layer', async () => {
  const page = await open()
  const legend = page.getByRole('list', { name: 'Legend of Stations' }).getByRole('img')
  await legend.waitFor()
  const size = await legend.evaluate((image) => [image.clientWidth, image.clientHeight])
  expect(size).toEqual([40, 40])
})

test('a failing service is named, and the other layers are shown', async () => {
  const page = await open()
  service.answer = (_, response) => response.writeHead(500).end()
  await click(page, [5, 5])
  await page.getByRole('heading', { name: '1 result', exact: true }).waitFor()
  const note = await page.locator('.features .note').textContent()
  expect(note).toBe(`Stations: ${new URL(service.url).host} returned status 500.`)
  service.answer = answerWms
})

test('a click is not lost if its layers are drawn anew at once', async () => {
  const page = await open()
  await page.locator('.ol-layers').evaluate((layers) => {
    const redraw = () => {
      for (const layer of [...layers.children]) layer.replaceWith(layer.cloneNode())
    }
    layers.ownerDocument.addEventListener('pointerup', redraw, { once: true })
  })
  await click(page, [5, 5])
  await page.getByRole('heading', { name: '2 results' }).waitFor()
})

test('a click beside a raster finds nothing in it', async () => {
  const page = await open()
  await page.getByRole('checkbox', { name: 'Stations' }).uncheck()
  await click(page, [-15, -16])
  await page.getByRole('heading', { name: 'Nothing found here' }).waitFor()
})
