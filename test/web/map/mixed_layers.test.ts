import type { RequestListener } from 'node:http'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mercatorWorld } from '../../../src/geo/mercator.ts'
import { pixelOf, readCanvas, untilDrawn, useBrowser } from '../../support/browser.ts'
import { makeOpenGroup } from '../../support/map.ts'
import { largestDifference } from '../../support/picture.ts'
import { makeRaster } from '../../support/raster.ts'
import { uploadContent } from '../../support/samples.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { allow, createLayer, createResource, createStyle } from '../../support/tree.ts'
import { type TestService, useService } from '../../support/wms.ts'

const browser = useBrowser()
const startService = useService()
let server: TestServer
let service: TestService
let path: string
/** Styles and layers of a map with labels, an image of another service, a raster and polygons, the first one uppermost. */
let mixed: readonly number[]
/** Points of another layer, with labels. */
let more: number
let parent: number
/** Its paths, by how its layers are requested. */
const mixedPaths: Record<string, string> = {}

const evil = 'Station <img src=x onerror="document.title=1">\nheight = 12'

/** A red image, and at every place the same text. */
const answerWms: RequestListener = async ({ url }, response) => {
  const { searchParams } = new URL(url ?? '', 'http://localhost')
  if (searchParams.get('REQUEST') === 'GetFeatureInfo') {
    response.writeHead(200, { 'content-type': 'text/plain' }).end(evil)
    return
  }
  if (searchParams.get('LAYERS') === 'stripes') {
    response.writeHead(200, { 'content-type': 'image/png' }).end(await drawStripes(searchParams))
    return
  }
  // Legends have no size.
  const [width, height] = ['WIDTH', 'HEIGHT'].map((name) => Number(searchParams.get(name) ?? 40))
  const create = { width: width ?? 1, height: height ?? 1, channels: 3 as const, background: '#ff0000' }
  response.writeHead(200, { 'content-type': 'image/png' }).end(await sharp({ create }).png().toBuffer())
}

/** Half-transparent stripes of 700 km, which lie where they belong in any extent. */
async function drawStripes(request: URLSearchParams): Promise<Buffer> {
  const [width = 1, height = 1] = ['WIDTH', 'HEIGHT'].map((name) => Number(request.get(name)))
  const [west = 0, , east = 0] = (request.get('BBOX') ?? '').split(',').map(Number)
  const row = Array.from({ length: width }, (_, at) => {
    const x = west + ((at + 0.5) / width) * (east - west)
    return Math.floor(x / 700_000) % 2 === 0 ? [200, 40, 160, 128] : [0, 0, 0, 0]
  })
  const pixels = Buffer.concat(Array.from({ length: height }, () => Buffer.from(row.flat())))
  return sharp(pixels, { raw: { width, height, channels: 4 } })
    .png()
    .toBuffer()
}

/** Each band has one value. */
const photo = () =>
  makeRaster({ width: 40, height: 30, geoTransform: [-20, 1, 0, 15, 0, -1], value: (band) => band * 60 })

beforeAll(async () => {
  server = await startTestServer('pglite', { allowPrivateAddresses: true })
  service = await startService()
  service.answer = answerWms
  const { admin } = server
  const { guest, ...group } = await makeOpenGroup(server)
  parent = group.parent
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
  const addWms = (name: string, wmslayers: string) => {
    const source = { connection: { id: connection }, srs: { id: 3857 }, imgformat: 'image/png', wmslayers }
    return createResource(admin, {
      ...{ cls: 'wmsclient_layer', parent, name, members: { wmsclient_layer: source } },
    })
  }
  const stations = await addWms('Stations', 'stations')
  path = await makeMap(parent, [item('Photo', style), item('Stations', stations)])
  const smooth = await createResource(admin, {
    ...{ cls: 'raster_style', parent: raster, name: 'Smooth' },
    members: { raster_style: { resampling: 'bilinear', opacity: 0.7 } },
  })
  mixed = [await addTowns(parent), await addWms('Stripes', 'stripes'), smooth, await addLand(parent)]
  more = await addTowns(parent, 'Villages')
  for (const adapter of ['tile', 'image'])
    mixedPaths[adapter] = await makeMap(
      parent,
      mixed.map((id) => ({ ...item(`Layer ${id}`, id), layer_adapter: adapter })),
    )
})
afterAll(() => server.stop())

const item = (display_name: string, layer_style_id: number) => ({
  ...{ item_type: 'layer', display_name, layer_style_id },
})

let made = 0

