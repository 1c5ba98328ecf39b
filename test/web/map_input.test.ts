import type { CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { colorAt, pixelOf, readView, untilColor, untilDrawn, useBrowser } from '../support/browser.ts'
import { makeMap, type TestMap } from '../support/map.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const browser = useBrowser()
let server: TestServer
let map: TestMap

beforeAll(async () => {
  server = await startTestServer('pglite')
  map = await makeMap(server)
})
afterAll(() => server.stop())

async function open(path = 'display'): Promise<Page> {
  const page = await browser.open(`${server.url}/resource/${map.id}/${path}?lon=0&lat=0&zoom=4`)
  await untilDrawn(page)
  return page
}

/** Waits until the address says that the map stands elsewhere. */
const untilMoved = async (page: Page, isThere: (place: ReturnType<typeof readView>) => boolean) => {
  await page.waitForURL((url) => isThere(readView(url)))
  return readView(new URL(page.url()))
}

test('the wheel zooms an untouched page', async () => {
  const page = await open()
  await page.mouse.move(500, 350)
  await page.mouse.wheel(0, -240)
  expect((await untilMoved(page, ({ zoom }) => zoom > 4)).zoom).toBeGreaterThan(4)
})

async function drag(page: Page): Promise<void> {
  await page.mouse.move(500, 350)
  await page.mouse.down()
  await page.mouse.move(560, 350, { steps: 4 })
  await page.mouse.move(600, 350, { steps: 4 })
  await page.mouse.up()
}

test('the first drag moves an untouched page', async () => {
  const page = await open()
  await drag(page)
  expect((await untilMoved(page, ({ lon }) => lon < 0)).lat).toBeCloseTo(0, 0)
})

test.each(['Zoom in', 'Cities'])('the map is dragged right after a click on %s', async (name) => {
  const page = await open()
  await page.getByRole(name === 'Cities' ? 'checkbox' : 'button', { name, exact: true }).click()
  await untilDrawn(page)
  await drag(page)
  await untilMoved(page, ({ lon }) => lon < 0)
})

/** Puts fingers on a page, moves each along its way and lifts them. */
async function touch(session: CDPSession, ways: readonly (readonly (readonly [number, number])[])[]) {
  const points = (at: number) => ways.map((way, id) => ({ x: way[at]?.[0] ?? 0, y: way[at]?.[1] ?? 0, id }))
  const [first = []] = ways
  for (const at of first.keys())
    await session.send('Input.dispatchTouchEvent', {
      type: at === 0 ? 'touchStart' : 'touchMove',
      touchPoints: points(at),
    })
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}

const steps = (from: readonly [number, number], to: readonly [number, number]) =>
  Array.from({ length: 9 }, (_, at): [number, number] => [
    from[0] + ((to[0] - from[0]) * at) / 8,
    from[1] + ((to[1] - from[1]) * at) / 8,
  ])

async function openTouch(path?: string) {
  const page = await open(path)
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 2 })
  return { page, session }
}

test('one finger moves an untouched page', async () => {
  const { page, session } = await openTouch()
  await touch(session, [steps([500, 350], [500, 480])])
  expect((await untilMoved(page, ({ lat }) => lat > 0)).lat).toBeGreaterThan(5)
})

test('two fingers zoom an untouched page', async () => {
  const { page, session } = await openTouch()
  await touch(session, [steps([480, 350], [350, 350]), steps([520, 350], [650, 350])])
  expect((await untilMoved(page, ({ zoom }) => zoom > 4)).zoom).toBeGreaterThan(5)
})

test('one finger moves an untouched tiny page', async () => {
  const { page, session } = await openTouch('display/tiny')
  const sea = pixelOf(page, { lon: 0, lat: 0, zoom: 4 }, [0, 5])
  expect(await colorAt(page, sea)).toBeUndefined()
  await touch(session, [steps([300, 350], [530, 350])])
  await untilColor(page, sea, '#3366cc')
})

test('arrow keys and plus move an untouched page, and one whose controls were clicked', async () => {
  const page = await open()
  await page.keyboard.press('ArrowRight')
  await untilMoved(page, ({ lon }) => lon > 0)
  await page.keyboard.press('+')
  await untilMoved(page, ({ zoom }) => zoom === 5)
  await page.getByRole('button', { name: 'Zoom out' }).click()
  await untilMoved(page, ({ zoom }) => zoom === 4)
  await page.keyboard.press('ArrowUp')
  await untilMoved(page, ({ lat }) => lat > 0)
})

test('arrow keys in a panel do not move the map', async () => {
  const page = await open()
  const before = page.url()
  await page.getByRole('checkbox', { name: 'Cities' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('button', { name: 'Zoom to Cities' }).focus()
  await page.keyboard.press('ArrowDown')
  // The next key is the map's: once it has moved, the ones before have come too.
  await page.getByRole('application').focus()
  await page.keyboard.press('+')
  const { lon, lat } = await untilMoved(page, ({ zoom }) => zoom === 5)
  expect([lon, lat]).toEqual([readView(new URL(before)).lon, readView(new URL(before)).lat])
})
