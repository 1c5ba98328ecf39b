import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatBox } from '../../../src/geo/boundary.ts'
import { mercatorOfLonLat } from '../../../src/geo/mercator.ts'
import { longestRun, useBrowser } from '../../support/browser.ts'
import { changeCatalog, newGeoservice, square } from '../../support/catalog.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { startTileService, type TileService, tileColor } from '../../support/tile_service.ts'

const browser = useBrowser()
let server: TestServer
let service: TileService

beforeAll(async () => {
  server = await startTestServer('pglite')
  service = await startTileService()
})
afterAll(async () => {
  await server.stop()
  await service.stop()
})

let made = 0
async function open(members: Record<string, unknown>, options = {}): Promise<Page> {
  const [id = 0] = await changeCatalog(server, [newGeoservice(`Service ${made++}`, members)])
  browser.expectComplaint(new RegExp(`requests ${service.origin}`))
  return browser.open(`${server.url}/catalog/${id}/`, options)
}

const untilDrawn = (page: Page) => page.locator('#preview[data-drawn=true]').waitFor()
const runOf = async (page: Page, color: string) => longestRun(color, await page.locator('.map').screenshot())
const zoomOf = async (page: Page) => Number(await page.locator('#preview').getAttribute('data-zoom'))
const centerOf = async (page: Page) =>
  ((await page.locator('#preview').getAttribute('data-center')) ?? '').split(' ').map(Number)

/** Waits until the view of the preview differs from one. */
const untilMoved = (page: Page, name: 'zoom' | 'center', before: string | null) =>
  page.locator(`#preview[data-drawn=true]:not([data-${name}="${before}"])`).waitFor()
const read = (page: Page, name: 'zoom' | 'center') => page.locator('#preview').getAttribute(`data-${name}`)

const plan = (name = 'plan') => ({
  url: `${service.origin}/tiles/${name}/{z}/{x}/{y}.png`,
  epsg: 3857,
  y_origin_top: true,
  boundary: square(10, 50),
})

test('tiles are drawn at the extent, with the boundary on them', async () => {
  const page = await open(plan())
  await untilDrawn(page)
  expect(await runOf(page, tileColor)).toBeGreaterThan(300)
  expect(await runOf(page, '#0b5cff')).toBeGreaterThan(50)
  const [x = 0, y = 0] = await centerOf(page)
  const [[west, south], [east, north]] = [mercatorOfLonLat(10, 50), mercatorOfLonLat(11, 51)]
  expect([x, y]).toEqual([expect.closeTo((west + east) / 2, 0), expect.closeTo((south + north) / 2, 0)])
})

test('rows from the bottom, quadkeys and several hosts are requested as the record says', async () => {
  const boundary = square(-170, 10, 60)
  const from = async (members: Record<string, unknown>) => {
    const start = service.requests.length
    const page = await open({ ...members, boundary, z_min: 1, z_max: 1 })
    await untilDrawn(page)
    return service.requests.slice(start).filter((path) => path.startsWith('/tiles'))
  }
  expect(await from({ url: `${service.origin}/tiles/b/{z}/{x}/{y}.png` })).toContain('/tiles/b/1/0/1.png')
  expect(await from({ url: `${service.origin}/tiles/q/{q}.png` })).toContain('/tiles/q/0.png')
  const { port } = new URL(service.origin)
  browser.expectComplaint(/requests http:\/\/localhost/)
  const url = `http://{switch:localhost,127.0.0.1}:${port}/tiles/s/{z}/{x}/{y}.png`
  expect(await from({ url, y_origin_top: true })).toContain('/tiles/s/1/0/0.png')
})

test('WMS, WFS and GeoJSON are drawn, in degrees too', async () => {
  const wms = await open({
    type: 'wms',
    url: `${service.origin}/wms`,
    layers: 'a,b',
    epsg: 4326,
    params: 'map=x',
  })
  await untilDrawn(wms)
  expect(await runOf(wms, tileColor)).toBeGreaterThan(300)
  const request = service.requests.findLast((path) => path.startsWith('/wms')) ?? ''
  const asked = new URLSearchParams(request.slice(5))
  expect([asked.get('LAYERS'), asked.get('MAP'), asked.get('CRS')]).toEqual(['a,b', 'x', 'EPSG:4326'])
  const wfs = await open({ type: 'wfs', url: `${service.origin}/wfs?service=WFS`, layer: 'town:parks' })
  await untilDrawn(wfs)
  expect(await zoomOf(wfs)).toBeGreaterThan(5)
  const geojson = await open({ type: 'geojson', url: `${service.origin}/data.geojson` })
  await untilDrawn(geojson)
  expect(await zoomOf(geojson)).toBeGreaterThan(5)
})

