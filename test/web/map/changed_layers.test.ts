import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { untilColor, untilDrawn, useBrowser } from '../../support/browser.ts'
import { makeMap, type TestMap } from '../../support/map.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

const browser = useBrowser()
let server: TestServer
let map: TestMap

beforeAll(async () => {
  server = await startTestServer('pglite')
  map = await makeMap(server)
})
afterAll(() => server.stop())

/** A place in a square, before and after the map moves by an arrow key, and one between squares. */
const places = { square: { x: 340, y: 350 }, moved: { x: 468, y: 350 }, between: { x: 628, y: 350 } }

const paint = (red: number) =>
  `<map><layer><class><style><color red="${red}" green="0" blue="0"/></style></class></layer></map>`

const setStyle = async (red: number) => {
  const answer = await server.admin('PUT', `/api/resource/${map.squareStyle}`, {
    mapsrv_style: { xml: paint(red) },
  })
  expect(answer.status).toBe(200)
}

async function open(path: string): Promise<Page> {
  const page = await browser.open(`${server.url}/resource/${map.id}/${path}?lon=0&lat=0&zoom=4`)
  await page.clock.install()
  await page.reload()
  await untilDrawn(page)
  return page
}

const swatch = 'li.layer:has-text("Squares") .swatch img'

test.each(['display', 'display/tiny'])('an open map shows a changed style everywhere: %s', async (path) => {
  await setStyle(200)
  const page = await open(path)
  await untilColor(page, places.square, '#c80000')
  const isTiny = path.endsWith('tiny')
  const before = isTiny ? null : await page.locator(swatch).getAttribute('src')
  await setStyle(100)
  await page.clock.fastForward(61_000)
  await page.keyboard.press('ArrowLeft')
  // In tiles that were there before, and in new ones.
  await untilColor(page, places.moved, '#640000')
  await untilColor(page, places.square, '#640000')
  if (isTiny) return
  await page.locator(`${swatch}:not([src="${before}"])`).waitFor()
  expect(await page.locator(swatch).count()).toBe(1)
})

test('an open map shows changed features everywhere', async () => {
  await setStyle(200)
  const page = await open('display')
  await untilColor(page, places.square, '#c80000')
  const geom = 'POLYGON((-50 -20, 50 -20, 50 20, -50 20, -50 -20))'
  const answer = await server.admin('POST', `/api/resource/${map.squareLayer}/feature/?srs=4326`, {
    geom,
    fields: {},
  })
  expect(answer.status).toBe(200)
  await page.clock.fastForward(61_000)
  await page.keyboard.press('ArrowLeft')
  await untilColor(page, places.between, '#c80000')
})
