import type { CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  colorAt,
  type PageOptions,
  pixelOf,
  readView,
  untilColor,
  untilDrawn,
  urlOf,
  useBrowser,
} from '../support/browser.ts'
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

async function open(path = 'display', options: PageOptions = {}): Promise<Page> {
  const page = await browser.open(`${server.url}/resource/${map.id}/${path}?lon=0&lat=0&zoom=4`, options)
  await untilDrawn(page)
  return page
}

/** Waits until the address says that the map stands elsewhere. */
const untilMoved = async (page: Page, isThere: (place: ReturnType<typeof readView>) => boolean) => {
  await page.waitForURL((url) => isThere(readView(url)))
  return readView(await urlOf(page))
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

/** Positions of a finger. */
type Way = readonly (readonly [number, number])[]

/** Puts fingers on a page, moves each along its way and lifts it at the end of it. */
async function touch(session: CDPSession, ways: readonly Way[]): Promise<void> {
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', fingers: readonly number[], at: number) => {
    const touchPoints = fingers.map((id) => ({
      x: ways[id]?.[at]?.[0] ?? 0,
      y: ways[id]?.[at]?.[1] ?? 0,
      id,
    }))
    return session.send('Input.dispatchTouchEvent', { type, touchPoints })
  }
  let down = [...ways.keys()]
  await send('touchStart', down, 0)
  for (let at = 1; down.length > 0; at += 1) {
    const left = down.filter((id) => at < (ways[id]?.length ?? 0))
    if (left.length < down.length) await send('touchEnd', left, at)
    else await send('touchMove', left, at)
    down = left
  }
}

const steps = (from: readonly [number, number], to: readonly [number, number]) =>
  Array.from({ length: 9 }, (_, at): [number, number] => [
    from[0] + ((to[0] - from[0]) * at) / 8,
    from[1] + ((to[1] - from[1]) * at) / 8,
  ])

async function openTouch(path?: string, options: PageOptions = {}) {
  const page = await open(path, options)
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

test('arrow keys and plus, with or without Shift, move an untouched page, and one whose controls were clicked', async () => {
  const page = await open()
  await page.keyboard.press('ArrowRight')
  await untilMoved(page, ({ lon }) => lon > 0)
  await page.keyboard.press('+')
  await untilMoved(page, ({ zoom }) => zoom === 5)
  await page.keyboard.press('=')
  await untilMoved(page, ({ zoom }) => zoom === 6)
  await page.keyboard.press('-')
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

/** A pinch that spreads the fingers by a factor around the center of the page, and turns them by degrees. */
function pinch(factor: number, degrees = 0): [Way, Way] {
  const angle = (degrees * Math.PI) / 180
  const [x, y] = [60 * factor * Math.cos(angle), 60 * factor * Math.sin(angle)]
  return [steps([440, 350], [500 - x, 350 - y]), steps([560, 350], [500 + x, 350 + y])]
}

/** Zoom level of the view once it rests, which the map says in its address. */
async function restingZoom(page: Page): Promise<number> {
  await untilDrawn(page)
  return readView(await urlOf(page)).zoom
}

describe.each(['reduce', 'no-preference'] as const)('with motion: %s', (reducedMotion) => {
  test.each([
    ['a drag of two fingers whose distance trembles', pinch(1.02), 4],
    ['a pinch of less than half a zoom level', pinch(1.3), 4],
    ['a pinch of more than half a zoom level', pinch(1.5), 5],
    ['a pinch that zooms out', pinch(0.6), 3],
    ['fingers that turn', pinch(1, 60), 4],
    ['a pinch that turns', pinch(2, 30), 5],
    ['a pinch of which one finger is lifted earlier', [pinch(2)[0].slice(0, 6), pinch(2)[1]], 5],
  ] as const)('%s ends at the nearest zoom level, and a drag after it keeps it', async (_, ways, zoom) => {
    const { page, session } = await openTouch(undefined, { reducedMotion })
    await touch(session, ways)
    await touch(session, [steps([600, 350], [700, 380])])
    await untilMoved(page, ({ lon }) => lon < -1)
    expect(await restingZoom(page)).toBe(zoom)
  })

  test('a drag and a tap right after a zoom keep it', async () => {
    const { page, session } = await openTouch(undefined, { reducedMotion })
    await page.keyboard.press('+')
    await touch(session, [steps([600, 350], [700, 380])])
    await untilMoved(page, ({ lon }) => lon < -1)
    expect(await restingZoom(page)).toBe(5)
    await page.keyboard.press('+')
    await page.mouse.click(500, 350)
    await page.waitForURL((url) => readView(url).zoom > 5)
    expect(await restingZoom(page)).toBe(6)
  })

  test('every click of a button zooms by a level, also those of a double click', async () => {
    const page = await open(undefined, { reducedMotion })
    await page.getByRole('button', { name: 'Zoom in' }).dblclick()
    await untilMoved(page, ({ zoom }) => zoom === 6)
    expect(await restingZoom(page)).toBe(6)
  })

  test('the wheel right after a pinch zooms by a level', async () => {
    const { page, session } = await openTouch(undefined, { reducedMotion })
    await touch(session, pinch(2))
    await page.mouse.move(600, 350)
    await page.mouse.wheel(0, -240)
    await untilMoved(page, ({ zoom }) => zoom === 6)
    expect(await restingZoom(page)).toBe(6)
  })
})
