import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { colorAt, pixelOf, readCanvas, readView, untilDrawn, urlOf, useBrowser } from '../support/browser.ts'
import { findLowContrast } from '../support/contrast.ts'
import { makeOpenGroup } from '../support/map.ts'
import { largestDifference } from '../support/picture.ts'
import { namedSymbol, qml, symbolLayer, symbols } from '../support/qml.ts'
import { uploadContent } from '../support/samples.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { startTileService, type TileService, tileColor } from '../support/tile_service.ts'
import { createLayer, createResource, createStyle } from '../support/tree.ts'

const browser = useBrowser()
let server: TestServer
let service: TileService
let parent: number
let hatched: number
let land: number
let plain: number

beforeAll(async () => {
  server = await startTestServer('pglite')
  service = await startTileService()
  parent = (await makeOpenGroup(server)).parent
  const { admin } = server
  const fields = [{ keyname: 'kind', datatype: 'STRING' }]
  const areas = await createLayer(admin, { parent, name: 'Areas', geometryType: 'POLYGON', fields })
  await admin('PATCH', `/api/resource/${areas}/feature/?srs=4326`, [
    { geom: box([-20, -12], [-3, 14]), fields: { kind: 'a' } },
    { geom: 'POLYGON((2 -9, 19 -14, 12 12, 2 -9))', fields: { kind: 'b' } },
    { geom: box([170, -10], [180, 10]), fields: { kind: 'a' } },
    { geom: box([-180, -10], [-175, 10]), fields: { kind: 'a' } },
  ])
  const file_upload = await uploadContent(admin, hatchedQml)
  hatched = await createResource(admin, {
    cls: 'desk_vector_style',
    parent: areas,
    name: 'Hatched',
    members: { desk_vector_style: { file_upload } },
  })
  plain = await createStyle(admin, {
    parent: areas,
    name: 'Plain',
    inner: '<color red="200" green="0" blue="0"/>',
  })
  const ground = await createLayer(admin, { parent, name: 'Land', geometryType: 'POLYGON' })
  await admin('PATCH', `/api/resource/${ground}/feature/?srs=4326`, [{ geom: box([-179, -80], [179, 80]) }])
  land = await createStyle(admin, { parent: ground, name: 'Land', inner: landColor })
})
afterAll(async () => {
  await server.stop()
  await service.stop()
})

const landColor = '<color red="0" green="0" blue="255"/>'

function box([west, south]: readonly [number, number], [east, north]: readonly [number, number]): string {
  return `POLYGON((${west} ${south}, ${east} ${south}, ${east} ${north}, ${west} ${north}, ${west} ${south}))`
}

const translucent = { color: '40,160,90,128', outline_color: '0,80,0,255', outline_width: '0.5' }

/** Categories: hatches below a dashed outline, and a point pattern in a translucent fill. */
const hatchedQml = qml(
  'type="categorizedSymbol" attr="kind"',
  `<categories>
  <category render="true" symbol="0" value="a" label="a"/><category render="true" symbol="1" value="b" label="b"/>
</categories>${symbols(
    namedSymbol(
      '0',
      'fill',
      symbolLayer(
        'LinePatternFill',
        { angle: '30', distance: '3', distance_unit: 'MM', line_width: '0.6', color: '200,30,30,255' },
        namedSymbol(
          '@0@0',
          'line',
          symbolLayer('SimpleLine', {
            line_color: '200,30,30,255',
            line_width: '0.6',
            line_width_unit: 'MM',
          }),
        ),
      ) +
        symbolLayer('SimpleLine', {
          line_color: '20,20,120,255',
          line_style: 'dash',
          line_width: '1',
          line_width_unit: 'MM',
        }),
    ),
    namedSymbol('1', 'fill', symbolLayer('SimpleFill', translucent)),
  )}`,
)

type Item = Readonly<Record<string, unknown>>

const item = (style: number, more: Item = {}): Item => ({
  item_type: 'layer',
  display_name: `Style ${style}`,
  layer_style_id: style,
  ...more,
})

let made = 0

/** Makes a map of layers, the first one uppermost, and returns its path. */
async function makeMap(children: readonly Item[], { basemaps = [], ...webmap }: Item = {}): Promise<string> {
  made += 1
  const id = await createResource(server.admin, {
    cls: 'webmap',
    parent,
    name: `Map ${made}`,
    members: {
      webmap: { root_item: { item_type: 'root', children }, ...webmap },
      basemap_webmap: { basemaps },
    },
  })
  return `/resource/${id}/display`
}