const columnsOf = (name: string) => [
  ...new Set(
    service.requests
      .filter((path) => path.startsWith(`/tiles/${name}/`))
      .map((path) => path.split('/').slice(3, 5).join('/')),
  ),
]

test('a boundary across the antimeridian is shown as one', async () => {
  const page = await open({ ...plan('pacific'), boundary: formatBox([170, -10, -170, 10]) })
  await untilDrawn(page)
  const [x = 0, y = 0] = await centerOf(page)
  expect([x, y]).toEqual([expect.closeTo(mercatorOfLonLat(180, 0)[0], -2), expect.closeTo(0, -2)])
  expect(await zoomOf(page)).toBeGreaterThan(3)
  // On both sides of the antimeridian: the last and the first column.
  expect(columnsOf('pacific')).toEqual(expect.arrayContaining(['5/0', '5/31']))
  const image = await page.locator('.map').screenshot()
  expect(await longestRun(tileColor, image)).toBeGreaterThan(200)
  expect(await longestRun('#0b5cff', image)).toBeGreaterThan(100)
  // The outline has no edge at the antimeridian, which is in the middle of the map.
  const { data, info } = await sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const middle = Math.floor(info.height / 2) * info.width
  const row = data.subarray(3 * middle, 3 * (middle + info.width)).toString('hex')
  expect(row.match(/(.{6})/g)?.filter((color) => color === '0b5cff').length).toBeLessThan(6)
})

test('a preview opens on the largest of distant parts, and shows all of them on request', async () => {
  const boundary = `MULTIPOLYGON(((10 50,11 50,11 51,10 51,10 50)),((100 10,100.5 10,100.5 10.5,100 10.5,100 10)))`
  const page = await open({ ...plan('islands'), boundary, z_min: 4 })
  await untilDrawn(page)
  const [x = 0] = await centerOf(page)
  expect(x).toBeCloseTo(mercatorOfLonLat(10.5, 0)[0], -2)
  expect(await page.getByText('Zoom in to see the tiles.').isVisible()).toBe(false)
  const center = await read(page, 'center')
  await page.getByRole('button', { name: 'Whole service' }).click()
  await untilMoved(page, 'center', center)
  expect((await centerOf(page))[0]).toBeCloseTo(mercatorOfLonLat(55.25, 0)[0], -2)
  await page.getByText('Zoom in to see the tiles.').waitFor()
  expect(columnsOf('islands').filter((column) => Number(column.split('/')[0]) < 4)).toEqual([])
})

test('a large boundary opens inside of it, at the lowest zoom level of the tiles', async () => {
  // The center of its extent is outside.
  const boundary = 'POLYGON((-120 -50,120 -50,120 -45,-115 -45,-115 50,-120 50,-120 -50))'
  const page = await open({ ...plan('corner'), boundary, z_min: 7 })
  await untilDrawn(page)
  expect(await zoomOf(page)).toBe(7)
  expect(await runOf(page, tileColor)).toBeGreaterThan(300)
  const [x = 0, y = 0] = await centerOf(page)
  const [[west], [, south]] = [mercatorOfLonLat(-115, 0), mercatorOfLonLat(0, -45)]
  expect(x < west || y < south).toBe(true)
})

test.each(['{z}/{x}/{y}.mvt', '{z}/{x}/{y}.pbf?key=1', 'gzip/mvt?z={z}&x={x}&y={y}'])(
  'vector tiles at %s are drawn',
  async (path) => {
    const page = await open({ ...plan(), url: `${service.origin}/squares/${path}` })
    await untilDrawn(page)
    expect(await runOf(page, '#1f7a5c')).toBeGreaterThan(20)
    expect(await page.locator('#preview').getByRole('status').innerText()).toBe('')
  },
)

test('missing tiles are reported inside the boundary only', async () => {
  browser.expectComplaint(/404/)
  const url = `${service.origin}/patchy/{z}/{x}/{y}.png`
  const page = await open({ ...plan(), url })
  await page.getByText(/^\d+ of \d+ tiles cannot be loaded\.$/).waitFor()
  const narrow = await open({ ...plan(), url, boundary: square(0.1, 0.1, 0.1), z_min: 8, z_max: 8 })
  await untilDrawn(narrow)
  expect(await narrow.locator('#preview').getByRole('status').innerText()).toBe('')
})

