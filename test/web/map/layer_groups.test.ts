import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { colorAt, pixelOf, readCanvas, untilColor, untilDrawn, useBrowser } from '../../support/browser.ts'
import { makeOpenGroup } from '../../support/map.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { createLayer, createResource } from '../../support/tree.ts'

const browser = useBrowser()
let server: TestServer
let parent: number
/** Styles of layers whose labels are at nearly the same places, from top to bottom. */
let styles: [number, number, number]
let path: string

beforeAll(async () => {
  server = await startTestServer('pglite')
  parent = (await makeOpenGroup(server)).parent
  styles = [
    await makeLabelled('Towns', [200, 0, 0], 0.2),
    await makeLabelled('Villages', [0, 160, 0], 0.1),
    await makeLabelled('Hamlets', [0, 0, 200], 0),
  ]
  path = await makeMap(styles.map((style) => item(style)))
})
afterAll(() => server.stop())

/** Creates squares with labels. */
async function makeLabelled(name: string, [red, green, blue]: readonly number[], shift: number) {
  const fields = [{ keyname: 'name', datatype: 'STRING' }]
  const layer = await createLayer(server.admin, { parent, name, geometryType: 'POLYGON', fields })
  const features = [-12, -6, 0, 6, 12].map((lon) => {
    const [west, east] = [lon + 10 * shift, lon + 10 * shift + 0.5]
    const geom = `POLYGON((${west} 1, ${east} 1, ${east} 2, ${west} 2, ${west} 1))`
    return { geom, fields: { name: `${name} at ${lon}` } }
  })
  await server.admin('PATCH', `/api/resource/${layer}/feature/?srs=4326`, features)
  const xml = `<map><layer><labelitem>name</labelitem><class>
    <style><color red="${red}" green="${green}" blue="${blue}"/></style>
    <label><size>12</size><color red="0" green="0" blue="0"/></label>
  </class></layer></map>`
  const members = { mapsrv_style: { xml } }
  return createResource(server.admin, { cls: 'mapsrv_style', parent: layer, name, members })
}

const item = (style: number, more: object = {}) => ({
  ...{ item_type: 'layer', display_name: `Style ${style}`, layer_style_id: style },
  ...more,
})

let made = 0

async function makeMap(children: readonly object[]): Promise<string> {
  made += 1
  const webmap = { root_item: { item_type: 'root', children } }
  const name = `Map ${made}`
  const id = await createResource(server.admin, { cls: 'webmap', parent, name, members: { webmap } })
  return `${server.url}/resource/${id}/display?lon=0&lat=0&zoom=5`
}

const place = { lon: 0, lat: 0, zoom: 5 }
const squares = [
  [2.1, 1.1],
  [1.1, 1.1],
  [0.1, 1.1],
] as const
const colors = ['#c80000', '#00a000', '#0000c8'] as const

async function open(from = path, kind: 'tile' | 'image' = 'tile') {
  const page = await browser.open(from)
  await untilDrawn(page)
  const resources: string[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    const labels = url.searchParams.get('labels')
    if (url.pathname === `/api/component/render/${kind}`)
      resources.push(`${url.searchParams.get('resource')}${labels === null ? '' : ` ${labels}`}`)
  })
  await page.reload()
  await untilDrawn(page)
  return { page, resources }
}

const checkBox = (page: Page, style: number) => page.getByRole('checkbox', { name: `Style ${style}` })
const squareColors = (page: Page) =>
  Promise.all(squares.map((square) => colorAt(page, pixelOf(page, place, square))))

