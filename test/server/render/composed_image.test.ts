import sharp from 'sharp'
import { expect, test } from 'vitest'
import { mercatorHalfWorld as half } from '../../../src/geo/mercator.ts'
import { type Ask, describeServer } from '../../support/server.ts'
import { createLayer, createResource, styleXml } from '../../support/tree.ts'

const inner =
  '<color red="200" green="30" blue="10"/><outlinecolor red="0" green="0" blue="90"/><opacity>60</opacity>'

async function createPolygons(ask: Ask, name: string, tileCache: object) {
  const layer = await createLayer(ask, { name, geometryType: 'POLYGON' })
  const rings = ['-9e6 -8e6,7e6 -5e6,9e6 9e6,-3e6 6e6,-9e6 -8e6', '1e6 1e6,3e6 1e6,3e6 12e6,1e6 1e6']
  const features = rings.map((ring) => ({ geom: `POLYGON((${ring}))`, fields: {} }))
  expect((await ask('PATCH', `/api/resource/${layer}/feature/`, features)).status).toBe(200)
  const members = { tile_cache: tileCache, mapsrv_style: { xml: styleXml(inner) } }
  const style = await createResource(ask, { cls: 'mapsrv_style', parent: layer, name, members })
  return { layer, style }
}

async function readPixels(ask: Ask, path: string): Promise<Buffer> {
  const answer = await ask('GET', `/api/component/render/${path}`)
  expect(answer.status).toBe(200)
  return sharp(Buffer.from(await answer.arrayBuffer()))
    .ensureAlpha()
    .raw()
    .toBuffer()
}

/** Pixels of an image of 500 × 300, from pixel (300, 200) of the world at zoom level 2. */
const [left, top, width, height] = [300, 200, 500, 300]
const metres = half / 512
const extentAt = (x: number, y: number) =>
  [x * metres - half, half - (y + height) * metres, (x + width) * metres - half, half - y * metres].join()
const imageOf = (style: number | string, more = '', [x, y] = [left, top]) =>
  `image?resource=${style}&extent=${extentAt(x, y)}&size=${width},${height}${more}`

async function readTiles(ask: Ask, style: number): Promise<Buffer> {
  const pixels = Buffer.alloc(4 * width * height)
  for (const [column, row] of [1, 2, 3].flatMap((x) => [0, 1].map((y) => [x, y] as const))) {
    const tile = await readPixels(ask, `tile?resource=${style}&z=2&x=${column}&y=${row}&cache=false`)
    for (let at = 0; at < 256 * 256; at += 1) {
      const [x, y] = [column * 256 + (at % 256) - left, row * 256 + Math.floor(at / 256) - top]
      if (x >= 0 && y >= 0 && x < width && y < height)
        tile.copy(pixels, 4 * (y * width + x), 4 * at, 4 * at + 4)
    }
  }
  return pixels
}

describeServer('images of a style with image_compose', (start) => {
  const countKept = async (ask: Ask, style: number) =>
    (await (await ask('GET', `/api/component/landform/tile_cache/${style}`)).json<{ tiles: number }>()).tiles

  test('have the pixels of its tiles, which are kept, after edits too', async () => {
    const { admin } = await start()
    const { layer, style } = await createPolygons(admin, 'composed', { enabled: true, image_compose: true })
    const first = await readPixels(admin, imageOf(style))
    expect(await countKept(admin, style)).toBe(6)
    expect(first.equals(await readTiles(admin, style))).toBe(true)
    expect(first.equals(Buffer.alloc(first.length))).toBe(false)
    // Less than half a pixel beside those of the tiles.
    expect(first.equals(await readPixels(admin, imageOf(style, '', [left + 0.4, top - 0.4])))).toBe(true)
    await admin('PUT', `/api/resource/${layer}/feature/1`, { geom: 'POLYGON((0 0,5e6 0,0 5e6,0 0))' })
    const second = await readPixels(admin, imageOf(style))
    expect(second.equals(first)).toBe(false)
    expect(second.equals(await readTiles(admin, style))).toBe(true)
  })

  test('are drawn as a whole without the setting, at other scales, and with cache=false', async () => {
    const { admin } = await start()
    const { style } = await createPolygons(admin, 'whole', { enabled: true, image_compose: true, max_z: 2 })
    const other = await createPolygons(admin, 'not composed', { enabled: true })
    await readPixels(admin, imageOf(style, '&cache=false'))
    await readPixels(admin, imageOf(style).replace('size=500,300', 'size=1000,600'))
    await readPixels(admin, imageOf(style).replace('size=500,300', 'size=400,240'))
    await readPixels(admin, imageOf(style, '&tdi=yes'))
    await readPixels(admin, imageOf(style, `&symbols[${style}]=0`))
    await readPixels(admin, imageOf(`${style},${other.style}`))
    await readPixels(admin, imageOf(other.style))
    expect([await countKept(admin, style), await countKept(admin, other.style)]).toEqual([0, 0])
  })

  test('change when the setting does, and are empty where nothing is drawn', async () => {
    const { admin } = await start()
    const { style } = await createPolygons(admin, 'changed', { enabled: true, image_compose: true })
    const tagOf = async () =>
      (await admin('GET', `/api/component/render/${imageOf(style)}`)).headers.get('etag')
    const composed = await tagOf()
    expect(await tagOf()).toBe(composed)
    await admin('PUT', `/api/resource/${style}`, { tile_cache: { image_compose: false } })
    expect(await tagOf()).not.toBe(composed)
    await admin('PUT', `/api/resource/${style}`, { tile_cache: { image_compose: true } })
    const corner = `/api/component/render/image?resource=${style}&size=100,100&extent=${[-half, half - 100 * metres, 100 * metres - half, half].join()}`
    expect((await admin('GET', `${corner}&nd=204`)).status).toBe(204)
    for (const [format, type] of [
      ['jpeg', 'image/jpeg'],
      ['webp', 'image/webp'],
    ] as const) {
      const answer = await admin('GET', `/api/component/render/${imageOf(style)}&format=${format}`)
      expect(answer.headers.get('content-type')).toBe(type)
    }
  })
})
