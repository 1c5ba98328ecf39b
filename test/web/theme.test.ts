import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { colorAt, pixelOf, untilDrawn, useBrowser } from '../support/browser.ts'
import { contrastOf, findLowContrast } from '../support/contrast.ts'
import { makeMap, type TestMap } from '../support/map.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'
import { createResource } from '../support/tree.ts'

const browser = useBrowser()
let server: TestServer
let map: TestMap
/** A map with symbols of dark colours. */
let darkMap: number

beforeAll(async () => {
  server = await startTestServer('pglite')
  map = await makeMap(server)
  darkMap = await makeDarkMap()
})
afterAll(() => server.stop())

/** Black, the outlines of QGIS, and dark red and blue. */
const darkColors = [
  [0, 0, 0],
  [35, 35, 35],
  [127, 0, 0],
  [31, 58, 95],
]

async function makeDarkMap(): Promise<number> {
  const { admin } = server
  const classes = darkColors.map(
    ([red, green, blue], at) =>
      `<class><name>dark ${at}</name><style><color red="${red}" green="${green}" blue="${blue}"/><size>20</size></style></class>`,
  )
  const xml = `<map><layer>${classes.join('')}</layer></map>`
  const style = await createResource(admin, {
    ...{ cls: 'mapsrv_style', parent: map.cityLayer, name: 'Dark', members: { mapsrv_style: { xml } } },
  })
  const children = [{ item_type: 'layer', display_name: 'Dark', layer_style_id: style }]
  const webmap = { root_item: { item_type: 'root', children } }
  return createResource(admin, { cls: 'webmap', parent: map.group, name: 'Dark map', members: { webmap } })
}

/** Reads the colours in the middle of an image, and above it. */
async function readSwatch(image: Buffer): Promise<[number[], number[]]> {
  const { data, info } = await sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const colorOf = (x: number, y: number) => [...data.subarray(3 * (y * info.width + x)).subarray(0, 3)]
  return [colorOf(info.width >> 1, info.height >> 1), colorOf(info.width >> 1, 1)]
}

const luminance = async (page: Page): Promise<number> => {
  const color = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
  const [red = 0, green = 0, blue = 0] = (color.match(/\d+/g) ?? []).map(Number)
  return (red + green + blue) / 3 / 255
}

describe.each(['light', 'dark'] as const)('with %s colours', (colorScheme) => {
  const open = (path: string) => browser.open(server.url + path, { colorScheme })
  const isOfScheme = async (page: Page) => (await luminance(page)) > 0.5 === (colorScheme === 'light')

  test('the map with its panels, tools and errors is legible', async () => {
    const page = await open(`/resource/${map.id}/display?lon=0&lat=0&zoom=4&angle=30`)
    await untilDrawn(page)
    await page.route('**/tile?*', (route) =>
      route.fulfill({ status: 403, json: { message: 'Not for you.' } }),
    )
    browser.expectComplaint(/403/)
    await page.getByRole('button', { name: 'Reset north' }).click()
    await page.getByRole('button', { name: 'Zoom out' }).click()
    await page.locator('.fault').first().waitFor()
    await page.mouse.click(500, 350)
    await page.getByRole('heading', { name: /feature|Nothing/ }).waitFor()
    await page.getByRole('checkbox', { name: 'Cities' }).hover()
    expect(await findLowContrast(page)).toEqual([])
    expect(await isOfScheme(page)).toBe(true)
  })

  test('dark symbols of a legend stand out, and so do texts on the map', async () => {
    const page = await open(`/resource/${darkMap}/display?lon=0&lat=0&zoom=4`)
    const legend = page.getByRole('list', { name: 'Legend of Dark' })
    await legend.waitFor()
    const swatches = await legend.locator('.swatch').all()
    const read = await Promise.all(swatches.map(async (one) => readSwatch(await one.screenshot())))
    expect(read.map(([middle]) => middle)).toEqual(darkColors)
    for (const [middle, beside] of read) expect(contrastOf(middle, beside)).toBeGreaterThan(4.5)
    const ground = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    const channels = (ground.match(/\d+/g) ?? []).map(Number)
    expect(contrastOf(channels, [0, 0, 0])).toBeGreaterThan(4.5)
    if (colorScheme === 'dark') expect(contrastOf(channels, [255, 255, 255])).toBeGreaterThan(4.5)
  })

  test('features are drawn in the colours of their styles', async () => {
    const page = await open(`/resource/${map.id}/display?lon=0&lat=0&zoom=4`)
    await untilDrawn(page)
    expect(await colorAt(page, pixelOf(page, { lon: 0, lat: 0, zoom: 4 }, [-20, 5]))).toBe('#3366cc')
  })

  test.each([
    ['/resource/0', 200],
    ['/docs', 200],
    ['/login', 200],
    ['/nothing', 404],
  ])('%s is legible', async (path, status) => {
    if (status !== 200) browser.expectComplaint(new RegExp(String(status)))
    const page = await open(path)
    await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    expect(await findLowContrast(page)).toEqual([])
    expect(await isOfScheme(page)).toBe(true)
  })

  test('a failed login and the page of a resource are legible', async () => {
    const page = await open('/login?next=/resource/0')
    browser.expectComplaint(/401/)
    await page.getByLabel('Login').fill('administrator')
    await page.getByLabel('Password').fill('wrong password')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    expect(await findLowContrast(page)).toEqual([])
    // The password has the focus.
    await page.keyboard.type(adminPassword)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/resource/0')
    await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    expect(await findLowContrast(page)).toEqual([])
  })
})
