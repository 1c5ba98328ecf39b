import sharp from 'sharp'
import { expect, test } from 'vitest'
import { mercatorOfLonLat } from '../../../src/geo/mercator.ts'
import { createTestLayer } from '../../support/layers.ts'
import { largestDifference } from '../../support/picture.ts'
import { type Ask, describeServer, type TestServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

const half = 20_037_508.342789244

let names = 0

/** A layer of features with names, and a style of MapServer with labels. */
async function createLabelled(
  server: TestServer,
  geometryType: 'POINT' | 'LINESTRING' | 'POLYGON' | 'MULTIPOLYGON',
  { features, label }: { readonly features: readonly object[]; readonly label: string },
): Promise<number> {
  names += 1
  const layer = await createTestLayer(server.database, {
    name: `labelled ${names}`,
    geometryType,
    fields: { name: 'STRING' },
  })
  const answer = await server.admin('PATCH', `/api/resource/${layer}/feature/`, features)
  if (answer.status !== 200) throw new Error(await answer.text())
  const symbol = '<style><color red="255" green="0" blue="0"/><size>4</size><width>1</width></style>'
  const xml = `<map><layer><labelitem>name</labelitem><class>${symbol}${label}</class></layer></map>`
  return createResource(server.admin, {
    cls: 'mapsrv_style',
    parent: layer,
    name: `label style ${names}`,
    members: { mapsrv_style: { xml } },
  })
}

const labelOf = (more: string) =>
  `<label><size>9</size><color red="0" green="0" blue="255"/><outlinecolor red="255" green="255" blue="255"/>
   <outlinewidth>1</outlinewidth>${more}</label>`

async function readPixels(ask: Ask, path: string): Promise<Buffer> {
  const answer = await ask('GET', path)
  expect(answer.status, answer.status === 200 ? '' : await answer.clone().text()).toBe(200)
  return sharp(Buffer.from(await answer.arrayBuffer()))
    .ensureAlpha()
    .raw()
    .toBuffer()
}

/** Counts the pixels of letters, which are blue. */
function countBlue(pixels: Buffer): number {
  let count = 0
  for (let at = 0; at < pixels.length; at += 4) {
    const [red = 0, , blue = 0, alpha = 0] = pixels.subarray(at, at + 4)
    if (alpha > 200 && blue > 200 && red < 60) count += 1
  }
  return count
}

/** Creates labelled points and squares around the corner of four metatiles; returns their styles. */
async function createScattered(server: TestServer): Promise<number[]> {
  // Positions from a linear congruential generator, around the corner of four metatiles.
  let seed = 7
  const next = () => {
    seed = (seed * 16_807) % 2_147_483_647
    return (seed / 2_147_483_647 - 0.5) * 0.6 * half
  }
  const points = Array.from({ length: 120 }, (_, at) => ({
    geom: `POINT(${next()} ${next()})`,
    fields: { name: `Place ${at}` },
  }))
  const areas = Array.from({ length: 12 }, (_, at) => {
    const [x, y, side] = [next(), next(), 1e5 * (at + 1)]
    const ring = [`${x} ${y}`, `${x + side} ${y}`, `${x + side} ${y + side}`, `${x} ${y + side}`, `${x} ${y}`]
    return { geom: `POLYGON((${ring.join()}))`, fields: { name: `Area ${at}` } }
  })
  return [
    await createLabelled(server, 'POLYGON', {
      features: areas,
      label: labelOf('<position>auto</position>'),
    }),
    await createLabelled(server, 'POINT', {
      features: points,
      label: labelOf('<position>auto</position>'),
    }),
  ]
}

/** Creates labelled islands on both sides of a meridian, 0 or 180, and on it; returns their style. */
async function createIslands(
  server: TestServer,
  geometryType: 'POINT' | 'POLYGON',
  meridian: 0 | 180,
): Promise<number> {
  const features = Array.from({ length: 40 }, (_, at) => {
    const [lon, lat] = [((at * 37) % 41) - 20, ((at * 23) % 60) - 29]
    const [x, y] = mercatorOfLonLat(meridian === 180 && lon < 0 ? lon + 180 : lon - meridian, lat)
    const side = 2e4 * (at % 7) + 1e4
    const end = x + side
    const ring = (west: number, east: number) =>
      `((${west} ${y}, ${east} ${y}, ${east} ${y + side}, ${west} ${y + side}, ${west} ${y}))`
    const parts = end > half ? [ring(x, half), ring(-half, end - 2 * half)] : [ring(x, end)]
    const geom = geometryType === 'POINT' ? `POINT(${x} ${y})` : `MULTIPOLYGON(${parts.join()})`
    return { geom, fields: { name: `Island ${at}` } }
  })
  return createLabelled(server, geometryType === 'POINT' ? 'POINT' : 'MULTIPOLYGON', {
    features,
    label: labelOf('<position>auto</position>'),
  })
}

describeServer('labels', (start) => {
  test('of tiles fit together: the tiles of an area are the image of the area', async () => {
    const server = await start()
    const styles = await createScattered(server)
    const [side, columns] = [512, [3, 4]]
    const parts = await Promise.all(
      columns.flatMap((x) =>
        columns.map(async (y) => ({
          input: await readPixels(
            server.admin,
            `/api/component/render/tile?resource=${styles}&z=3&x=${x}&y=${y}`,
          ),
          ...{
            left: (x - 3) * 256,
            top: (y - 3) * 256,
            raw: { width: 256, height: 256, channels: 4 as const },
          },
        })),
      ),
    )
    const empty = { width: side, height: side, channels: 4, background: '#00000000' } as const
    const mosaic = await sharp({ create: empty }).composite(parts).raw().toBuffer()
    const extent = [-half / 4, -half / 4, half / 4, half / 4]
    const image = await readPixels(
      server.admin,
      `/api/component/render/image?resource=${styles}&extent=${extent}&size=${side},${side}`,
    )
    let different = 0
    for (let at = 0; at < image.length; at += 1)
      if (Math.abs((image[at] ?? 0) - (mosaic[at] ?? 0)) > 3) different += 1
    expect(countBlue(image)).toBeGreaterThan(500)
    expect(different / image.length).toBeLessThan(0.0005)
  })

  test('are drawn on images of any extent, within their scale limits', async () => {
    const server = await start()
    const features = [{ geom: 'LINESTRING(-400 0, 400 0)', fields: { name: 'Avenue' } }]
    const style = await createLabelled(server, 'LINESTRING', {
      features,
      label: labelOf('<angle>follow</angle><maxscaledenom>10000</maxscaledenom>'),
    })
    const image = (extent: number) =>
      `/api/component/render/image?resource=${style}&size=300,300&extent=${[-extent, -extent, extent, extent]}`
    expect(countBlue(await readPixels(server.admin, image(301)))).toBeGreaterThan(10)
    expect(countBlue(await readPixels(server.admin, image(3010)))).toBe(0)
  })

  test('follow changes of data and style', async () => {
    const server = await start()
    const style = await createLabelled(server, 'POINT', {
      features: [{ geom: 'POINT(1000000 1000000)', fields: { name: 'one' } }],
      label: labelOf('<position>cc</position>'),
    })
    const tile = `/api/component/render/tile?resource=${style}&z=0&x=0&y=0`
    const before = await readPixels(server.admin, tile)
    expect(countBlue(before)).toBeGreaterThan(5)
    const { resource } = await (await server.admin('GET', `/api/resource/${style}`)).json<{
      resource: { parent: { id: number } }
    }>()
    await server.admin('PATCH', `/api/resource/${resource.parent.id}/feature/`, [
      { geom: 'POINT(-9000000 1000000)', fields: { name: 'a longer name' } },
    ])
    expect(countBlue(await readPixels(server.admin, tile))).toBeGreaterThan(2 * countBlue(before))
  })

  test('are drawn alone, and symbols without them: one over the other, they are the image of both', async () => {
    const server = await start()
    const styles = await createScattered(server)
    const extent = [-half / 3, -half / 5, half / 4, half / 4]
    const paths = [
      { path: `tile?resource=${styles}&z=3&x=3&y=4`, side: 256 },
      { path: `tile?resource=${styles}&z=3&x=3&y=4&scale=2`, side: 512 },
      { path: `image?resource=${styles}&extent=${extent}&size=400,400`, side: 400 },
    ]
    for (const { path, side } of paths) {
      const read = (labels: string) =>
        readPixels(server.admin, `/api/component/render/${path}&labels=${labels}`)
      const [both, symbols, labels] = await Promise.all([read('yes'), read('no'), read('only')])
      expect(countBlue(both)).toBeGreaterThan(100)
      expect(countBlue(symbols)).toBe(0)
      const raw = { width: side, height: side, channels: 4 } as const
      const stacked = await sharp(symbols, { raw })
        .composite([{ input: labels, raw }])
        .raw()
        .toBuffer()
      // Encoded images have rounded colours where they are transparent.
      expect(largestDifference(both, stacked)).toBeLessThan(4)
      expect(largestDifference(both, symbols)).toBeGreaterThan(100)
    }
    const empty = `/api/component/render/tile?resource=${styles}&z=3&x=0&y=0&nd=204&labels=only`
    expect((await server.admin('GET', empty)).status).toBe(204)
    expect((await server.admin('GET', empty.replace('only', 'none'))).status).toBe(422)
  })

  test('of features that are divided at the antimeridian are drawn once, beside those of others', async () => {
    const server = await start()
    const square = (west: number, east: number, south: number) =>
      `((${west} ${south}, ${east} ${south}, ${east} ${south + 1e6}, ${west} ${south + 1e6}, ${west} ${south}))`
    const features = [-3e6, 0, 3e6].map((south, at) => ({
      geom: `MULTIPOLYGON(${square(half - 1e6, half, south)}, ${square(-half, 2e6 - half, south)})`,
      fields: { name: `Island ${at}` },
    }))
    const style = await createLabelled(server, 'MULTIPOLYGON', { features, label: labelOf('') })
    const read = async (x: number, y: number) => {
      const path = `/api/component/render/tile?z=3&x=${x}&y=${y}&resource=${style}&labels=only`
      return countBlue(await readPixels(server.admin, path))
    }
    const [upper, lower] = [await read(0, 3), await read(0, 4)]
    expect(upper).toBeGreaterThan(50)
    expect(lower).toBeGreaterThan(20)
    // Each label lies on the larger part of its feature.
    expect([await read(7, 3), await read(7, 4)]).toEqual([0, 0])
  })

  test.each(['POINT', 'POLYGON'] as const)(
    'are the same across the antimeridian as across the prime meridian: %s',
    async (geometryType) => {
      const server = await start()
      const [here, there] = [
        await createIslands(server, geometryType, 0),
        await createIslands(server, geometryType, 180),
      ]
      const read = (style: number, [z, x, y]: readonly number[]) =>
        readPixels(
          server.admin,
          `/api/component/render/tile?z=${z}&x=${x}&y=${y}&resource=${style}&labels=only`,
        )
      for (const [z, y] of [
        [1, 0],
        [2, 1],
        [3, 3],
        [4, 8],
      ] as const) {
        const middle = 2 ** (z - 1)
        const [west, east] = [await read(here, [z, middle - 1, y]), await read(here, [z, middle, y])]
        expect(countBlue(west)).toBeGreaterThan(50)
        expect({ z, difference: largestDifference(await read(there, [z, 2 ** z - 1, y]), west) }).toEqual({
          z,
          difference: 0,
        })
        expect({ z, difference: largestDifference(await read(there, [z, 0, y]), east) }).toEqual({
          z,
          difference: 0,
        })
      }
      const rows = (pixels: Buffer, left: number) =>
        Array.from({ length: 256 }, (_, row) =>
          pixels.subarray(4 * (256 * row + left), 4 * (256 * row + left + 128)),
        )
      const [world, shifted] = [await read(here, [0, 0, 0]), await read(there, [0, 0, 0])]
      expect(Buffer.concat(rows(shifted, 128))).toEqual(Buffer.concat(rows(world, 0)))
      expect(Buffer.concat(rows(shifted, 0))).toEqual(Buffer.concat(rows(world, 128)))
    },
  )

  test('of a map are above all of its layers in its preview', async () => {
    const server = await start()
    const [areas = 0, points = 0] = await createScattered(server)
    const makeMap = (name: string, transparency: number) => {
      const item = { item_type: 'layer', display_name: name }
      const covering = { ...item, layer_style_id: areas, layer_transparency: transparency }
      const children = [covering, { ...item, layer_style_id: points }]
      const extent = { extent_left: -40, extent_right: 40, extent_bottom: -40, extent_top: 40 }
      const webmap = { root_item: { item_type: 'root', children }, ...extent }
      return createResource(server.admin, { cls: 'webmap', parent: 0, name, members: { webmap } })
    }
    const read = async (map: number) =>
      countBlue(await readPixels(server.admin, `/api/resource/${map}/preview.png`))
    const opaque = await read(await makeMap('opaque', 0))
    expect(opaque).toBeGreaterThan(500)
    expect(await read(await makeMap('transparent', 1))).toBeGreaterThan(0.9 * opaque)
  })
})
