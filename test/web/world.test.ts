import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { colorAt, pixelOf, untilDrawn, useBrowser } from '../support/browser.ts'
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
