import { readFile, writeFile } from 'node:fs/promises'
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { compareImages } from '../../support/drawing.ts'
import { uploadContent } from '../../support/samples.ts'
import { describeServer, type TestServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

const worldAtlas = new URL('../../../node_modules/world-atlas/countries-50m.json', import.meta.url)
const reference = new URL('../../fixtures/render/europe.png', import.meta.url)

const color = (name: string, [red, green, blue]: readonly [number, number, number]) =>
  `<${name} red="${red}" green="${green}" blue="${blue}"/>`
const outline = `${color('outlinecolor', [110, 100, 90])}<width>0.8</width>`
const countries = `<map>
  <symbol><name>hatch</name><type>hatch</type></symbol>
  <layer><classitem>name</classitem>
    <class><name>hatched</name><expression>{Ukraine,Italy,Sweden}</expression>
      <style>${color('color', [250, 240, 200])}</style>
      <style><symbol>hatch</symbol>${color('color', [200, 60, 40])}<size>6</size><angle>45</angle><width>1.2</width></style>
      <style>${outline}</style></class>
    <class><expression>{Germany,Greece,Finland}</expression>
      <style>${color('color', [120, 170, 120])}${outline}</style></class>
    <class><style>${color('color', [236, 231, 220])}${outline}</style></class>
  </layer></map>`

describeServer('a map of real countries', (start, driver) => {
  let server: TestServer
  let style: number

  beforeAll(async () => {
    server = await start()
    const source = await uploadContent(server.admin, await readFile(worldAtlas))
    const vector_layer = { source, source_layer: 'countries', srs: { id: 3857 }, fix_errors: 'LOSSY' }
    const layer = await createResource(server.admin, {
      cls: 'vector_layer',
      name: 'Countries',
      members: { vector_layer },
    })
    style = await createResource(server.admin, {
      cls: 'mapsrv_style',
      parent: layer,
      name: 'Style',
      members: { mapsrv_style: { xml: countries } },
    })
  })

  async function render(path: string): Promise<Uint8Array> {
    const answer = await server.admin('GET', `/api/component/render/${path}&resource=${style}`)
    if (answer.status !== 200) throw new Error(await answer.text())
    return new Uint8Array(await answer.arrayBuffer())
  }

  const pixelsOf = async (png: Uint8Array) =>
    new Uint8Array(await sharp(png).flatten({ background: '#a8c8e0' }).raw().toBuffer())

  test('looks like the reference image', async () => {
    const drawn = await render('tile?z=3&x=4&y=2')
    if (process.env.BLESS && driver === 'postgres') await writeFile(reference, drawn)
    const { mean } = compareImages(await pixelsOf(drawn), await pixelsOf(await readFile(reference)))
    expect(mean).toBeLessThan(0.3)
  })

  const half = 20_037_508.342789244

  test('is the same in tiles and in one image, at any zoom level, and across the antimeridian', async () => {
    for (const [z, x, y] of [
      [1, 0, 0],
      [4, 8, 5],
      [6, 34, 22],
      [1, 1, 0],
      [3, 7, 1],
      [3, -1, 1],
    ] as const) {
      const side = (2 * half) / 2 ** z
      const [left, top] = [x * side - half, half - y * side]
      const extent = [left, top - 2 * side, left + 2 * side, top].join()
      const whole = sharp(await render(`image?extent=${extent}&size=512,512`)).ensureAlpha()
      for (const [dx, dy] of [
        [0, 0],
        [1, 1],
      ] as const) {
        const region = { left: 256 * dx, top: 256 * dy, width: 256, height: 256 }
        const part = await whole.clone().extract(region).raw().toBuffer()
        const column = (x + dx + 2 ** z) % 2 ** z
        const tile = await sharp(await render(`tile?z=${z}&x=${column}&y=${y + dy}`))
          .ensureAlpha()
          .raw()
          .toBuffer()
        const { largest } = compareImages(new Uint8Array(part), new Uint8Array(tile))
        expect({ z, x, dx, largest }).toEqual({ z, x, dx, largest: 0 })
      }
    }
  })

  test.each([
    // In the north of Chukotka at 67° N, there is sea at 27° W.
    ['EPSG:3857', 3857, half, 333, 0.2466],
    ['EPSG:4326', 4326, 180, 333, 0.5 - 67 / 360],
  ])(
    'is drawn once around the world, also in images whose pixels do not divide it: %s',
    async (_, srs, edge, rows, part) => {
      // From 500 columns west of the world to 500 columns east of it, and a part of a column.
      const column = (2 * edge) / 333.3
      const extent = [-edge - 500 * column, -edge, edge + 500.7 * column, edge]
      const size = [Math.round(333.3 + 1000.7), rows]
      const png = await render(`image?extent=${extent}&size=${size}&srs=${srs}`)
      if (process.env.LOOK) await writeFile(`${process.env.LOOK}/world-${srs}.png`, png)
      const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
      const alphaAt = (x: number, y: number) => data[4 * (Math.round(y) * info.width + Math.round(x)) + 3]
      const columnOf = (longitude: number) => 500 + ((longitude + 180) / 360) * 333.3
      // Chukotka lies on both sides of the antimeridian.
      const row = rows * part
      for (const world of [-360, 0, 360]) {
        const land = [178, -176].map((longitude) => alphaAt(columnOf(world + longitude), row))
        expect([world, ...land.map((alpha = 0) => alpha > 200)]).toEqual([world, true, true])
        expect([world, alphaAt(columnOf(world - 27), row)]).toEqual([world, 0])
      }
    },
  )

  test.each([
    ['EPSG:3857', 3857, half],
    ['EPSG:4326', 4326, 180],
  ])(
    'is the same around the antimeridian on both sides of every copy of the world: %s',
    async (_, srs, edge) => {
      const images = await Promise.all(
        [-5, -3, -1, 1, 3, 5].map((edges) => {
          const extent = [(edges - 0.25) * edge, 0, (edges + 0.25) * edge, 0.5 * edge]
          return render(`image?extent=${extent}&size=256,256&srs=${srs}`)
        }),
      )
      const [first, ...others] = await Promise.all(images.map(pixelsOf))
      for (const other of others)
        expect(compareImages(first ?? new Uint8Array(), other).mean).toBeLessThan(0.02)
    },
  )
})
