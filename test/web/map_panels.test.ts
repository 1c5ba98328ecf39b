import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type PageOptions,
  pixelOf,
  readView,
  untilDrawn,
  untilTrue,
  urlOf,
  useBrowser,
} from '../support/browser.ts'
import { findLowContrast } from '../support/contrast.ts'
import { makeOpenGroup } from '../support/map.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { createLayer, createResource, createStyle } from '../support/tree.ts'

const browser = useBrowser()
let server: TestServer
let parent: number
let map: number
let empty: number
let pacific: number
let large: number

const long = `Register of everything that lies in the district, ${'with_appendices_'.repeat(8)}`
const across = 'POLYGON((178 -50, 182 -50, 182 -48, 178 -48, 178 -50))'
const square = 'POLYGON((-20 -10, 20 -10, 20 10, -20 10, -20 -10))'

beforeAll(async () => {
  server = await startTestServer('pglite')
  const { admin } = server
  parent = (await makeOpenGroup(server)).parent
  const fields = [
    { keyname: 'name', datatype: 'STRING', display_name: 'Name' },
    { keyname: 'register', datatype: 'INTEGER', display_name: 'ID' },
    { keyname: 'internal', datatype: 'STRING', display_name: 'Internal', grid_visibility: false },
  ]
  const layer = await createLayer(admin, { parent, name: long, geometryType: 'MULTIPOLYGON', fields })
  await admin('PATCH', `/api/resource/${layer}/feature/?srs=4326`, [
    { geom: square, fields: { name: 'n'.repeat(300) } },
    { geom: across, fields: { name: 'Across' } },
    { geom: 'POLYGON((60 40, 61 40, 61 41, 60 40))', fields: { name: 'Small' } },
  ])
  const style = await createStyle(admin, { parent: layer, name: 'Style' })
  const entry = { item_type: 'layer', display_name: long, layer_style_id: style }
  const children = [
    ...Array.from({ length: 4 }, () => entry),
    { ...entry, display_name: 'Last', layer_min_scale_denom: '1 : 20000000' },
  ]
  map = await makeWebmap(children, { extent_left: -40, extent_right: 40, extent_bottom: -20, extent_top: 20 })
  empty = await makeWebmap([], {})
  const named = (display_name: string) => ({ ...entry, display_name, layer_enabled: false })
  const folded = { item_type: 'group', display_name: 'Transport', group_expanded: false }
  large = await makeWebmap(
    [
      ...Array.from({ length: 12 }, (_, at) => named(`Layer ${at + 1}`)),
      { ...folded, children: [named('Main roads'), named('Side roads')] },
    ],
    { extent_left: -30 },
  )
  pacific = await makeWebmap(children, {
    extent_left: 170,
    extent_right: -140,
    extent_bottom: -20,
    extent_top: 20,
  })
})
afterAll(() => server.stop())

function makeWebmap(children: readonly object[], extent: object): Promise<number> {
  const description = `<p>${'A map of what was found and written down. '.repeat(60)}</p>`
  const webmap = { ...extent, root_item: { item_type: 'root', children } }
  const name = `${long} ${JSON.stringify(extent)}`
  return createResource(server.admin, {
    cls: 'webmap',
    parent,
    name,
    resource: { description },
    members: { webmap },
  })
}

async function open(id = map, size: PageOptions = {}): Promise<Page> {
  const page = await browser.open(`${server.url}/resource/${id}/display?lon=0&lat=0&zoom=4`, size)
  await untilDrawn(page)
  return page
}

const isOver = (selector: string, position: { x: number; y: number }) =>
  `document.elementFromPoint(${position.x}, ${position.y})?.closest('${selector}') !== null`

test('layers below a long description are scrolled to', async () => {
  const page = await open()
  const isLastSeen = `(() => {
    const box = [...document.querySelectorAll('.tree input[type=checkbox]')].at(-1).getBoundingClientRect()
    return document.elementFromPoint(box.x + 5, box.y + 5)?.matches('.tree input[type=checkbox]') === true
  })()`
  expect(await page.evaluate(isLastSeen)).toBe(false)
  await page.mouse.move(150, 400)
  await page.mouse.wheel(0, 10_000)
  await untilTrue(page, isLastSeen)
})

test('long names and values stay within their panel', async () => {
  const page = await open()
  await page.mouse.click(600, 350)
  await page.getByRole('heading', { name: '1 feature' }).waitFor()
  for (const panel of ['.found', '.panel .content', 'body'])
    expect(await page.evaluate(overflowOf(panel)), panel).toBe(0)
})

