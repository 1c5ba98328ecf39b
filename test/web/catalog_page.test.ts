import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useBrowser } from '../support/browser.ts'
import { changeCatalog, createSample, newGeoservice, type SampleIds } from '../support/catalog.ts'
import { findLowContrast } from '../support/contrast.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const browser = useBrowser()
let server: TestServer
let ids: SampleIds

beforeAll(async () => {
  server = await startTestServer('pglite')
  ids = await createSample(server)
  await changeCatalog(
    server,
    Array.from({ length: 60 }, (_, at) => newGeoservice(`Sheet ${100 + at}`)),
  )
})
afterAll(() => server.stop())

const open = (query = '', options = {}) => browser.open(`${server.url}/catalog/${query}`, options)
const names = (page: Page) => page.locator('.services a').allInnerTexts()
const untilCount = (page: Page, text: string) =>
  page.getByRole('status').getByText(text, { exact: true }).waitFor()

/** The services of the sample are at a host that does not exist. */
const expectPreview = () => {
  browser.expectComplaint(/requests https:\/\/maps\.example\.org/)
  browser.expectComplaint(/ERR_/)
}

test('searches while the user types, says the number, and the URL follows', async () => {
  const page = await open()
  await page.getByLabel('Search').pressSequentially('norway')
  await untilCount(page, '1 geoservice')
  expect(await names(page)).toEqual(['Relief of Norway'])
  expect(new URL(page.url()).search).toBe('?search=norway')
  await page.reload()
  expect([await names(page), await page.getByLabel('Search').inputValue()]).toEqual([
    ['Relief of Norway'],
    'norway',
  ])
  await page.getByLabel('Search').fill('')
  await untilCount(page, '64 geoservices, showing 1 to 50')
  expect(page.url()).toBe(`${server.url}/catalog/`)
})

test('filters apply at once, and back returns to them', async () => {
  const page = await open()
  await page.getByLabel('Type').selectOption('wms')
  await untilCount(page, '1 geoservice')
  await page.getByLabel('Type').selectOption('')
  await page.getByLabel('EPSG code').fill('3857')
  await untilCount(page, '2 geoservices')
  await page.getByLabel('Status').selectOption('failed')
  await untilCount(page, '1 geoservice')
  expectPreview()
  await page.getByRole('link', { name: 'Parks' }).click()
  await page.getByText('This service cannot be loaded.').waitFor()
  await page.goBack()
  await untilCount(page, '1 geoservice')
  expect([await names(page), await page.getByLabel('Status').inputValue()]).toEqual([['Parks'], 'failed'])
})

test('a filter from the second page shows the first page of its matches', async () => {
  const page = await open('?offset=50')
  expect(await names(page)).toHaveLength(14)
  await page.getByLabel('Search').fill('sheet 11')
  await untilCount(page, '10 geoservices')
  expect(new URL(page.url()).search).toBe('?search=sheet+11')
})

test('later input cancels an earlier request, whose response is not shown', async () => {
  const page = await open()
  const { promise: held, resolve: hold } = Promise.withResolvers<void>()
  // Never answered.
  await page.route('**/catalog/?search=sheet', () => hold())
  const canceled = page.waitForEvent('requestfailed', (request) => request.url().endsWith('=sheet'))
  await page.getByLabel('Search').fill('sheet')
  await held
  await page.getByLabel('Search').fill('roads')
  expect((await canceled).failure()?.errorText).toBe('net::ERR_ABORTED')
  await untilCount(page, '1 geoservice')
  expect(await names(page)).toEqual(['Roads'])
})

test('an invalid condition and an unreachable server are reported, and later input repairs it', async () => {
  const page = await open()
  browser.expectComplaint(/422/)
  await page.getByLabel('EPSG code').fill('abc')
  await untilCount(page, 'The EPSG code is not a number.')
  await page.route('**/catalog/?epsg=38', (route) => route.fulfill({ status: 502, body: 'proxy' }))
  browser.expectComplaint(/502/)
  await page.getByLabel('EPSG code').fill('38')
  await untilCount(page, 'Cannot search. The server returned 502.')
  await page.getByLabel('EPSG code').fill('3857')
  await untilCount(page, '2 geoservices')
})

test('names are text, also when scripts show them', async () => {
  const name = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
  const [id = 0] = await changeCatalog(server, [
    newGeoservice(name, { type: 'geojson', url: 'http://x"onerror=alert(1)/' }),
  ])
  const page = await open()
  await page.getByLabel('Search').fill('onerror')
  await untilCount(page, '1 geoservice')
  expect(await names(page)).toEqual([name])
  browser.expectComplaint(/requests http:\/\/x|violates|Refused|ERR_/)
  await page.getByRole('link', { name }).click()
  await page.getByText('This service cannot be loaded.').waitFor()
  expect(await page.title()).toBe(name)
  await changeCatalog(server, [{ op: 'delete', kind: 'geoservice', id }])
})

test('without scripts the form, the pages and the page of a geoservice work', async () => {
  const page = await open('', { javaScriptEnabled: false })
  await page.getByRole('link', { name: 'Next' }).first().click()
  await page.getByText('showing 51 to 64').waitFor()
  await page.getByLabel('Search').fill('roads')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('link', { name: 'Roads' }).click()
  await page.getByRole('heading', { name: 'Roads' }).waitFor()
  await page.getByRole('textbox', { name: 'Address' }).waitFor()
  expect(await page.getByRole('button').count()).toBe(0)
  expect(await page.getByRole('heading', { name: 'Preview' }).isVisible()).toBe(false)
  await page.goBack()
  expect(new URL(page.url()).searchParams.get('search')).toBe('roads')
})

test('the address is copied with the keyboard', async () => {
  const page = await open(`${ids.trees}/`)
  expectPreview()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByText('This service cannot be loaded.').waitFor()
  await page.getByRole('button', { name: 'Copy Address', exact: true }).press('Enter')
  const button = page.getByRole('button', { name: 'Copy Address', exact: true })
  await page.getByText('Copied').waitFor()
  const [place] = [await button.boundingBox()]
  await page.getByText('Copied').waitFor({ state: 'detached' })
  expect(await button.boundingBox()).toEqual(place)
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('https://maps.example.org/trees.geojson')
})

test('links of the header and the list are large enough for fingers', async () => {
  const page = await open('', { width: 360, height: 640 })
  const heightsOf = (selector: string) =>
    page.evaluate<number[]>(
      `[...document.querySelectorAll('${selector}')].map((link) => link.getBoundingClientRect().height)`,
    )
  expect(Math.min(...(await heightsOf('.top a')))).toBeGreaterThanOrEqual(40)
  expect(Math.min(...(await heightsOf('main a')))).toBeGreaterThanOrEqual(24)
})

describe.each(['light', 'dark'] as const)('with %s colors', (colorScheme) => {
  test.each(['', '?search=nothing', 'parks/'])('%s is legible, and fits a phone', async (path) => {
    const own = path === 'parks/' ? `${ids.parks}/` : path
    if (own !== path) expectPreview()
    const page = await open(own, { colorScheme, width: 360, height: 640 })
    if (own !== path) await page.getByText('This service cannot be loaded.').waitFor()
    expect(await findLowContrast(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  })
})
