import { afterAll, beforeAll, expect, test } from 'vitest'
import { colorAt, pixelOf, untilDrawn, untilTrue, useBrowser } from '../../support/browser.ts'
import { makeMap } from '../../support/map.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

const browser = useBrowser()
let server: TestServer

beforeAll(async () => {
  server = await startTestServer('pglite')
})
afterAll(() => server.stop())

/** Holds the timers with which the map announces a frame, while `held` is a list. */
const holdTimers = `{
  const start = window.setTimeout
  window.setTimeout = (run, ms = 0, ...rest) => {
    if (ms > 0 || window.held === undefined) return start(run, ms, ...rest)
    window.held.push(run)
    return -1
  }
}`

/** Lets the map announce the frame as soon as the fault is gone, before the next frame; notes what the page says then. */
const announceOldFrame = `new MutationObserver(() => {
  if (document.querySelector('.fault') !== null || window.held === undefined) return
  const timers = window.held
  window.held = undefined
  for (const run of timers) run()
  window.said = document.body.dataset.drawn
}).observe(document.querySelector('.faults'), { childList: true })`

test('a frame from before a load does not count as drawn', async () => {
  const { id } = await makeMap(server)
  browser.expectComplaint(/403/)
  const place = { lon: 0, lat: 0, zoom: 4 }
  const page = await browser.open(`${server.url}/resource/${id}/display?lon=0&lat=0&zoom=4`)
  await page.addInitScript(holdTimers)
  let isRetry = false
  const retry = Promise.withResolvers<void>()
  await page.route(
    (url) => url.pathname === '/api/component/render/tile',
    async (route) => {
      if (!isRetry) return route.fulfill({ status: 403, json: { code: 'access/denied', message: 'Closed.' } })
      await retry.promise
      return route.continue()
    },
  )
  await page.reload()
  await page.locator('.fault').nth(1).waitFor()
  await untilDrawn(page)
  isRetry = true
  await page.getByRole('button', { name: 'Try again' }).first().click()
  await untilTrue(page, "document.body.dataset.drawn === 'false'")
  await page.evaluate(announceOldFrame)
  await page.evaluate('window.held = []')
  await page.setViewportSize({ width: 1000, height: 690 })
  await untilTrue(page, 'window.held?.length > 0')
  retry.resolve()
  await untilTrue(page, 'window.said !== undefined')
  expect(await page.evaluate('window.said')).toBe('false')
  await untilDrawn(page)
  expect(await colorAt(page, pixelOf(page, place, [-15, 5]))).toBe('#3366cc')
})
