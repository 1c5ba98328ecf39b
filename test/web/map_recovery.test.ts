import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createServer, type RunningServer } from '../../src/server/server.ts'
import { pixelOf, readView, untilColor, untilDrawn, useBrowser } from '../support/browser.ts'
import { makeMap, type TestMap } from '../support/map.ts'
import { usePostgres } from '../support/postgres.ts'
import { type TestProxy, useProxy } from '../support/proxy.ts'
import { adminPassword, createAsk } from '../support/server.ts'
import { allow } from '../support/tree.ts'
import { principalId } from '../support/users.ts'

const browser = useBrowser()
const database = usePostgres()
const openProxy = useProxy()
let dataFolder: string
let running: RunningServer
let map: TestMap
let proxy: TestProxy
let path: string

const start = () =>
  createServer({
    listen: { host: '127.0.0.1', port: 0 },
    dataFolder,
    databaseUrl: database.url,
    adminPassword,
  })
const portOf = ({ url }: RunningServer) => Number(new URL(url).port)
const clientOf = ({ url }: RunningServer) =>
  createAsk(url, { authorization: `Basic ${btoa(`administrator:${adminPassword}`)}` })

beforeAll(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'landform-recovery-'))
  running = await start()
  map = await makeMap({ admin: clientOf(running), database: running.context.database })
  path = `/resource/${map.id}/display?lon=0&lat=0&zoom=4`
  proxy = await openProxy(portOf(running))
})
beforeEach(() => proxy.set('open'))
afterAll(async () => {
  await running.stop()
  await rm(dataFolder, { recursive: true, force: true })
})

const unreachable = 'The server is unreachable. Parts of the map are missing.'
/** A place in the east square that is in sight at zoom 5, and its colour. */
const green = [12, 5] as const

async function open(place = 'zoom=4'): Promise<Page> {
  const page = await browser.open(`http://127.0.0.1:${proxy.port}${path.replace('zoom=4', place)}`)
  await untilDrawn(page)
  return page
}
const untilWhole = async (page: Page) => {
  await page.locator('.fault').waitFor({ state: 'detached' })
  await untilDrawn(page)
  await untilColor(page, pixelOf(page, { lon: 0, lat: 0, zoom: 5 }, green), '#99bb55')
}

/** Notes the addresses of tiles that a page asks for, and of those among them that it gets. */
function noteTiles(page: Page) {
  const asked: string[] = []
  const got: string[] = []
  page.on('request', (request) => request.url().includes('/tile?') && asked.push(request.url()))
  page.on('response', (answer) => answer.ok() && answer.url().includes('/tile?') && got.push(answer.url()))
  return { asked, got }
}

test('"Try again" requests every missing tile at once, and completes the map', async () => {
  const page = await open()
  const guest = await principalId(running.context.database, 'guest')
  const setRules = (permissions: object[]) =>
    clientOf(running)('PUT', `/api/resource/${map.squareLayer}`, { resource: { permissions } })
  await setRules([{ ...allow(guest, 'data', 'read'), action: 'deny' }])
  browser.expectComplaint(/403/)
  const refused = noteTiles(page)
  // Tiles of both layers together are not asked for again.
  const alone = new RegExp(`resource=${map.squareStyle}&`)
  // The answer for one tile of both layers comes after the one for its layer alone, and must not count instead of it.
  const own = page.waitForResponse((answer) => alone.test(answer.url()) && answer.url().includes('x=16&y=15'))
  await page.route(/resource=\d+,\d+&.*x=16&y=15/, async (route) => {
    await own
    await route.continue()
  })
  await page.getByRole('button', { name: 'Zoom in' }).click()
  const fault = page.locator('.fault', { hasText: 'Cannot load all of Squares. Insufficient' })
  await fault.waitFor()
  await untilDrawn(page)
  const missing = refused.asked.filter((url) => alone.test(url) && !refused.got.includes(url))
  expect(missing).not.toEqual([])
  await setRules([])
  const { got } = noteTiles(page)
  await fault.getByRole('button', { name: 'Try again' }).click()
  await untilWhole(page)
  expect(got.toSorted()).toEqual(missing.toSorted())
})

test('a map that was moved during an outage is completed when the server answers again, in every copy of the world', async () => {
  const page = await open('zoom=2')
  browser.expectComplaint(/ERR_/)
  await proxy.set('cut')
  await page.getByRole('button', { name: 'Zoom out' }).click()
  await page.getByText(unreachable).waitFor()
  await untilDrawn(page)
  await proxy.set('open')
  await page.locator('.fault').waitFor({ state: 'detached' })
  await untilDrawn(page)
  const fresh = await open('zoom=1')
  const clip = { x: 0, y: 200, width: 1000, height: 300 }
  expect((await page.screenshot({ clip })).equals(await fresh.screenshot({ clip }))).toBe(true)
})

