import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useBrowser } from '../../support/browser.ts'
import { changeCatalog, newGeoservice } from '../../support/catalog.ts'
import { adminPassword, startTestServer, type TestServer } from '../../support/server.ts'
import { startTileService, type TileService } from '../../support/tile_service.ts'
import { createResource } from '../../support/tree.ts'
import { createUser, userPassword } from '../../support/users.ts'

const browser = useBrowser()
let server: TestServer
let service: TileService
let plan = 0
let map = 0

beforeAll(async () => {
  server = await startTestServer('pglite')
  service = await startTileService()
  const members = {
    url: `${service.origin}/tiles/{z}/{x}/{y}.png`,
    z_max: 30,
    copyright_text: 'Surveyors',
    epsg: 3857,
  }
  ;[plan = 0] = await changeCatalog(server, [newGeoservice('Plan <b>', members)])
  map = await createResource(server.admin, { cls: 'webmap', name: 'Town' })
})
afterAll(async () => {
  await server.stop()
  await service.stop()
})

async function open(login: string, password: string): Promise<Page> {
  browser.expectComplaint(new RegExp(`requests ${service.origin}`))
  const page = await browser.open(`${server.url}/login?next=/catalog/${plan}/`)
  await page.getByLabel('Login').fill(login)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.locator('#preview[data-drawn=true]').waitFor()
  return page
}

interface Read {
  readonly basemap_layer: Record<string, unknown>
  readonly basemap_webmap: { readonly basemaps: { resource_id: number; position: number }[] }
}

const read = async (id: number) => (await server.admin('GET', `/api/resource/${id}`)).json<Read>()

test('a base map is created and added to the end of the list of a web map', async () => {
  const page = await open('administrator', adminPassword)
  const form = page.locator('#add form')
  // The first choice is a web map, not none.
  const chosen = () => form.getByLabel('Web map').locator('option:checked').innerText()
  expect(await chosen()).toBe(`Town (${map})`)
  for (const name of ['First', 'Second']) {
    await form.getByLabel('Name').fill(name)
    await form.getByRole('button').click()
    await form.getByText(`Created ${name} and added it to the web map.`).waitFor()
  }
  const { basemaps } = (await read(map)).basemap_webmap
  expect(basemaps.map(({ position }) => position)).toEqual([0, 1])
  // The base map follows the entry of the catalog.
  const { guid } = await (await server.guest('GET', `/api/v1/geoservices/${plan}/`)).json<{ guid: string }>()
  const added = basemaps[1]?.resource_id ?? 0
  expect((await read(added)).basemap_layer).toMatchObject({ qms: guid, url: null, copyright_text: null })
  const changed = { copyright_text: 'Surveyors of the town' }
  await changeCatalog(server, [{ op: 'update', kind: 'geoservice', id: plan, body: changed }])
  expect((await read(added)).basemap_layer.tiles).toMatchObject({
    url: `${service.origin}/tiles/{z}/{x}/{-y}.png`,
    copyright_text: 'Surveyors of the town',
  })
})

test('a refused base map is reported, and can be tried again', async () => {
  const page = await open('administrator', adminPassword)
  const form = page.locator('#add form')
  await form.getByLabel('Name').fill('First')
  browser.expectComplaint(/422/)
  await form.getByRole('button').click()
  await form.getByText('Cannot create the base map.').waitFor()
  await form.getByLabel('Name').fill('Third')
  await form.getByLabel('Web map').selectOption({ label: 'none' })
  await form.getByRole('button').click()
  await form.getByText('Created Third.').waitFor()
})

test('users who cannot create base maps see no form', async () => {
  await createUser(server.database, 'reader')
  const page = await open('reader', userPassword)
  const answered = page.waitForResponse('**/api/component/resource/attr')
  await page.reload()
  await answered
  await page.locator('#preview[data-drawn=true]').waitFor()
  expect(await page.locator('#add').isVisible()).toBe(false)
  const guest = await server.guest('GET', `/catalog/${plan}/`)
  expect(await guest.text()).not.toContain('id="add"')
})