test('the id of a feature is told from a field of that name', async () => {
  const page = await open()
  await page.mouse.click(600, 350)
  await page.getByRole('heading', { name: '1 feature' }).waitFor()
  expect(await page.locator('.features details[open] th').allTextContents()).toEqual([
    'Name',
    'ID',
    'feature id',
  ])
})

test('found features are gone when no item of the tree shows their layer', async () => {
  const page = await open()
  const found = page.getByRole('region', { name: 'Features found' })
  await page.mouse.click(600, 350)
  await found.waitFor()
  const shown = page.locator('.tree input[type=checkbox]:checked')
  for (let left = await shown.count(); left > 0; left -= 1) {
    expect(await found.isVisible()).toBe(true)
    await shown.first().click()
  }
  await found.waitFor({ state: 'hidden' })
})

test.each([
  ['light', 1000],
  ['dark', 390],
] as const)(
  'layers of a large tree are found by the keyboard, in %s colours and %d pixels',
  async (colorScheme, width) => {
    const page = await open(large, { width, height: 700, colorScheme })
    if (width < 640) await page.getByRole('button', { name: 'Layers', exact: true }).click()
    const box = page.getByRole('searchbox', { name: 'Find a layer' })
    const shown = async () => {
      const names = await page
        .locator('.tree .name')
        .evaluateAll((all) =>
          all.filter((one) => one.checkVisibility()).map((one) => one.firstChild?.textContent ?? ''),
        )
      return names
    }
    const all = await shown()
    expect(all).toHaveLength(13)
    const description = page.locator('.description')
    expect(await description.isVisible()).toBe(true)
    await box.focus()
    await page.keyboard.type('TRÄNSPORT roads')
    expect(await shown()).toEqual(['Transport', 'Main roads', 'Side roads'])
    await page.getByRole('status').getByText('2 of 14 layers').waitFor()
    expect(await findLowContrast(page)).toEqual([])
    expect(await page.evaluate(overflowOf('.panel'))).toBe(0)
    expect(await description.isVisible()).toBe(false)
    const road = await page.getByRole('checkbox', { name: 'Main roads' }).boundingBox()
    const above = await page.getByRole('checkbox', { name: 'Transport' }).boundingBox()
    // Further to the right than the box of its group by the width of the box.
    expect(road?.x).toBeGreaterThan((above?.x ?? 0) + 15)
    expect(await page.evaluate(isOver('.tree .row', { x: 5, y: 5, ...road }))).toBe(true)
    // The button and the check box of the group come before its layers.
    for (const key of ['Tab', 'Tab', 'Tab', 'Space']) await page.keyboard.press(key)
    expect(await page.getByRole('checkbox', { name: 'Main roads' }).isChecked()).toBe(true)
    // The check box of the group is that of the layers that are found.
    const group = page.getByRole('checkbox', { name: 'Transport' })
    const isChecked = (name: string) => page.getByRole('checkbox', { name }).isChecked()
    const isMixed = () =>
      group.evaluate((one) => (one as unknown as { indeterminate: boolean }).indeterminate)
    expect(await isMixed()).toBe(true)
    await box.fill('main')
    expect([await group.isChecked(), await isMixed()]).toEqual([true, false])
    await group.uncheck()
    await box.fill('side')
    await group.check()
    await box.fill('transport')
    expect([await isChecked('Main roads'), await isChecked('Side roads')]).toEqual([false, true])
    expect(await isMixed()).toBe(true)
    await group.check()
    expect([await isChecked('Main roads'), await isChecked('Side roads')]).toEqual([true, true])
    await box.focus()
    await box.fill('nothing of this')
    expect(await shown()).toEqual([])
    await page.getByRole('status').getByText('No layer has this name.').waitFor()
    await page.keyboard.press('Escape')
    expect(await box.inputValue()).toBe('')
    expect(await shown()).toEqual(all)
  },
)

test('a small tree has no box to find layers', async () => {
  const page = await open()
  expect(await page.getByRole('searchbox').count()).toBe(0)
})

/** How many pixels of an element are out of sight to the right. */
const overflowOf = (selector: string) => `(() => {
  const { scrollWidth, clientWidth } = document.querySelector('${selector}')
  return scrollWidth - clientWidth
})()`

test('a small screen shows one panel at a time', async () => {
  const page = await open(map, { width: 390, height: 740 })
  const layers = page.getByRole('button', { name: 'Layers', exact: true })
  const found = page.getByRole('region', { name: 'Features found' })
  await page.mouse.click(195, 300)
  await found.waitFor()
  await layers.click()
  expect(await found.isVisible()).toBe(false)
  await page.mouse.click(195, 600)
  await found.waitFor()
  expect(await page.getByRole('checkbox', { name: 'Last' }).isVisible()).toBe(false)
})