async function makeMap(parent: number, children: readonly object[]): Promise<string> {
  made += 1
  const webmap = { root_item: { item_type: 'root', children } }
  const name = made === 1 ? 'Images' : `Map ${made}`
  const id = await createResource(server.admin, { cls: 'webmap', parent, name, members: { webmap } })
  return `${server.url}/resource/${id}/display?lon=0&lat=0&zoom=4`
}

/** Points with labels that overlap each other, and the corners of tiles. */
async function addTowns(parent: number, name = 'Towns'): Promise<number> {
  const fields = [{ keyname: 'name', datatype: 'STRING' }]
  const layer = await createLayer(server.admin, { parent, name, geometryType: 'POINT', fields })
  const features = Array.from({ length: 60 }, (_, at) => ({
    geom: `POINT(${((at * 37) % 80) - 40} ${((at * 23) % 50) - 25})`,
    fields: { name: `Town ${at}` },
  }))
  await server.admin('PATCH', `/api/resource/${layer}/feature/?srs=4326`, features)
  const xml = `<map><layer><labelitem>name</labelitem><class>
    <style><color red="20" green="90" blue="40"/><size>7</size></style>
    <label><size>12</size><color red="0" green="0" blue="0"/></label>
  </class></layer></map>`
  const members = { mapsrv_style: { xml } }
  return createResource(server.admin, { cls: 'mapsrv_style', parent: layer, name, members })
}

async function addLand(parent: number): Promise<number> {
  const layer = await createLayer(server.admin, { parent, name: 'Land', geometryType: 'POLYGON' })
  const geom = 'POLYGON((-31 -18, 22 -24, 35 20, -12 24, -31 -18))'
  await server.admin('PATCH', `/api/resource/${layer}/feature/?srs=4326`, [{ geom }])
  return createStyle(server.admin, {
    parent: layer,
    name: 'Land',
    inner: '<color red="90" green="120" blue="200"/>',
  })
}

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

const size = { width: 1000, height: 700 }

/** Draws resources, from bottom to top, as one image of the view. */
async function drawTogether(resources: readonly number[]): Promise<Uint8Array> {
  const { width, height } = size
  const metres = mercatorWorld / 256 / 2 ** place.zoom
  const extent = [-width, -height, width, height].map((pixels) => (pixels / 2) * metres)
  const answer = await server.guest(
    'GET',
    `/api/component/render/image?resource=${resources}&extent=${extent}&size=${width},${height}`,
  )
  return sharp(Buffer.from(await answer.arrayBuffer()))
    .ensureAlpha()
    .raw()
    .toBuffer()
}

test.each(['tile', 'image'])(
  'labels, an image of another service, a raster and polygons are drawn as the server draws one image: %s',
  async (adapter) => {
    const page = await browser.open(mixedPaths[adapter] ?? '')
    await untilDrawn(page)
    const shown = await readCanvas(page, { x: 0, y: 0, ...size })
    const drawn = await drawTogether([...mixed].reverse())
    expect(new Set(new Uint32Array(drawn.buffer, drawn.byteOffset, drawn.length / 4)).size).toBeGreaterThan(
      500,
    )
    expect(largestDifference(shown, drawn)).toBeLessThan(4)
  },
)

test.each(['tile', 'image'])(
  'labels are above all layers, and do not overlap those of others, as the server draws one image: %s',
  async (layer_adapter) => {
    const [towns = 0, , raster = 0, land = 0] = mixed
    const layers = [more, land, raster, towns]
    const items = layers.map((id) => ({ ...item(`Layer ${id}`, id), layer_adapter }))
    const page = await browser.open(await makeMap(parent, items))
    await untilDrawn(page)
    const shown = await readCanvas(page, { x: 0, y: 0, ...size })
    const drawn = await drawTogether(layers.toReversed())
    expect(largestDifference(shown, drawn)).toBeLessThan(4)
  },
)

test('labels are requested apart only where one image does not have all of them above everything', async () => {
  const [towns = 0, stripes = 0] = mixed
  const page = await browser.open(
    await makeMap(
      parent,
      [towns, stripes].map((id) => item(`Layer ${id}`, id)),
    ),
  )
  const choices: (string | null)[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname === '/api/component/render/tile' && searchParams.get('resource') === String(towns))
      choices.push(searchParams.get('labels'))
  })
  await page.reload()
  await untilDrawn(page)
  expect(new Set(choices)).toEqual(new Set([null]))
  await page.getByRole('button', { name: `Opacity of Layer ${towns}` }).click()
  const slider = page.getByRole('slider', { name: `Opacity of Layer ${towns}` })
  choices.length = 0
  await slider.press('PageDown')
  await untilDrawn(page)
  expect(new Set(choices)).toEqual(new Set(['no', 'only']))
  choices.length = 0
  await slider.press('Home')
  await untilDrawn(page)
  expect(choices).not.toContain('only')
})