test('all missing tiles are requested as soon as one tile loads again', async () => {
  const page = await open()
  browser.expectComplaint(/ERR_/)
  const { asked, got } = noteTiles(page)
  await proxy.set('cut')
  await page.getByRole('button', { name: 'Zoom in' }).click()
  await page.getByText(unreachable).waitFor()
  await untilDrawn(page)
  await proxy.set('open')
  // A tile of another place, asked for because the map has moved.
  await page.keyboard.press('ArrowLeft')
  await page.locator('.fault').waitFor({ state: 'detached' })
  await untilDrawn(page)
  expect(new Set(got)).toEqual(new Set(asked))
})

test('a server that accepts requests and never answers is reported, and asked again', async () => {
  const page = await open()
  await page.clock.install()
  await page.reload()
  await untilDrawn(page)
  await proxy.set('silent')
  await page.getByRole('button', { name: 'Zoom in' }).click()
  // Requests begin one after another, each with its own time: all of them are given up at last.
  const untilSeen = (selector: string) =>
    expect
      .poll(
        async () => {
          await page.clock.fastForward(125_000)
          return page.locator(selector).count()
        },
        { interval: 3000 },
      )
      .toBe(1)
  await untilSeen('.fault')
  await page.getByText(unreachable).waitFor()
  await proxy.set('open')
  await untilSeen('body[data-drawn="true"]:not(:has(.fault))')
  await untilWhole(page)
})

test('a map that was moved while the server restarted is completed', async () => {
  const page = await open()
  browser.expectComplaint(/ERR_/)
  await running.stop()
  await page.getByRole('button', { name: 'Zoom in' }).click()
  await page.getByText(unreachable).waitFor()
  running = await start()
  proxy.redirect(portOf(running))
  await untilWhole(page)
})

test('a map that was moved offline is completed when the browser is online again', async () => {
  const page = await open()
  browser.expectComplaint(/ERR_/)
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Zoom in' }).click()
  await page.getByText(unreachable).waitFor()
  await page.context().setOffline(false)
  await untilWhole(page)
})

test('a page that was opened while the server restarted shows the map by itself', async () => {
  const page = await open()
  browser.expectComplaint(/ERR_/)
  const config = '**/display_config'
  await page.route(config, (route) => route.abort())
  await page.reload()
  await page.getByRole('heading', { name: 'Cannot show the map' }).waitFor()
  await page.unroute(config)
  await untilDrawn(page)
})

test('legends that could not be loaded are shown when the server answers again', async () => {
  const page = await open()
  browser.expectComplaint(/ERR_/)
  const legends = '**/legend_symbols?*'
  await page.route(legends, (route) => route.abort())
  await page.reload()
  await page.getByText(unreachable).waitFor()
  await page.unroute(legends)
  // Two classes of squares, and cities.
  await page.locator('.swatch').nth(2).waitFor()
  await page.locator('.fault').waitFor({ state: 'detached' })
})

test('a page whose configuration the server refuses reports it and can be started again', async () => {
  const page = await open()
  browser.expectComplaint(/403/)
  const config = '**/display_config'
  await page.route(config, (route) => route.fulfill({ status: 403, json: { message: 'Not for you.' } }))
  await page.reload()
  await page.getByRole('heading', { name: 'Cannot show the map' }).waitFor()
  await page.unroute(config)
  await page.getByRole('button', { name: 'Try again' }).click()
  await untilDrawn(page)
})

test('the end of a session is reported, and the login leads back to the same place', async () => {
  const page = await browser.open(
    `http://127.0.0.1:${proxy.port}/login?next=${encodeURIComponent(path.replace(String(map.id), String(map.hiddenId)))}`,
  )
  const logIn = async () => {
    await page.getByLabel('Login').fill('administrator')
    await page.getByLabel('Password').fill(adminPassword)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.waitForURL('**/display?**')
    await untilDrawn(page)
  }
  await logIn()
  await running.context.database.query('delete from session')
  running.context.authenticator.forget()
  browser.expectComplaint(/40[13]/)
  await page.getByRole('button', { name: 'Zoom in' }).click()
  await page.getByText('Your session has ended.').waitFor()
  await untilDrawn(page)
  expect(await page.locator('.fault').count()).toBe(1)
  await page.locator('.fault').getByRole('button', { name: 'Log in' }).click()
  await logIn()
  expect(readView(new URL(page.url())).zoom).toBe(5)
  expect(await page.locator('.fault').count()).toBe(0)
})