type OpenOptions = Parameters<typeof browser.open>[1]

async function open(path: string, options?: OpenOptions): Promise<Page> {
  const page = await browser.open(server.url + path, options)
  await untilDrawn(page)
  return page
}

const readPng = async (path: string) =>
  sharp(Buffer.from(await (await server.admin('GET', path)).bytes()))
    .ensureAlpha()
    .raw()
    .toBuffer()

const start = '?lon=0&lat=0&zoom=4'

describe('layers', () => {
  test.each(['tile', 'image'])(
    'a layer with adapter %s is drawn as the server draws a tile',
    async (adapter) => {
      const page = await open((await makeMap([item(hatched, { layer_adapter: adapter })])) + start)
      // The center of the page is a corner of four tiles.
      const onPage = await readCanvas(page, { x: 500 - 256, y: 350 - 256, width: 256, height: 256 })
      const tile = await readPng(`/api/component/render/tile?resource=${hatched}&z=4&x=7&y=7`)
      expect(new Set(tile).size).toBeGreaterThan(50)
      expect(largestDifference(onPage, tile)).toBeLessThan(2)
    },
  )

  test('a layer with adapter image continues beyond the antimeridian', async () => {
    const page = await open(
      `${await makeMap([item(plain, { layer_adapter: 'image' })])}?lon=180&lat=0&zoom=4`,
    )
    const place = { lon: 180, lat: 0, zoom: 4 }
    const colors = [165, 175, 183, 187].map((lon) => colorAt(page, pixelOf(page, place, [lon, 0])))
    expect(await Promise.all(colors)).toEqual([undefined, '#c80000', '#c80000', undefined])
  })

  test.each(['tile', 'image'])(
    'a screen of high resolution gets images of its own pixels, with adapter %s',
    async (adapter) => {
      const path = await makeMap([item(hatched, { layer_adapter: adapter })])
      const asked: string[] = []
      const page = await open(path + start, { deviceScaleFactor: 2 })
      page.on('request', (request) => asked.push(request.url()))
      await page.reload()
      await untilDrawn(page)
      const images = asked.filter((url) => url.includes(`/component/render/${adapter}?`))
      expect(images.filter((url) => url.includes('&scale=2'))).toEqual(images)
      expect(images).not.toEqual([])
      // The canvas has twice as many columns and rows.
      const at = { lon: 0, lat: 0, zoom: 4 }
      const colorOn = async (lon: number) => {
        const { x, y } = pixelOf(page, at, [lon, 0])
        const bytes = await readCanvas(page, { x: 2 * Math.round(x) - 3, y: 2 * y - 3, width: 6, height: 6 })
        return bytes.some((value) => value > 0)
      }
      expect([await colorOn(-20), await colorOn(-3), await colorOn(-1)]).toEqual([true, true, false])
    },
  )

  test('layers have the order and the transparency of their items', async () => {
    const items = [
      item(land, { draw_order_position: 2 }),
      item(plain, { draw_order_position: 1, layer_transparency: 50 }),
    ]
    const page = await open((await makeMap(items, { draw_order_enabled: true })) + start)
    const { x, y } = pixelOf(page, { lon: 0, lat: 0, zoom: 4 }, [-10, 0])
    const shot = await page.screenshot({ clip: { x, y, width: 1, height: 1 } })
    const [red = 0, green, blue = 0] = await sharp(shot).raw().toBuffer()
    expect(green).toBe(0)
    expect(Math.abs(red - 100)).toBeLessThan(3)
    expect(Math.abs(blue - 127)).toBeLessThan(3)
  })

  test('tiles meet without seams on a screen with a fractional pixel ratio, and while two fingers zoom', async () => {
    const options = { deviceScaleFactor: 1.25, hasTouch: true }
    const page = await open(`${await makeMap([item(land)])}?lon=7&lat=3&zoom=4`, options)
    const clip = { x: 400, y: 100, width: 500, height: 500 }
    const colors = async () => {
      const bytes = await sharp(await page.screenshot({ clip }))
        .removeAlpha()
        .raw()
        .toBuffer()
      return new Set(bytes.toString('hex').match(/.{6}/g))
    }
    expect(await colors()).toEqual(new Set(['0000ff']))
    const session = await page.context().newCDPSession(page)
    const fingers = (gap: number) => [
      { x: 500 - gap, y: 350, id: 0 },
      { x: 500 + gap, y: 350, id: 1 },
    ]
    for (const [at, gap] of [60, 65, 72, 81].entries()) {
      const type = at === 0 ? 'touchStart' : 'touchMove'
      await session.send('Input.dispatchTouchEvent', { type, touchPoints: fingers(gap) })
    }
    expect(await colors()).toEqual(new Set(['0000ff']))
  })

  test.each([
    ['render/unsupported', 422],
    ['external/table', 503],
  ])('a layer that the server cannot draw has a badge: %s', async (code, status) => {
    const path = await makeMap([item(land), item(plain)])
    const page = await open(path + start)
    browser.expectComplaint(new RegExp(`${status}`))
    const json = { code, message: 'The layer cannot be drawn.', hint: 'Choose another one.' }
    await page.route(new RegExp(`/tile\\?resource=(\\d+,)?${plain}(,\\d+)?&`), (route) =>
      route.fulfill({ status, json }),
    )
    await page.reload()
    const badge = page.getByRole('button', {
      name: 'Not drawn: The layer cannot be drawn. Choose another one.',
    })
    await badge.waitFor()
    const reasons = page.locator('.reasons', { hasText: json.message })
    expect(await reasons.isVisible()).toBe(false)
    await badge.focus()
    await page.keyboard.press('Enter')
    expect(await reasons.isVisible()).toBe(true)
    await badge.click()
    expect(await reasons.isVisible()).toBe(false)
    await untilDrawn(page)
    expect(await page.locator('.fault').count()).toBe(0)
    expect(await colorAt(page, pixelOf(page, { lon: 0, lat: 0, zoom: 4 }, [-10, 0]))).toBe('#0000ff')
  })

  test('a slider sets the opacity of a layer', async () => {
    const page = await open((await makeMap([item(land)])) + start)
    const at = pixelOf(page, { lon: 0, lat: 0, zoom: 4 }, [-10, 0])
    const before = await colorAt(page, at)
    await page.getByRole('button', { name: /^Opacity of / }).focus()
    await page.keyboard.press('Enter')
    const slider = page.getByRole('slider', { name: /^Opacity of / })
    expect(await slider.inputValue()).toBe('100')
    await slider.press('Home')
    await untilDrawn(page)
    const transparent = await colorAt(page, at)
    expect(transparent).not.toBe(before)
    await slider.press('End')
    await untilDrawn(page)
    expect(await colorAt(page, at)).toBe(before)
  })

  test('the URL keeps the opacity that a slider sets, also for the tiny page', async () => {
    const page = await open((await makeMap([item(land, { layer_transparency: 40 })])) + start)
    const slider = page.getByLabel(/^Opacity of .* in percent/)
    const opacityOfLegend = async () => {
      await page.waitForSelector('.swatch img')
      return page.evaluate<string>("getComputedStyle(document.querySelector('.swatch img')).opacity")
    }
    await page.getByRole('button', { name: /^Opacity of / }).press('Enter')
    expect((await urlOf(page)).searchParams.get('opacity')).toBeNull()
    await slider.press('End')
    await slider.press('ArrowLeft')
    expect((await urlOf(page)).searchParams.get('opacity')).toBe(`${land}:95`)
    expect(await opacityOfLegend()).toBe('0.95')
    await slider.press('Home')
    await page.reload()
    await untilDrawn(page)
    const at = pixelOf(page, { lon: 0, lat: 0, zoom: 4 }, [-10, 0])
    expect(await colorAt(page, at)).toBeUndefined()
    expect([await slider.inputValue(), await opacityOfLegend()]).toEqual(['0', '0'])
    const tiny = await open(
      (await urlOf(page)).href.slice(server.url.length).replace('/display', '/display/tiny'),
    )
    expect(await colorAt(tiny, at)).toBeUndefined()
  })
})

