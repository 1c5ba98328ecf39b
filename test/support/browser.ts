import { execFileSync } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page, type Route } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { mercatorOfLonLat } from '../../src/geo/mercator.ts'

/**
 * The browser of a test file. After each test its pages are closed; console errors and requests to other origins fail
 * it.
 */
export interface TestBrowser {
  /** Opens a URL in a fresh profile. Console errors, page errors and requests to other origins fail the test. */
  open(url: string, options?: PageOptions): Promise<Page>
  /** Expects at least one complaint of the pages of this test that matches the pattern. */
  expectComplaint(pattern: RegExp): void
}

/** Options of a page: viewport size and browser context. */
export interface PageOptions {
  readonly width?: number
  readonly height?: number
  readonly colorScheme?: 'light' | 'dark'
  readonly hasTouch?: boolean
  readonly deviceScaleFactor?: number
  readonly javaScriptEnabled?: boolean
  /** `reduce` by default. */
  readonly reducedMotion?: 'reduce' | 'no-preference'
}

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/**
 * Maximum milliseconds by which answers to pages come late, each by another time, so that they overtake each other: pages
 * must not depend on their order.
 */
const maxDelayMs = Number(process.env.LANDFORM_TEST_DELAY ?? 0)

async function answerLate(route: Route): Promise<void> {
  if (['fetch', 'xhr', 'image'].includes(route.request().resourceType()))
    await setTimeout(Math.random() * maxDelayMs)
  // A page that was closed waits for no answer.
  await route.continue().catch(() => undefined)
}

/** Starts Chromium for a test file and builds the pages. Call it at the top of the file. */
export function useBrowser(): TestBrowser {
  let browser: Browser | undefined
  let complaints: string[] = []
  let expected: RegExp[] = []
  beforeAll(async () => {
    execFileSync(process.execPath, [fileURLToPath(new URL('../../scripts/build-web.mjs', import.meta.url))])
    browser = await chromium.launch({
      executablePath: '/usr/bin/chromium-headless-shell',
      headless: true,
      args: flags,
    })
  })
  afterEach(async () => {
    for (const context of browser?.contexts() ?? []) await context.close()
    const unexpected = complaints.filter((one) => !expected.some((pattern) => pattern.test(one)))
    const missing = expected.filter((pattern) => !complaints.some((one) => pattern.test(one)))
    complaints = []
    expected = []
    expect({ unexpected, missing }).toEqual({ unexpected: [], missing: [] })
  })
  afterAll(() => browser?.close())
  return {
    expectComplaint: (pattern) => void expected.push(pattern),
    async open(url, { width = 1000, height = 700, ...more } = {}) {
      if (browser === undefined) throw new Error('the browser is available after beforeAll')
      const viewport = { width, height }
      const context = await browser.newContext({ viewport, reducedMotion: 'reduce', ...more })
      context.setDefaultTimeout(240_000)
      if (maxDelayMs > 0) await context.route('**/*', answerLate)
      const page = await context.newPage()
      const { origin } = new URL(url)
      page.on('request', (request) => {
        const to = request.url()
        if (!to.startsWith(`${origin}/`) && !/^(data|blob):/.test(to)) complaints.push(`requests ${to}`)
      })
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning')
          complaints.push(`console: ${message.text()}`)
      })
      page.on('pageerror', (error) => void complaints.push(`error: ${error.message}`))
      await page.goto(url)
      return page
    },
  }
}

/** Waits until a map page is completely drawn. */
export async function untilDrawn(page: Page): Promise<void> {
  await page.waitForSelector('body[data-drawn="true"]', { state: 'attached' })
}

/** Reads the URL from the page itself: the program that controls the browser hears of changes without a load later. */
export async function urlOf(page: Page): Promise<URL> {
  return new URL(await page.evaluate<string>('location.href'))
}

/** View of a map page: centre and zoom level. */
export interface MapView {
  readonly lon: number
  readonly lat: number
  readonly zoom: number
}

/** Reads the view of a map page from its URL. */
export function readView({ searchParams }: URL): MapView {
  const [lon, lat, zoom] = ['lon', 'lat', 'zoom'].map((name) => Number(searchParams.get(name)))
  return { lon: lon ?? 0, lat: lat ?? 0, zoom: zoom ?? 0 }
}

/** Returns the pixel of the viewport at a position, for a page with a view. */
export function pixelOf(page: Page, view: MapView, [lon, lat]: readonly [number, number]): Pixel {
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
  const metresPerPixel = (2 * mercatorOfLonLat(180, 0)[0]) / 256 / 2 ** view.zoom
  const [x, y] = mercatorOfLonLat(lon, lat)
  const [centerX, centerY] = mercatorOfLonLat(view.lon, view.lat)
  return { x: width / 2 + (x - centerX) / metresPerPixel, y: height / 2 - (y - centerY) / metresPerPixel }
}

/** Reads the colour of the map canvas at a pixel, as `#rrggbb`; undefined if nothing is drawn. */
export async function colorAt(page: Page, pixel: Pixel): Promise<string | undefined> {
  return page.evaluate<string | undefined>(colorScript(pixel))
}

/** Reads the RGBA bytes of a rectangle of the map canvas; all layers have to share one canvas. */
export async function readCanvas(page: Page, { x, y, width, height }: Pixel & Size): Promise<Uint8Array> {
  const script = `(() => {
    const [canvas] = document.querySelectorAll('.map canvas')
    const copy = new OffscreenCanvas(${width}, ${height}).getContext('2d', { willReadFrequently: true })
    copy.drawImage(canvas, ${-x}, ${-y})
    // As text: a list of numbers takes seconds to transfer.
    const bytes = copy.getImageData(0, 0, ${width}, ${height}).data
    return bytes.reduce((text, byte) => text + String.fromCharCode(byte), '')
  })()`
  return Uint8Array.from(Buffer.from(await page.evaluate<string>(script), 'latin1'))
}

interface Size {
  readonly width: number
  readonly height: number
}

/** Waits until the map canvas has a colour at a pixel. */
export async function untilColor(page: Page, pixel: Pixel, color: string): Promise<void> {
  await untilTrue(page, `${colorScript(pixel)} === '${color}'`)
}

/** Waits until an expression holds in a page. */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  // A function, which is compiled once: the page does not allow strings to be compiled later.
  await page.waitForFunction(new Function(`return ${expression}`) as () => unknown)
}

/** Returns the length of the longest horizontal run of a colour, as `#rrggbb`, in an image. */
export async function longestRun(color: string, image: Buffer): Promise<number> {
  const { data, info } = await sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  let [longest, run] = [0, 0]
  for (let at = 0; at < info.width * info.height; at++) {
    if (at % info.width === 0) run = 0
    run = data.toString('hex', 3 * at, 3 * at + 3) === color.slice(1) ? run + 1 : 0
    longest = Math.max(longest, run)
  }
  return longest
}

interface Pixel {
  readonly x: number
  readonly y: number
}

const colorScript = ({ x, y }: Pixel) => `(() => {
  const layers = [...document.querySelectorAll('.map canvas')].reverse()
  for (const canvas of layers) {
    // Reads from a copy: reading the canvas itself would move it out of graphics memory.
    const copy = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })
    copy.drawImage(canvas, ${Math.round(x)}, ${Math.round(y)}, 1, 1, 0, 0, 1, 1)
    const [r, g, b, a] = copy.getImageData(0, 0, 1, 1).data
    if (a > 0) return '#' + [r, g, b].map((part) => part.toString(16).padStart(2, '0')).join('')
  }
})()`