test.each([1000, 390])('the map moves to a feature next to its panel, %d pixels wide', async (width) => {
  const page = await open(map, { width, height: 700 })
  await page.mouse.click(width / 2, 350)
  await page.getByRole('button', { name: 'Zoom to feature' }).click()
  await page.waitForURL((url) => readView(url).zoom !== 4)
  const at = readView(await urlOf(page))
  for (const corner of [
    [-20, -10],
    [20, 10],
  ] as const) {
    const pixel = pixelOf(page, at, corner)
    expect(await page.evaluate(isOver('.map', pixel)), `${corner}`).toBe(true)
  }
})

test('Enter moves the focus to the features found, and Escape back to the map', async () => {
  const page = await open()
  await page.getByRole('application', { name: /^Map: / }).focus()
  await page.keyboard.press('Enter')
  const heading = page.getByRole('heading', { name: '1 feature' })
  await heading.waitFor()
  await page.locator('h2:focus').waitFor()
  await page.keyboard.press('Escape')
  expect(await heading.isVisible()).toBe(false)
  await page.keyboard.press('+')
  await page.waitForURL((url) => readView(url).zoom === 5)
  expect(await page.locator('.map:focus').count()).toBe(1)
})

test('features are found in every copy of the world', async () => {
  const page = await browser.open(`${server.url}/resource/${map}/display?lon=0&lat=0&zoom=1`)
  await untilDrawn(page)
  // A world is 512 pixels wide.
  await page.mouse.click(500 + 512 - 20, 350)
  await page.getByRole('heading', { name: '1 feature' }).waitFor()
})

test('the map zooms to a feature across the antimeridian, found in a copy of the world', async () => {
  const page = await browser.open(`${server.url}/resource/${map}/display?lon=-179.9&lat=-45&zoom=4`)
  await untilDrawn(page)
  const place = pixelOf(page, readView(await urlOf(page)), [-181, -49])
  await page.mouse.click(place.x, place.y)
  await page.getByRole('heading', { name: '1 feature' }).waitFor()
  await page.getByRole('button', { name: 'Zoom to feature' }).click()
  await page.waitForURL((url) => readView(url).zoom > 5)
  const { lon, lat } = readView(await urlOf(page))
  expect([Math.abs(Math.abs(lon) - 180) < 3, Math.abs(lat + 49) < 3]).toEqual([true, true])
})

test('an initial extent across the antimeridian is centered', async () => {
  const page = await browser.open(`${server.url}/resource/${pacific}/display`)
  await page.waitForURL((url) => url.searchParams.has('lon'))
  expect(readView(await urlOf(page)).lon).toBeCloseTo(-165, 1)
})

test('a map without layers reports it, and offers guests the login', async () => {
  const page = await open(empty)
  await page.getByText('This map has no layers that you can view.').waitFor()
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.waitForURL('**/login?**')
  expect(new URL(page.url()).searchParams.get('next')).toContain(`/resource/${empty}/display?`)
})

test('a layer that is not shown at the scale is marked', async () => {
  const page = await open()
  const label = page.locator('.tree label', { hasText: 'Last' })
  expect(await label.innerText()).toBe('Last (not shown at this scale)')
  await page.keyboard.press('+')
  await page.waitForURL((url) => readView(url).zoom === 5)
  expect(await label.innerText()).toBe('Last')
})

test('nothing is announced while the pointer moves', async () => {
  const page = await open()
  await page.mouse.move(500, 300)
  await page.locator('.position:not(:empty)').waitFor()
  expect(await page.getByRole('status').count()).toBe(0)
})

test('the place that was tapped on a phone is seen above what was found there', async () => {
  const page = await open(map, { width: 390, height: 740 })
  const place = [5, -9] as const
  const tapped = pixelOf(page, readView(await urlOf(page)), place)
  await page.mouse.click(tapped.x, tapped.y)
  await page.locator('.features summary').first().waitFor()
  expect(await page.evaluate(isOver('.features', tapped))).toBe(true)
  await page.waitForURL((url) => readView(url).lat < -0.5)
  await untilDrawn(page)
  const seen = pixelOf(page, readView(await urlOf(page)), place)
  expect(seen.y).toBeGreaterThan(0)
  expect(await page.evaluate(isOver('.map', seen))).toBe(true)
})