test.each([
  ['empty', 'The service returned no features.'],
  ['metres', 'The service returned 1 feature, but not in degrees.'],
])('GeoJSON at /%s says why the map is blank', async (path, text) => {
  const page = await open({ type: 'geojson', url: `${service.origin}/${path}` })
  await page.getByText(text).waitFor()
})

test('features outside of the boundary are reported, those across the antimeridian are inside', async () => {
  const features = { type: 'geojson', url: `${service.origin}/data.geojson` }
  const page = await open({ ...features, boundary: square(-60, 0) })
  await page.getByText('All features are outside of the boundary.').waitFor()
  const inside = await open({ ...features, boundary: formatBox([150, 40, 20, 60]) })
  await untilDrawn(inside)
  expect(await inside.locator('#preview').getByRole('status').innerText()).toBe('')
})

test('vector tiles that are no vector tiles are reported', async () => {
  const page = await open({ ...plan(), url: `${service.origin}/tiles/{z}/{x}/{y}.pbf` })
  await page.getByText('This service cannot be loaded. The response is not a vector tile.').waitFor()
})

test('a preview is drawn only when its features are', async () => {
  const release = service.holdFeatures()
  const page = await open({ type: 'geojson', url: `${service.origin}/data.geojson?held` })
  await page.locator('.map canvas').first().waitFor({ state: 'attached' })
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  expect(await page.locator('#preview').getAttribute('data-drawn')).not.toBe('true')
  release()
  await untilDrawn(page)
  expect(await zoomOf(page)).toBeGreaterThan(5)
})

test.each([
  ['tiles', { url: '/none/{z}/{x}/{y}.png', epsg: 3857 }],
  ['GeoJSON', { type: 'geojson', url: '/none.geojson' }],
])('%s that cannot be loaded are reported', async (_, { url, ...members }) => {
  browser.expectComplaint(/404/)
  const page = await open({ ...members, url: service.origin + url })
  await page.getByText('This service cannot be loaded.').waitFor()
})

test('a service that returns images instead of GeoJSON is reported', async () => {
  const page = await open({ type: 'geojson', url: `${service.origin}/tiles/x` })
  await page.getByText('This service cannot be loaded. The response is not GeoJSON.').waitFor()
})

test('a service in another reference system says so, and nothing is requested', async () => {
  const [id] = await changeCatalog(server, [newGeoservice('Dutch', { url: plan().url, epsg: 28992 })])
  const page = await browser.open(`${server.url}/catalog/${id}/`)
  await page.getByText('Services in EPSG:28992 cannot be previewed.').waitFor()
  expect(await page.locator('.map').count()).toBe(0)
})

const middle = async (page: Page) => {
  await page.locator('.map').scrollIntoViewIfNeeded()
  const { x, y, width, height } = (await page.locator('.map').boundingBox()) ?? {
    x: 0,
    y: 0,
    width: 0,
    height: 0,
  }
  return { x: x + width / 2, y: y + height / 2 }
}

test('the wheel and the first drag move the map of an untouched page', async () => {
  const page = await open(plan())
  await untilDrawn(page)
  const { x, y } = await middle(page)
  const [zoom, center] = [await read(page, 'zoom'), await read(page, 'center')]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + 40, y, { steps: 4 })
  await page.mouse.move(x + 80, y, { steps: 4 })
  await page.mouse.up()
  await untilMoved(page, 'center', center)
  await page.mouse.wheel(0, -240)
  await untilMoved(page, 'zoom', zoom)
  expect(await zoomOf(page)).toBeGreaterThan(Number(zoom))
})

test('one finger moves the map of an untouched page', async () => {
  const page = await open(plan(), { width: 360, height: 640, hasTouch: true })
  await untilDrawn(page)
  const { x, y } = await middle(page)
  const center = await read(page, 'center')
  const session = await page.context().newCDPSession(page)
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', points: { x: number; y: number }[]) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: points })
  await send('touchStart', [{ x, y }])
  for (const step of [1, 2, 3, 4]) await send('touchMove', [{ x, y: y + 20 * step }])
  await send('touchEnd', [])
  await untilMoved(page, 'center', center)
})

test('keys move the map that has the focus, and the page otherwise', async () => {
  const page = await open(plan())
  await untilDrawn(page)
  const center = await read(page, 'center')
  await page.keyboard.press('ArrowRight')
  await page.getByRole('application').focus()
  const zoom = await read(page, 'zoom')
  await page.keyboard.press('+')
  await untilMoved(page, 'zoom', zoom)
  expect(await read(page, 'center')).toBe(center)
  await page.keyboard.press('ArrowRight')
  await untilMoved(page, 'center', center)
})
