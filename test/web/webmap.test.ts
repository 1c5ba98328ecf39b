import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { colorAt, longestRun, pixelOf, untilDrawn, urlOf, useBrowser } from '../support/browser.ts'
import { makeMap, type TestMap } from '../support/map.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'

const browser = useBrowser()
let server: TestServer
let map: TestMap

beforeAll(async () => {
  server = await startTestServer('pglite')
  map = await makeMap(server)
})
afterAll(() => server.stop())

/** Where the tests look from: the west square is at 10° to 30° W, the east square at 10° to 30° E. */
const place = { lon: 0, lat: 0, zoom: 4 }
const west = [-20, 5] as const
const east = [20, 5] as const
const city = [20, 0] as const
const sea = [0, 15] as const

const address = (more = '') => `${server.url}/resource/${map.id}/display?lon=0&lat=0&zoom=4${more}`

async function open(more = ''): Promise<Page> {
  const page = await browser.open(address(more))
  await untilDrawn(page)
  return page
}

const colors = async (page: Page) =>
  Promise.all([west, east, city, sea].map((position) => colorAt(page, pixelOf(page, place, position))))

async function click(page: Page, position: readonly [number, number]): Promise<void> {
  const { x, y } = pixelOf(page, place, position)
  await page.mouse.click(x, y)
}

const rowsOf = (page: Page) =>
  page
    .locator('details[open] tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)))

test('draws each layer with its style, the first one uppermost', async () => {
  const page = await open()
  expect(await page.title()).toBe('Test <map>')
  expect(await colors(page)).toEqual(['#3366cc', '#99bb55', '#ee7711', undefined])
})

test('a check box hides its layer and updates the URL', async () => {
  const page = await open()
  await page.getByRole('checkbox', { name: 'Cities' }).uncheck()
  await untilDrawn(page)
  expect(await colors(page)).toEqual(['#3366cc', '#99bb55', '#99bb55', undefined])
  expect((await urlOf(page)).search).toBe(`?lon=0.0000&lat=0.0000&zoom=4&styles=${map.squareStyle}`)
  await page.reload()
  await untilDrawn(page)
  expect(await page.getByRole('checkbox', { name: 'Cities' }).isChecked()).toBe(false)
  expect(await colors(page)).toEqual(['#3366cc', '#99bb55', '#99bb55', undefined])
})

test('a URL with unknown styles is reported', async () => {
  const page = await open(`&styles=roads,${map.squareStyle}`)
  await page.getByText('This map has no layers for these styles in the URL: roads.').waitFor()
  expect(await page.getByRole('checkbox', { name: 'Cities' }).isChecked()).toBe(false)
})

test('the check box of a group checks and unchecks its layers, and may be indeterminate', async () => {
  const page = await open()
  const group = page.getByRole('checkbox', { name: 'All of it' })
  expect(await group.isChecked()).toBe(true)
  await page.getByRole('checkbox', { name: 'Cities' }).uncheck()
  expect(await group.evaluate((box) => (box as unknown as { indeterminate: boolean }).indeterminate)).toBe(
    true,
  )
  await group.click()
  expect(await page.getByRole('checkbox', { name: 'Cities' }).isChecked()).toBe(true)
  await group.uncheck()
  await untilDrawn(page)
  expect(await colors(page)).toEqual([undefined, undefined, undefined, undefined])
})

test('a click shows the attributes of a feature, with field names', async () => {
  const page = await open()
  await click(page, west)
  await page.getByRole('heading', { name: '1 feature' }).waitFor()
  expect(await rowsOf(page)).toEqual([
    ['Name', '<img src=x onerror="document.title=1">'],
    ['Kind', 'blue'],
    ['Founded', '2001-02-03'],
    ['size', '12.5'],
    ['Site', '–'],
    ['id', '1'],
  ])
  expect(await page.title()).toBe('Test <map>')
  await page.keyboard.press('Escape')
})

test('a click on several features lists them, top layer first', async () => {
  const page = await open()
  await click(page, city)
  await page.getByRole('heading', { name: '2 features' }).waitFor()
  const titles = page.locator('.features summary .layer')
  expect(await titles.allTextContents()).toEqual(['Cities', 'Squares'])
  await page.locator('.features summary').nth(1).click()
  expect(await rowsOf(page)).toContainEqual(['Kind', 'green'])
  await page.getByRole('button', { name: 'Close' }).click()
  expect(await page.locator('.features').isVisible()).toBe(false)
})

test('a click without a feature reports it, and hidden layers are not queried', async () => {
  const page = await open(`&styles=${map.squareStyle}`)
  await click(page, sea)
  await page.getByRole('heading', { name: 'Nothing found here' }).waitFor()
  await click(page, city)
  await page.getByRole('heading', { name: '1 feature' }).waitFor()
})

test('the keyboard folds groups, checks layers and identifies features in the center of the map', async () => {
  const page = await browser.open(`${server.url}/resource/${map.id}/display?lon=20&lat=0&zoom=4`)
  await untilDrawn(page)
  const fold = page.getByRole('button', { name: 'Layers of All of it' })
  await fold.focus()
  await page.keyboard.press('Enter')
  expect(await page.getByRole('checkbox', { name: 'Cities' }).isVisible()).toBe(false)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  expect(await page.getByRole('checkbox', { name: 'Cities' }).isChecked()).toBe(false)
  await page.getByRole('application').focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: '1 feature' }).waitFor()
  await page.keyboard.press('Escape')
  expect(await page.locator('.features').isVisible()).toBe(false)
})

