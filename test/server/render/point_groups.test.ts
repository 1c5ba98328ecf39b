import sharp from 'sharp'
import { expect, test } from 'vitest'
import { counted, groups } from '../../support/gallery/group_entries.ts'
import { createTestLayer } from '../../support/layers.ts'
import { imagePath, type Picture, readPicture } from '../../support/picture.ts'
import { uploadContent } from '../../support/samples.ts'
import { describeServer, type TestServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

const half = 20_037_508.342789244

let names = 0

async function createPoints(server: TestServer, geoms: readonly string[], type = 'POINT'): Promise<number> {
  names += 1
  const layer = await createTestLayer(server.database, {
    name: `Points ${names}`,
    geometryType: type as 'POINT',
    fields: { people: 'INTEGER' },
  })
  const body = geoms.map((geom, at) => ({ geom, fields: { people: at } }))
  expect((await server.admin('PATCH', `/api/resource/${layer}/feature/`, body)).status).toBe(200)
  return layer
}

async function createQml(server: TestServer, layer: number, text: string): Promise<number> {
  names += 1
  const file_upload = await uploadContent(server.admin, text)
  return createResource(server.admin, {
    ...{ cls: 'desk_vector_style', parent: layer, name: `Groups ${names}` },
    members: { desk_vector_style: { file_upload } },
  })
}

function createXml(server: TestServer, layer: number): Promise<number> {
  const xml =
    '<map><layer><cluster><maxdistance>30</maxdistance></cluster><class><style><color red="0" green="0" blue="255"/><size>9</size></style></class></layer></map>'
  return createResource(server.admin, {
    ...{ cls: 'mapsrv_style', parent: layer, name: 'Counts' },
    members: { mapsrv_style: { xml } },
  })
}

/** Points in the order of their columns, so that what is grouped far away would matter here. */
function scatter(count: number): string[] {
  let seed = 5
  const next = () => {
    seed = (seed * 16_807) % 2_147_483_647
    return (seed / 2_147_483_647 - 0.5) * 2 * half
  }
  const points = Array.from({ length: count }, () => [next(), next() / 2] as const)
  return points.toSorted((a, b) => a[0] - b[0]).map(([x, y]) => `POINT(${x} ${y})`)
}

/** Counts the pixels in which tiles side by side differ from the same part of one image. */
async function countSeamPixels(server: TestServer, style: number, zoom: number): Promise<number> {
  const last = 2 ** zoom - 1
  const side = (2 * half) / 2 ** zoom
  // Four tiles around the edge of blocks.
  const [column, row] = [4, 3]
  expect(column).toBeLessThan(last)
  const left = column * side - half
  const top = half - row * side
  const whole = await readPicture(
    server.admin,
    imagePath(style, [left, top - 2 * side, left + 2 * side, top], [512, 512]),
  )
  let differences = 0
  let drawn = 0
  for (const at of [0, 1, 2, 3]) {
    const [dx, dy] = [at % 2, at >> 1]
    const path = `/api/component/render/tile?resource=${style}&z=${zoom}&x=${column + dx}&y=${row + dy}`
    const tile = await readPicture(server.admin, path)
    const pixels = Array.from({ length: 2 ** 16 }, (_, pixel) => [pixel % 256, pixel >> 8] as const)
    drawn += pixels.filter(([x, y]) => (tile.at(x, y)[3] ?? 0) > 0).length
    differences += pixels.filter(([x, y]) => {
      const theirs = whole.at(dx * 256 + x, dy * 256 + y)
      return tile.at(x, y).some((channel, index) => Math.abs(channel - (theirs[index] ?? 0)) > 2)
    }).length
  }
  expect(drawn).toBeGreaterThan(5000)
  return differences
}

describeServer('groups of points', (start) => {
  test('count every point, also those that share a pixel, and tell the number', async () => {
    const server = await start()
    const layer = await createPoints(server, [
      ...Array.from({ length: 120 }, () => 'POINT(10 -10)'),
      'POINT(-80 80)',
    ])
    const style = await createXml(server, layer)
    const picture = await readPicture(server.admin, imagePath(style, [-100, -100, 100, 100]))
    // Three digits make a circle of 38 pixels around the middle of the 120 points; one point has its own symbol.
    expect(picture.at(140 - 15, 140)).toEqual([0, 0, 255, 255])
    expect(picture.at(140 - 22, 140)[3]).toBe(0)
    expect(picture.at(25, 25)).toEqual([0, 0, 255, 255])
    expect(picture.at(25, 33)[3]).toBe(0)
    const row = Array.from({ length: 30 }, (_, at) => picture.at(126 + at, 140))
    expect(row.some(([red = 0, green = 0]) => red > 200 && green > 200)).toBe(true)
    const only = async (symbol: number) => {
      const path = `${imagePath(style, [-100, -100, 100, 100])}&symbols[${style}]=${symbol}`
      const { at } = await readPicture(server.admin, path)
      return [at(25, 25)[3], at(125, 140)[3]]
    }
    expect([await only(0), await only(1)]).toEqual([
      [255, 0],
      [0, 255],
    ])
  })

  test('fit together in tiles, also where groups lie at the edges of blocks', async () => {
    const server = await start()
    const layer = await createPoints(server, scatter(3000))
    const clusters = await createQml(
      server,
      layer,
      groups('type="pointCluster" tolerance="40" toleranceUnit="Pixel"', counted),
    )
    const rings = await createQml(
      server,
      layer,
      groups(
        'type="pointDisplacement" tolerance="25" toleranceUnit="Pixel" placement="0" circleColor="0,0,0,255" circleWidth="0.4"',
        '',
      ),
    )
    expect(await countSeamPixels(server, clusters, 3)).toBe(0)
    expect(await countSeamPixels(server, rings, 3)).toBe(0)
  })

  test('change with the layer, and have an entry in the legend', async () => {
    const server = await start()
    const layer = await createPoints(server, ['MULTIPOINT((0 0),(2 2))'], 'MULTIPOINT')
    const style = await createXml(server, layer)
    const tile = `/api/component/render/tile?resource=${style}&z=10&x=512&y=512`
    const bytesOf = async () => Buffer.from(await (await server.admin('GET', tile)).arrayBuffer())
    const before = await bytesOf()
    const body = [{ geom: 'MULTIPOINT((10 -10))', fields: {} }]
    expect((await server.admin('PATCH', `/api/resource/${layer}/feature/`, body)).status).toBe(200)
    const after = await bytesOf()
    // The circle is as wide as before, with another number.
    expect(after.equals(before)).toBe(false)
    const answer = await server.admin('GET', `/api/resource/${style}/legend_symbols`)
    const symbols = await answer.json<{ display_name: string; icon: { data: string } }[]>()
    expect(symbols.map((one) => one.display_name)).toEqual(['Single points', 'Several points'])
    const { data } = await sharp(Buffer.from(symbols.at(-1)?.icon.data ?? '', 'base64'))
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    const isWhite = (at: number) => Math.min(data[at] ?? 0, data[at + 1] ?? 0, data[at + 3] ?? 0) > 150
    const middle = 4 * (12 * 24)
    expect(Array.from({ length: 12 }, (_, at) => middle + 4 * (6 + at)).some(isWhite)).toBe(true)
  })

  test('are the same across the antimeridian as across the prime meridian, with all of their symbols', async () => {
    const server = await start()
    // A tenth of the world around a meridian, in which many points are near each other and the meridian.
    const around = scatter(400).map((point) => point.match(/-?[\d.]+/g)?.map(Number) ?? [])
    const place = ([x = 0, y = 0]: readonly number[], isBeyond: boolean) => {
      const near = x / 10
      return `POINT(${isBeyond ? near + (near < 0 ? half : -half) : near} ${y / 10})`
    }
    const create = async (isBeyond: boolean) =>
      createXml(
        server,
        await createPoints(
          server,
          around.map((point) => place(point, isBeyond)),
        ),
      )
    const [here, there] = [await create(false), await create(true)]
    const read = (style: number, [z, x, y]: readonly number[]) =>
      readPicture(server.admin, `/api/component/render/tile?z=${z}&x=${x}&y=${y}&resource=${style}`)
    for (const [z, y] of [
      [3, 3],
      [4, 8],
    ] as const) {
      const middle = 2 ** (z - 1)
      for (const [ours, theirs] of [
        [middle - 1, 2 ** z - 1],
        [middle, 0],
      ] as const) {
        const [plain, across] = [await read(here, [z, ours, y]), await read(there, [z, theirs, y])]
        expect(differencesOf(plain, across)).toBe(0)
      }
    }
    // The same on both sides of the antimeridian in every copy of the world.
    for (const [edges, srs, edge] of [
      [3, 3857, half],
      [-3, 3857, half],
      [1, 4326, 180],
      [3, 4326, 180],
    ] as const) {
      const around = (centre: number) =>
        `/api/component/render/image?resource=${there}&size=256,256&srs=${srs}&extent=${[centre - edge / 4, -edge / 4, centre + edge / 4, edge / 4]}`
      const [near, far] = await Promise.all(
        [edge, edges * edge].map((centre) => readPicture(server.admin, around(centre))),
      )
      expect(near && far && differencesOf(near, far)).toBe(0)
      expect(Array.from({ length: 256 }, (_, x) => far?.at(x, 128)[3]).some((alpha) => alpha === 255)).toBe(
        true,
      )
    }
    // What leaves the whole world on one side enters it on the other.
    const symbol = await createXml(server, await createPoints(server, [`POINT(${half - 1e5} 0)`]))
    const [world, last] = [await read(symbol, [0, 0, 0]), await read(symbol, [1, 1, 0])]
    const first = await read(symbol, [1, 0, 0])
    expect([world.at(1, 128)[3], world.at(254, 128)[3], first.at(1, 255)[3], last.at(254, 255)[3]]).toEqual([
      255, 255, 255, 255,
    ])
  })
})

/** Counts the pixels in which two tiles differ. */
function differencesOf(one: Picture, other: Picture): number {
  const pixels = Array.from({ length: 2 ** 16 }, (_, at) => [at % 256, at >> 8] as const)
  expect(pixels.filter(([x, y]) => (one.at(x, y)[3] ?? 0) > 0).length).toBeGreaterThan(500)
  const isOther = (value: number, theirs: number | undefined) => Math.abs(value - (theirs ?? 0)) > 2
  return pixels.filter(([x, y]) => one.at(x, y).some((value, at) => isOther(value, other.at(x, y)[at])))
    .length
}
