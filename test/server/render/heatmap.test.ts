import sharp from 'sharp'
import { expect, test } from 'vitest'
import { heatmap } from '../../support/gallery/heatmap_entries.ts'
import { createTestLayer } from '../../support/layers.ts'
import { imagePath, type Picture, readPicture } from '../../support/picture.ts'
import { uploadContent } from '../../support/samples.ts'
import { describeServer, type TestServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

const half = 20_037_508.342789244

const ramp = { color1: '0,0,0,0', color2: '255,0,0,255', discrete: '0' }

interface Point {
  readonly geom: string
  readonly fields: { readonly people: number | null }
}

let names = 0

async function createHeatmap(
  server: TestServer,
  points: readonly Point[],
  { attributes, geometryType = 'POINT' }: { readonly attributes: string; readonly geometryType?: string },
): Promise<number> {
  names += 1
  const layer = await createTestLayer(server.database, {
    name: `Density ${names}`,
    geometryType: geometryType as 'POINT',
    fields: { people: 'INTEGER' },
  })
  const answer = await server.admin('PATCH', `/api/resource/${layer}/feature/`, points)
  expect(answer.status).toBe(200)
  const file_upload = await uploadContent(server.admin, heatmap(attributes, ramp))
  return createResource(server.admin, {
    cls: 'desk_vector_style',
    parent: layer,
    name: `Heat ${names}`,
    members: { desk_vector_style: { file_upload } },
  })
}

/** Points from a linear congruential generator, denser near the middle of the world. */
function scatter(count: number): Point[] {
  let seed = 11
  const next = () => {
    seed = (seed * 16_807) % 2_147_483_647
    return (seed / 2_147_483_647 - 0.5) ** 3 * 4 * half
  }
  return Array.from({ length: count }, (_, at) => ({
    geom: `POINT(${next()} ${next()})`,
    fields: { people: at % 9 === 0 ? null : at % 5 },
  }))
}

/** Returns the largest difference of red and alpha in some rows of two tiles. */
function differenceOf(tile: Pick<Picture, 'at'>, other: Pick<Picture, 'at'>): number {
  const differences = [0, 100, 255].flatMap((y) =>
    Array.from({ length: 256 }, (_, x) => {
      const [ours, theirs] = [tile.at(x, y), other.at(x, y)]
      return Math.max(...[0, 3].map((channel) => Math.abs((ours[channel] ?? 0) - (theirs[channel] ?? 0))))
    }),
  )
  return Math.max(...differences)
}

const reds = ({ at }: { at: (x: number, y: number) => number[] }, x: number, y: number) => at(x, y)[3] ?? 0

describeServer('heatmap', (start) => {
  test('counts every point, also those that share a pixel', async () => {
    const server = await start()
    const points = Array.from({ length: 30 }, () => ({ geom: 'POINT(10 -10)', fields: { people: 1 } }))
    const style = await createHeatmap(server, points, {
      attributes: 'radius="20" radius_unit="2" max_value="60"',
    })
    const picture = await readPicture(server.admin, imagePath(style, [-100, -100, 100, 100]))
    expect(reds(picture, 140, 140)).toBeGreaterThan(125)
    expect(reds(picture, 140, 140)).toBeLessThan(130)
    expect(reds(picture, 165, 140)).toBe(0)
  })

  test.each([
    ['a field', 'people', 200],
    ['an expression', 'people * 2 - 10', 240],
    ['no number', "'many'", 26],
  ])('weighs points by %s', async (_, weight, expected) => {
    const server = await start()
    const points = [{ geom: 'MULTIPOINT((10 -10))', fields: { people: 125 } }]
    const style = await createHeatmap(server, points, {
      attributes: `radius="20" radius_unit="2" max_value="${weight === "'many'" ? 10 : weight === 'people' ? 159.4 : 255}" weight_expression="${weight}"`,
      geometryType: 'MULTIPOINT',
    })
    const picture = await readPicture(server.admin, imagePath(style, [-100, -100, 100, 100]))
    expect(Math.abs(reds(picture, 140, 140) - expected)).toBeLessThanOrEqual(1)
  })

  test.each([
    ['without a maximum', 'max_value="0"'],
    ['with a maximum', 'max_value="12" weight_expression="people"'],
  ])('tiles fit together %s: the tiles of an area are its image', async (_, maximum) => {
    const server = await start()
    const style = await createHeatmap(server, scatter(400), {
      attributes: `radius="30" radius_unit="2" ${maximum}`,
    })
    const whole = await readPicture(
      server.admin,
      imagePath(style, [-half / 2, -half / 2, half / 2, half / 2], [512, 512]),
    )
    const tiles = [0, 1, 2, 3].map(async (at) => {
      const [column, row] = [at % 2, at >> 1]
      const path = `/api/component/render/tile?resource=${style}&z=2&x=${column + 1}&y=${row + 1}`
      const tile = await readPicture(server.admin, path)
      return differenceOf(tile, { at: (x, y) => whole.at(column * 256 + x, row * 256 + y) })
    })
    const most = Math.max(...(await Promise.all(tiles)))
    expect(most).toBeLessThanOrEqual(1)
    expect(reds(whole, 256, 256)).toBeGreaterThan(200)
  })

  test('has a legend of its colours, and no symbols of its points', async () => {
    const server = await start()
    const style = await createHeatmap(server, scatter(3), {
      attributes: 'radius="20" radius_unit="2" max_value="60"',
    })
    const answer = await server.admin('GET', `/api/resource/${style}/legend_symbols`)
    const symbols = await answer.json<{ display_name: string; icon: { data: string } }[]>()
    // The first colour is transparent.
    expect(symbols.map((one) => one.display_name)).toEqual(['15', '30', '45', '60'])
    const last = sharp(Buffer.from(symbols.at(-1)?.icon.data ?? '', 'base64'))
    const { data, info } = await last.ensureAlpha().raw().toBuffer({ resolveWithObject: true })
    const middle = 4 * ((info.height >> 1) * info.width + (info.width >> 1))
    expect([...data.subarray(middle, middle + 4)]).toEqual([255, 0, 0, 255])
  })

  test.each([
    ['a huge radius', 'radius="1e300" radius_unit="2" max_value="1"'],
    ['a radius of zero', 'radius="0" max_value="0"'],
    ['a negative radius', 'radius="-5" max_value="-1"'],
    ['an infinite maximum', 'radius="5" max_value="1e999"'],
  ])('draws with %s, or refuses, without failing', async (_, attributes) => {
    const server = await start()
    const style = await createHeatmap(server, scatter(50), { attributes })
    const answer = await server.admin('GET', `/api/component/render/tile?resource=${style}&z=0&x=0&y=0`)
    expect(answer.status).toBe(200)
  })

  test('reaches over the antimeridian', async () => {
    const server = await start()
    const create = (isBeyond: boolean) => {
      const points = scatter(300).map(({ geom, fields }) => {
        const [x = 0, y = 0] = geom.match(/-?[\d.e]+/g)?.map((value) => Number(value) / 4) ?? []
        const beyond = x < 0 ? x + half : x - half
        return { geom: `POINT(${isBeyond ? beyond : x} ${y})`, fields }
      })
      return createHeatmap(server, points, { attributes: 'radius="30" radius_unit="2" max_value="20"' })
    }
    const [here, there] = [await create(false), await create(true)]
    const read = (style: number, [z, x, y]: readonly number[]) =>
      readPicture(server.admin, `/api/component/render/tile?z=${z}&x=${x}&y=${y}&resource=${style}`)
    for (const [ours, theirs] of [
      [3, 7],
      [4, 0],
    ] as const) {
      const [plain, across] = [await read(here, [3, ours, 3]), await read(there, [3, theirs, 3])]
      expect(reds(plain, ours === 3 ? 255 : 0, 255)).toBeGreaterThan(50)
      expect(differenceOf(plain, across)).toBeLessThan(3)
    }
  })
})