test('shows the initial extent without a position in the URL, and the attribution', async () => {
  const page = await browser.open(`${server.url}/resource/${map.id}/display`)
  await untilDrawn(page)
  const { searchParams } = await urlOf(page)
  expect([searchParams.get('lon'), searchParams.get('lat')]).toEqual(['0.0000', '0.0000'])
  expect(Number(searchParams.get('zoom'))).toBeGreaterThan(3)
  expect(await page.locator('.attribution').textContent()).toBe('© Test <b>')
})

test('a rotated map has a button that resets the rotation, as does the initial extent', async () => {
  const page = await open('&angle=30')
  const north = page.getByRole('button', { name: 'Reset north' })
  await north.click()
  await page.waitForURL((url) => !url.searchParams.has('angle'))
  expect(await north.isVisible()).toBe(false)
  await page.goto(address('&angle=-90'))
  await untilDrawn(page)
  expect(await north.isVisible()).toBe(true)
  await page.getByRole('button', { name: 'Initial extent' }).click()
  await page.waitForURL((url) => !url.searchParams.has('angle'))
  expect(await north.isVisible()).toBe(false)
})

test('shows the sanitised description', async () => {
  const page = await open()
  const link = 'target="_blank" rel="noopener noreferrer"'
  expect(await page.locator('.description').innerHTML()).toBe(
    `About <b>this</b> <a href="https://example.org/" ${link}>map</a><a ${link}>no</a>`,
  )
})

test('a legend draws each class as the map does, and in the same size', async () => {
  const page = await open()
  // Each layer loads its legend by itself, and none of them belongs to what is drawn on the map.
  await page.locator('.swatch').nth(2).waitFor()
  expect(await page.locator('.legend').innerText()).toBe('blue ones\nothers')
  const [cities, blue, others] = await page.locator('.swatch').all()
  const run = async (color: string, image: Promise<Buffer> | undefined) =>
    longestRun(color, (await image) ?? expect.fail('no swatch'))
  expect(await run('#3366cc', blue?.screenshot())).toBeGreaterThan(10)
  expect(await run('#99bb55', others?.screenshot())).toBeGreaterThan(10)
  const { x, y } = pixelOf(page, place, city)
  const onMap = page.screenshot({ clip: { x: x - 20, y: y - 20, width: 40, height: 40 } })
  expect(Math.abs((await run('#ee7711', cities?.screenshot())) - (await run('#ee7711', onMap)))).toBeLessThan(
    2,
  )
  expect(await run('#ee7711', onMap)).toBeGreaterThan(17)
})

test('a small screen shows the map first, and the layers on request', async () => {
  const page = await browser.open(address(), { width: 400, height: 700 })
  await untilDrawn(page)
  expect(await page.getByRole('checkbox', { name: 'Cities' }).isVisible()).toBe(false)
  await page.getByRole('button', { name: 'Layers', exact: true }).click()
  expect(await page.getByRole('checkbox', { name: 'Cities' }).isVisible()).toBe(true)
})

test('the tiny page has only the map and the features found', async () => {
  const page = await browser.open(`${server.url}/resource/${map.id}/display/tiny?lon=0&lat=0&zoom=4`)
  await untilDrawn(page)
  expect(await page.getByRole('checkbox').count()).toBe(0)
  expect(await colors(page)).toEqual(['#3366cc', '#99bb55', '#ee7711', undefined])
  await click(page, east)
  await page.getByRole('heading', { name: '1 feature' }).waitFor()
})

test('a refused map links to the login, and the login redirects to the map', async () => {
  browser.expectComplaint(/403/)
  const path = `/resource/${map.hiddenId}/display?lon=0.0000&lat=0.0000&zoom=4&styles=${map.squareStyle}`
  const page = await browser.open(server.url + path)
  expect(await page.getByRole('heading').textContent()).toBe('Insufficient permissions')
  await page.getByRole('link', { name: 'Log in' }).click()
  await page.getByLabel('Login').fill('administrator')
  await page.getByLabel('Password').fill(adminPassword)
  await page.keyboard.press('Enter')
  await untilDrawn(page)
  expect(page.url()).toBe(server.url + path)
})

test('prints the map on a page of its own, and its legends without controls after it', async () => {
  const page = await open()
  await page.locator('.swatch').nth(2).waitFor()
  await page.emulateMedia({ media: 'print' })
  for (const hidden of ['.tools', '.panel-toggle', '.tree button', '.tree input'])
    expect(await page.locator(hidden).first().isVisible(), hidden).toBe(false)
  for (const shown of ['.map canvas', '.attribution', '.panel h1', '.swatch'])
    expect(await page.locator(shown).first().isVisible(), shown).toBe(true)
  const pdf = await page.pdf({ format: 'A4', landscape: true, printBackground: true })
  expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(2)
})
