import { afterAll, beforeAll, expect, test } from 'vitest'
import { readView, untilDrawn, urlOf, useBrowser } from '../../support/browser.ts'
import { makeOpenGroup } from '../../support/map.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

const browser = useBrowser()
let server: TestServer
let parent: number

beforeAll(async () => {
  server = await startTestServer('pglite')
  parent = (await makeOpenGroup(server)).parent
})
afterAll(() => server.stop())

const world = [-180, -90, 180, 90] as const
const windows = {
  laptop: { width: 1000, height: 700 },
  wide: { width: 1440, height: 900 },
  large: { width: 1920, height: 1200 },
  phone: { width: 390, height: 740 },
}

test.each([
  ['the world on a laptop', world, windows.laptop, { lon: 0, lat: 0, zoom: 2 }],
  ['the world in a wide window', world, windows.wide, { lon: 0, lat: 0, zoom: 2 }],
  ['the world in a large window', world, windows.large, { lon: 0, lat: 0, zoom: 3 }],
  ['the world on a phone', world, windows.phone, { lon: 0, lat: 0, zoom: 1 }],
  ['the north of the world', [-180, 60, 180, 85], windows.laptop, { lon: 0, lat: 78, zoom: 2 }],
  ['half of the world', [-90, -60, 90, 60], windows.laptop, { lon: 0, lat: 0, zoom: 2 }],
  [
    'an extent that is a few pixels too high',
    [-25, 25, 60, 66],
    windows.laptop,
    { lon: 18, lat: 50, zoom: 4 },
  ],
  ['both sides of the antimeridian', [100, -20, -100, 20], windows.laptop, { lon: 180, lat: 0, zoom: 3 }],
] as const)('a map opens with %s', async (name, [west, south, east, north], size, { lon, lat, zoom }) => {
  const extents = { extent_left: west, extent_bottom: south, extent_right: east, extent_top: north }
  const webmap = { ...extents, root_item: { item_type: 'root', children: [] } }
  const id = await createResource(server.admin, { cls: 'webmap', parent, name, members: { webmap } })
  const page = await browser.open(`${server.url}/resource/${id}/display`, size)
  await untilDrawn(page)
  // The URL has the view as soon as it changes.
  await page.getByRole('button', { name: 'Zoom in' }).click()
  await page.waitForURL((url) => url.search !== '')
  const view = readView(await urlOf(page))
  expect([Math.round(Math.abs(view.lon)), Math.round(view.lat), view.zoom - 1]).toEqual([lon, lat, zoom])
})
