import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pixelOf, readView, untilColor, untilDrawn, urlOf, useBrowser } from '../../support/browser.ts'
import { makeMap } from '../../support/map.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

const browser = useBrowser()
let server: TestServer
let path: string

beforeAll(async () => {
  server = await startTestServer('pglite')
  const { squareStyle } = await makeMap(server)
  const { parent } = await (await server.admin('GET', `/api/resource/${squareStyle}`))
    .json<{ resource: { parent: { id: number } } }>()
    .then(({ resource }) => resource)
  const { resource } = await (await server.admin('GET', `/api/resource/${parent.id}`)).json<{
    resource: { parent: { id: number } }
  }>()
  const layer = { item_type: 'layer', display_name: 'Squares', layer_style_id: squareStyle }
  const root_item = { item_type: 'root', children: [{ ...layer, layer_adapter: 'image' }] }
  const id = await createResource(server.admin, {
    cls: 'webmap',
    parent: resource.parent.id,
    name: 'Images',
    members: { webmap: { root_item } },
  })
  path = `${server.url}/resource/${id}/display?lon=0&lat=0&zoom=4`
})
afterAll(() => server.stop())

const isImage = (request: Request) => request.url().includes('/component/render/image?')

async function open() {
  const page = await browser.open(path)
  await untilDrawn(page)
  const images: string[] = []
  page.on('request', (request) => isImage(request) && images.push(request.url()))
  return { page, images }
}

/** Color of the west square, which is in sight at all zoom levels of the tests. */
const untilSquare = (page: Page, zoom: number) =>
  untilColor(page, pixelOf(page, { lon: 0, lat: 0, zoom }, [-10.3, 0]), '#3366cc')

test('an image is requested when the view has rested for 200 ms, and not at every step of a wheel', async () => {
  const { page, images } = await open()
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 3_600_000)
  await page.mouse.move(500, 350)
  const zooms: number[] = []
  for (const delta of [240, 240, -240]) {
    await page.mouse.wheel(0, delta)
    await page.clock.runFor(150)
    zooms.push(readView(await urlOf(page)).zoom)
  }
  expect(new Set(zooms).size).toBeGreaterThan(1)
  expect(images).toEqual([])
  const requested = page.waitForEvent('request', isImage)
  await page.clock.runFor(200)
  await requested
  await page.clock.resume()
  await untilDrawn(page)
  expect(images).toHaveLength(1)
})

test('a request is cancelled when the view has changed', async () => {
  const { page } = await open()
  // The first one is never answered.
  await page.route('**/component/render/image?**', () => undefined, { times: 1 })
  const first = page.waitForEvent('request', isImage)
  await page.getByRole('button', { name: 'Zoom in' }).click()
  const outdated = await first
  const cancelled = page.waitForEvent('requestfailed', isImage)
  await page.getByRole('button', { name: 'Zoom in' }).click()
  const request = await cancelled
  expect([request.url(), request.failure()?.errorText]).toEqual([outdated.url(), 'net::ERR_ABORTED'])
  await untilDrawn(page)
  await untilSquare(page, 6)
  expect(await page.locator('.fault').count()).toBe(0)
})

test('an image that could not be loaded is shown when the server answers again', async () => {
  const { page, images } = await open()
  browser.expectComplaint(/status of 503/)
  browser.expectComplaint(/Busy\./)
  const route = '**/component/render/image?**'
  await page.route(route, (one) => one.fulfill({ status: 503, json: { message: 'Busy.' } }))
  await page.getByRole('button', { name: 'Zoom in' }).click()
  const fault = page.locator('.fault', { hasText: 'Cannot load all of Squares. Busy.' })
  await fault.waitFor()
  await page.unroute(route)
  await untilSquare(page, 5)
  await fault.waitFor({ state: 'detached' })
  expect(new Set(images).size).toBe(1)
})