test.each(['tile', 'image'] as const)(
  'layers with adapter %s are requested together, so that their labels do not overlap',
  async (kind) => {
    const from = await makeMap(styles.map((style) => item(style, { layer_adapter: kind })))
    const { page, resources } = await open(from, kind)
    const together = styles.toReversed().join()
    expect(new Set(resources)).toEqual(new Set([together]))
    // The view has as many tiles for three layers as for one.
    const single = await open(await makeMap([item(styles[0], { layer_adapter: kind })]), kind)
    expect(resources.length).toBe(single.resources.length)
    const onPage = await readCanvas(page, { x: 500 - 256, y: 350 - 256, width: 256, height: 256 })
    const url = `/api/component/render/tile?resource=${together}&z=5&x=15&y=15`
    const tile = await sharp(Buffer.from(await (await server.admin('GET', url)).bytes()))
      .ensureAlpha()
      .raw()
      .toBuffer()
    const opaque = tile.filter((_, at) => at % 4 === 3 && tile[at] === 255).length
    expect(opaque).toBeGreaterThan(500)
    expect(differences(onPage, tile)).toBeLessThan(10)
  },
)

/** Number of pixels of which one is opaque and the other is not. */
function differences(one: Uint8Array, other: Uint8Array): number {
  let count = 0
  for (let at = 3; at < one.length; at += 4) if ((one[at] === 255) !== (other[at] === 255)) count += 1
  return count
}

test('a layer is hidden, shown again and made transparent in a group', async () => {
  const { page, resources } = await open()
  expect(await squareColors(page)).toEqual(colors)
  const [towns, villages, hamlets] = styles
  resources.length = 0
  await checkBox(page, villages).uncheck()
  await untilDrawn(page)
  expect(await squareColors(page)).toEqual(['#c80000', undefined, '#0000c8'])
  expect(new Set(resources)).toEqual(new Set([`${hamlets},${towns}`]))
  await checkBox(page, villages).check()
  await untilColor(page, pixelOf(page, place, squares[1]), colors[1])
  await untilDrawn(page)
  resources.length = 0
  await page.getByRole('button', { name: `Opacity of Style ${villages}` }).click()
  await page.getByRole('slider', { name: `Opacity of Style ${villages}` }).press('PageDown')
  await untilDrawn(page)
  expect(new Set(resources)).toEqual(
    new Set([...styles.map((style) => `${style} no`), `${styles.toReversed()} only`]),
  )
  await page.getByRole('slider', { name: `Opacity of Style ${villages}` }).press('End')
  await untilDrawn(page)
  expect(await squareColors(page)).toEqual(colors)
})

test('layers are drawn together at the scales at which they are shown', async () => {
  const [towns, villages] = styles
  const from = await makeMap([item(towns, { layer_min_scale_denom: '1 : 10000000' }), item(villages)])
  const { page, resources } = await open(from)
  expect(new Set(resources)).toEqual(new Set([`${villages}`]))
  resources.length = 0
  await page.getByRole('button', { name: 'Zoom in' }).click()
  await page.waitForURL((url) => url.searchParams.get('zoom') === '6')
  await untilDrawn(page)
  expect(new Set(resources)).toEqual(new Set([`${villages},${towns}`]))
})

test('only the layer that cannot be drawn is missing in a group', async () => {
  const [towns, villages, hamlets] = styles
  browser.expectComplaint(/403/)
  const { page, resources } = await open()
  // The page does not retry a refusal by itself: the button stays until it is clicked.
  const json = { code: 'access/denied', message: 'The style is closed.' }
  await page.route(
    (url) => url.searchParams.get('resource')?.split(',').includes(`${villages}`) ?? false,
    (route) => route.fulfill({ status: 403, json }),
  )
  resources.length = 0
  await page.reload()
  await page.locator('.fault', { hasText: `Cannot load all of Style ${villages}. ${json.message}` }).waitFor()
  await untilDrawn(page)
  expect(await squareColors(page)).toEqual([colors[0], undefined, colors[2]])
  expect(new Set(resources)).toEqual(
    new Set([`${hamlets},${villages},${towns}`, `${towns}`, `${villages}`, `${hamlets}`]),
  )
  expect(await page.locator('.fault').count()).toBe(1)
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.locator('.fault').waitFor({ state: 'detached' })
  await untilDrawn(page)
  expect(await squareColors(page)).toEqual(colors)
})
