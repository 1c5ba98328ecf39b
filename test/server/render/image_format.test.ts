import sharp from 'sharp'
import { expect, test } from 'vitest'
import { createTestLayer } from '../../support/layers.ts'
import { describeServer, type TestServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

const half = 20_037_508.342789244
const tile = '/api/component/render/tile?z=0&x=0&y=0'
const image = `/api/component/render/image?extent=${-half},${-half},${half},${half}`

const xml = `<map><layer><class><style><color red="250" green="120" blue="10"/>
  <outlinecolor red="10" green="20" blue="200"/><width>8</width></style></class></layer></map>`
const square = `POLYGON((${-half / 2} ${-half / 2},0 ${-half / 2},0 ${half / 2},${-half / 2} ${half / 2},${-half / 2} ${-half / 2}))`

/** Creates a style that fills a square with an outline of 8 pixels. */
async function createSquare(server: TestServer, name: string): Promise<number> {
  const layer = await createTestLayer(server.database, { name, geometryType: 'POLYGON', fields: {} })
  await server.admin('PATCH', `/api/resource/${layer}/feature/`, [{ geom: square }])
  const members = { mapsrv_style: { xml } }
  return createResource(server.admin, { cls: 'mapsrv_style', parent: layer, name, members })
}

/** Gets an image. */
async function getImage(server: TestServer, path: string, headers: Record<string, string> = {}) {
  const answer = await server.admin('GET', path, undefined, headers)
  expect(answer.status, answer.status === 200 ? '' : await answer.clone().text()).toBe(200)
  const bytes = Buffer.from(await answer.arrayBuffer())
  const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return {
    type: answer.headers.get('content-type'),
    etag: answer.headers.get('etag'),
    width: info.width,
    height: info.height,
    data,
    at: (x: number, y: number) => [...data.subarray(4 * (y * info.width + x), 4 * (y * info.width + x) + 4)],
  }
}

describeServer('the format of images', (start) => {
  test('is chosen by a parameter or the header Accept, and PNG for browsers', async () => {
    const server = await start()
    const style = await createSquare(server, 'formats')
    const path = `${tile}&resource=${style}`
    const png = await getImage(server, path)
    const webp = await getImage(server, `${path}&format=webp`)
    const jpeg = await getImage(server, `${path}&format=jpeg`)
    expect([png.type, webp.type, jpeg.type]).toEqual(['image/png', 'image/webp', 'image/jpeg'])
    expect(new Set([png.etag, webp.etag, jpeg.etag]).size).toBe(3)
    expect(webp.data.equals(png.data)).toBe(true)
    expect([png.at(200, 10), jpeg.at(200, 10)]).toEqual([
      [0, 0, 0, 0],
      [255, 255, 255, 255],
    ])
    for (const [at, value] of jpeg.at(96, 128).entries())
      expect(Math.abs(value - (png.at(96, 128)[at] ?? 0))).toBeLessThan(4)
    const accept = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8'
    expect((await getImage(server, path, { accept })).type).toBe('image/png')
    expect((await getImage(server, path, { accept: 'image/webp' })).type).toBe('image/webp')
    expect((await getImage(server, `${image}&size=64,64&resource=${style}&format=jpeg`)).type).toBe(
      'image/jpeg',
    )
  })

  test('and scale are refused where they are unknown, or the image would be too large', async () => {
    const server = await start()
    const style = await createSquare(server, 'refused')
    const messageOf = async (path: string) => {
      const answer = await server.admin('GET', `${path}&resource=${style}`)
      expect(answer.status).toBe(422)
      return ((await answer.json()) as { message: string }).message
    }
    expect(await messageOf(`${tile}&format=gif`)).toContain('format')
    for (const scale of ['0', '5', '1.5', 'NaN'])
      expect(await messageOf(`${tile}&scale=${scale}`)).toContain('scale')
    expect(await messageOf(`${image}&size=5000,10&scale=2`)).toContain('10000 × 20 pixels')
    expect(await messageOf(`${image}&size=8192,4096&format=webp`)).toContain('the maximum for format webp')
  })
})

describeServer('images of scale 2', (start) => {
  test('have twice as many pixels, and show the same symbols at the same scale', async () => {
    const server = await start()
    const style = await createSquare(server, 'scaled')
    const plain = await getImage(server, `${tile}&resource=${style}`)
    const retina = await getImage(server, `${tile}&resource=${style}&scale=2`)
    expect([retina.width, retina.height]).toEqual([512, 512])
    // The outline is 8 pixels wide on both.
    const columns = [30, 58, 61, 66, 70, 96, 122, 125, 130, 134]
    const colors = columns.map((x) => plain.at(x, 128))
    expect(new Set(colors.map(String)).size).toBe(3)
    expect(columns.map((x) => retina.at(2 * x, 256))).toEqual(colors)
    expect(columns.map((x) => retina.at(2 * x + 1, 257))).toEqual(colors)
    const both = await getImage(server, `${image}&size=256,256&resource=${style}&scale=2`)
    expect(both.data.equals(retina.data)).toBe(true)
  })
})
