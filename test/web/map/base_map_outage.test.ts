import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { untilDrawn, useBrowser } from '../../support/browser.ts'
import { makeOpenGroup } from '../../support/map.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { startTileService, type TileService, tileColor } from '../../support/tile_service.ts'
import { createResource } from '../../support/tree.ts'

const browser = useBrowser()
let server: TestServer
let service: TileService
let path: string

beforeAll(async () => {
  server = await startTestServer('pglite')
  service = await startTileService()
  const { parent } = await makeOpenGroup(server)
  const relief = await createResource(server.admin, {
    ...{ cls: 'basemap_layer', parent, name: 'Relief' },
    members: { basemap_layer: { url: `${service.origin}/tiles/relief/{z}/{x}/{y}.png` } },
  })
  const basemaps = [{ resource_id: relief, display_name: 'Relief', position: 1, enabled: true }]
  const webmap = { root_item: { item_type: 'root', children: [] } }
  const members = { webmap, basemap_webmap: { basemaps } }
  const id = await createResource(server.admin, { cls: 'webmap', parent, name: 'Map', members })
  path = `${server.url}/resource/${id}/display?lon=0&lat=0&zoom=5`
})
afterAll(async () => {
  await server.stop()
  await service.stop()
})

/** Returns the colors of a column of the map. */
async function readColors(page: Page): Promise<Set<string>> {
  const shot = await page.screenshot({ clip: { x: 505, y: 1, width: 1, height: 690 } })
  const pixels = await sharp(shot).removeAlpha().raw().toBuffer()
  return new Set(pixels.toString('hex').match(/.{6}/g))
}

test('tiles that a service did not answer are loaded when it answers again', async () => {
  browser.expectComplaint(/requests http:\/\/(127.0.0.1|localhost)/)
  const page = await browser.open(path)
  await untilDrawn(page)
  browser.expectComplaint(/ERR_/)
  const tiles = /\/tiles\/relief\//
  await page.route(tiles, (route) => route.abort())
  await page.reload()
  await page.getByText('Cannot load the base map Relief.').waitFor()
  await untilDrawn(page)
  expect(await readColors(page)).not.toContain(tileColor.slice(1))
  await page.unroute(tiles)
  await page.locator('.fault').waitFor({ state: 'detached' })
  await untilDrawn(page)
  expect(await readColors(page)).toEqual(new Set([tileColor.slice(1)]))
})
