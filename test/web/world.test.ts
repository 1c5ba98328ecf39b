import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { colorAt, pixelOf, readView, untilColor, untilDrawn, urlOf, useBrowser } from '../support/browser.ts'
import { makeOpenGroup } from '../support/map.ts'
import { uploadContent } from '../support/samples.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { createResource, createStyle } from '../support/tree.ts'

const browser = useBrowser()
let server: TestServer
let map: number

const land = '#ece7dc'
const line =
  '<color red="236" green="231" blue="220"/><outlinecolor red="255" green="0" blue="0"/><width>3</width>'

beforeAll(async () => {
  server = await startTestServer('postgres')
  const { admin } = server
  const { parent } = await makeOpenGroup(server)
  const path = new URL('../../node_modules/world-atlas/countries-50m.json', import.meta.url)
  const source = await uploadContent(admin, await readFile(path))
  const vector_layer = { source, source_layer: 'countries', srs: { id: 3857 }, fix_errors: 'LOSSY' }
  const layer = await createResource(admin, {
    cls: 'vector_layer',
    parent,
    name: 'Countries',
    members: { vector_layer },
  })
  const style = await createStyle(admin, { parent: layer, name: 'Style', inner: line })
  const children = [{ item_type: 'layer', display_name: 'Countries', layer_style_id: style }]
  const webmap = { root_item: { item_type: 'root', children } }
  map = await createResource(admin, { cls: 'webmap', parent, name: 'World', members: { webmap } })
})
afterAll(() => server.stop())

async function open(place: { lon: number; lat: number; zoom: number }): Promise<Page> {
  const { lon, lat, zoom } = place
  const page = await browser.open(
    `${server.url}/resource/${map}/display/tiny?lon=${lon}&lat=${lat}&zoom=${zoom}`,
  )
  await untilDrawn(page)
  return page
}

/** Gives the colours along a line of positions, each once. */
async function colorsAlong(
  page: Page,
  place: Parameters<typeof pixelOf>[1],
  at: (part: number) => [number, number],
) {
  const pixels = Array.from({ length: 60 }, (_, part) => pixelOf(page, place, at(part / 59)))
  return [...new Set(await Promise.all(pixels.map((pixel) => colorAt(page, pixel))))]
}

test('Antarctica extends to the edge of the map without an outline', async () => {
  const place = { lon: 0, lat: -80, zoom: 2 }
  const page = await open(place)
  // The Ross Sea reaches beyond the end of the map.
  for (const lat of [-84.5, -85])
    expect(await colorsAlong(page, place, (part) => [-120 + 260 * part, lat])).toEqual([land])
})

test('land that is cut at the antimeridian has no outline there', async () => {
  const place = { lon: 180, lat: 67, zoom: 4 }
  const page = await open(place)
  expect(await colorsAlong(page, place, (part) => [179.5 + part, 67])).toEqual([land])
})

/** Drags the map, and waits until it stands at a longitude. */
async function dragTo(page: Page, longitude: number, [from, to]: readonly [from: number, to: number]) {
  await page.mouse.move(from, 350)
  await page.mouse.down()
  // The first pixels tell that it is no click.
  await page.mouse.move(from + Math.sign(to - from) * 3, 350)
  await page.mouse.move(to, 350, { steps: 4 })
  await page.mouse.up()
  await page.waitForURL((url) => Math.abs(readView(url).lon - longitude) < 4)
}

test('the map is dragged on around the earth, with longitudes between -180 and 180 degrees', async () => {
  const page = await browser.open(`${server.url}/resource/${map}/display?lon=170&lat=50&zoom=3`)
  await untilDrawn(page)
  // 600 pixels of 2048 around the earth.
  const step = (600 / 2048) * 360
  for (const longitude of [
    170 + step - 360,
    170 + 2 * step - 360,
    170 + 3 * step - 360,
    170 + 4 * step - 720,
  ])
    await dragTo(page, longitude, [800, 200])
  const view = readView(await urlOf(page))
  const canada = pixelOf(page, view, [-105, 56])
  await untilColor(page, canada, land)
  await page.mouse.move(canada.x, canada.y)
  await page.getByText(/^5[56]\.\d+° N 10[45]\.\d+° W$/).waitFor()
  await page.mouse.click(canada.x, canada.y)
  await page.getByRole('heading', { name: '1 feature' }).waitFor()
  await page.getByRole('button', { name: 'Zoom to feature' }).click()
  await page.waitForURL((url) => Math.abs(readView(url).lon - view.lon) > 1)
  const shown = readView(await urlOf(page))
  expect([shown.lon > -120, shown.lon < -70]).toEqual([true, true])
  // Removes the highlight.
  await page.keyboard.press('Escape')
  await untilColor(page, pixelOf(page, shown, [-105, 56]), land)
})

test('the map is dragged around the earth to the west', async () => {
  const page = await browser.open(`${server.url}/resource/${map}/display?lon=-170&lat=50&zoom=3`)
  await untilDrawn(page)
  await dragTo(page, -170 - (600 / 2048) * 360 + 360, [200, 800])
  await untilColor(page, pixelOf(page, readView(await urlOf(page)), [85, 60]), land)
})