describe('base maps', () => {
  let path: string

  const addBaseMap = (name: string, members: Item) =>
    createResource(server.admin, {
      cls: 'basemap_layer',
      parent,
      name,
      members: { basemap_layer: members },
    })

  beforeAll(async () => {
    const port = new URL(service.origin).port
    const streets = await addBaseMap('Streets', {
      url: `http://{switch:127.0.0.1,localhost}:${port}/tiles/streets/{z}/{x}/{y}.png`,
      copyright_text: 'Surveyors',
      copyright_url: 'https://example.org/terms',
      z_max: 3,
    })
    const relief = await addBaseMap('Relief', {
      url: `${service.origin}/tiles/relief/{z}/{x}/{-y}.png`,
      z_min: 5,
    })
    const absent = await addBaseMap('Absent', { url: `${service.origin}/absent/{z}/{x}/{y}.png` })
    const basemaps = [
      { resource_id: absent, display_name: 'Absent', position: 3, enabled: false },
      { resource_id: relief, display_name: 'Relief <b>', position: 2, enabled: true },
      { resource_id: streets, display_name: 'Streets', position: 1, opacity: 0.5 },
    ]
    path = await makeMap([item(plain)], { basemaps })
  })

  const choice = (page: Page, name: string) => page.getByRole('radio', { name, exact: true })
  const sea = { x: 505, y: 345, width: 1, height: 1 }
  const colorOf = async (page: Page) =>
    (
      await sharp(await page.screenshot({ clip: sea }))
        .raw()
        .toBuffer()
    ).toString('hex')

  async function openBase(query = start, options?: OpenOptions): Promise<Page> {
    browser.expectComplaint(/requests http:\/\/(127.0.0.1|localhost)/)
    return open(path + query, options)
  }

  test('the first enabled one is shown from all hosts, with its opacity, its attribution and enlarged tiles', async () => {
    const page = await openBase()
    expect(await choice(page, 'Streets').isChecked()).toBe(true)
    const link = page.locator('.attribution a')
    expect([await link.innerText(), await link.getAttribute('href')]).toEqual([
      'Surveyors',
      'https://example.org/terms',
    ])
    const tiles = service.requests.filter((one) => one.startsWith('/tiles/streets/'))
    expect(new Set(tiles.map((one) => one.split('/')[3]))).toEqual(new Set(['3']))
    const half = await colorOf(page)
    await choice(page, 'None').check()
    await untilDrawn(page)
    expect(await colorOf(page)).not.toBe(half)
    expect((await urlOf(page)).searchParams.get('base')).toBe('none')
    expect(await link.count()).toBe(0)
  })

  test('the keyboard chooses, the URL keeps the choice, and a base map is not shown below its lowest zoom level', async () => {
    const page = await openBase()
    expect(await page.getByRole('group', { name: 'Base map' }).getByRole('radio').count()).toBe(4)
    await choice(page, 'Streets').focus()
    await page.keyboard.press('ArrowDown')
    expect(await choice(page, 'Relief <b>').isChecked()).toBe(true)
    await untilDrawn(page)
    const reliefTiles = () => service.requests.filter((one) => one.startsWith('/tiles/relief/'))
    expect(reliefTiles()).toEqual([])
    await page.getByRole('button', { name: 'Zoom in' }).click()
    await page.waitForURL((url) => readView(url).zoom === 5)
    await untilDrawn(page)
    expect(await colorOf(page)).toBe(tileColor.slice(1))
    // The rows of these tiles are counted from the south.
    expect(reliefTiles()).toContain('/tiles/relief/5/16/16.png')
    await page.reload()
    await untilDrawn(page)
    expect(await choice(page, 'Relief <b>').isChecked()).toBe(true)
  })

  test('one that does not answer is reported once, until another is chosen, and the layers are drawn', async () => {
    const page = await openBase()
    browser.expectComplaint(/404/)
    await choice(page, 'Absent').check()
    await page.getByText('Cannot load the base map Absent.').waitFor()
    await untilDrawn(page)
    expect(await page.locator('.fault').count()).toBe(1)
    await choice(page, 'None').check()
    expect(await page.locator('.fault').count()).toBe(0)
  })

  test.each(['light', 'dark'] as const)(
    'the choice is legible in %s colors, on a small screen too',
    async (colorScheme) => {
      const page = await openBase(start, { colorScheme, width: 390, height: 740 })
      await page.getByRole('button', { name: 'Layers', exact: true }).click()
      await choice(page, 'None').scrollIntoViewIfNeeded()
      await choice(page, 'None').check()
      expect(await findLowContrast(page)).toEqual([])
    },
  )
})
