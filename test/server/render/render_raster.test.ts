import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { imagePath, readPicture } from '../../support/picture.ts'
import { makeRaster, scaleRaster, type TestRaster } from '../../support/raster.ts'
import { uploadContent } from '../../support/samples.ts'
import { type Ask, describeServer, type TestServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

const half = 20_037_508.342789244

/** Pixels of 10 m, from (1,000,000, 6,000,000). */
const place = { srs: 3857, geoTransform: [1e6, 10, 0, 6e6, 0, -10] }

const band = { ...place, bands: 1 }

type LegendSymbols = readonly { readonly display_name: string; readonly icon: { readonly data: string } }[]

interface WideRaster {
  readonly raster_layer: { readonly statistics: readonly { readonly min: number }[] }
}

interface Identified {
  readonly featureCount: number
  readonly [layer: string]: unknown
}

describeServer('rasters', (start) => {
  let server: TestServer
  let admin: Ask
  beforeAll(async () => {
    server = await start()
    admin = server.admin
  })

  let count = 0
  const create = async (raster: TestRaster, style: object = {}) => {
    count += 1
    const source = await uploadContent(admin, makeRaster(raster))
    const layer = await createResource(admin, {
      ...{ cls: 'raster_layer', name: `raster ${count}` },
      members: { raster_layer: { source } },
    })
    return { layer, style: await createStyle(layer, style) }
  }
  const createStyle = (layer: number, style: object) => {
    count += 1
    return createResource(admin, {
      ...{ cls: 'raster_style', parent: layer, name: `style ${count}` },
      members: { raster_style: style },
    })
  }
  const symbols = async (id: number) =>
    (await (await admin('GET', `/api/resource/${id}/legend_symbols`)).json<LegendSymbols>()).map(
      ({ display_name, icon }) => [display_name, icon.data],
    )
  const square = (left: number, top: number, size: number) => [left, top - size, left + size, top]
  const draw = (id: number, extent: readonly number[], size?: readonly number[]) =>
    readPicture(admin, imagePath(id, extent, size))

  test('are drawn with their own pixels where one is a pixel of the image, and transparent around', async () => {
    const value = (number: number, column: number, row: number) => (number * 50 + column * 2 + row) % 256
    const { layer, style } = await create({ ...place, width: 600, height: 500, value })
    for (const id of [layer, style]) {
      const picture = await draw(id, square(1e6 - 100, 6e6 + 100, 2560))
      expect(picture.at(9, 100)[3]).toBe(0)
      for (const [x, y] of [
        [10, 10],
        [200, 131],
        [255, 255],
      ] as const)
        expect(picture.at(x, y)).toEqual([...[1, 2, 3].map((one) => value(one, x - 10, y - 10)), 255])
    }
  })

  test('are averaged where they are shrunk, at every scale', async () => {
    const value = (_: number, column: number, row: number) => ((column + row) % 2 === 0 ? 0 : 200)
    const { layer } = await create({ ...place, width: 700, height: 700, value })
    for (const factor of [1.4, 2, 3.3, 9, 23]) {
      const size = Math.floor(700 / factor)
      const picture = await draw(layer, square(1e6, 6e6, size * factor * 10), [size, size])
      const [red = 0, , , alpha] = picture.at(Math.floor(size / 2), Math.floor(size / 2))
      expect([Math.abs(red - 100) <= 60, alpha]).toEqual([true, 255])
      if (factor >= 2) expect(red).toBeCloseTo(100, -1)
    }
  })

  test('are enlarged as squares, or interpolated if the style says so', async () => {
    const value = (_: number, column: number) => (column < 20 ? 0 : 200)
    const squares = await create({ ...place, value })
    const smooth = await createStyle(squares.layer, { resampling: 'bilinear', opacity: 0.5 })
    // Two columns, of 8 pixels each.
    const extent = square(1e6 + 190, 6e6 - 100, 20)
    const [hard, soft] = [await draw(squares.style, extent, [16, 16]), await draw(smooth, extent, [16, 16])]
    expect([7, 8].map((x) => hard.at(x, 5))).toEqual([
      [0, 0, 0, 255],
      [200, 200, 200, 255],
    ])
    const reds = Array.from({ length: 16 }, (_, x) => soft.at(x, 5)[0] ?? 0)
    expect(reds).toEqual([...reds].sort((a, b) => a - b))
    expect(new Set(reds).size).toBeGreaterThan(6)
    expect(soft.at(5, 5)[3]).toBe(128)
  })

  test('have the colours of their palette, and none where they have no data', async () => {
    const { layer } = await create({
      ...{ ...band, value: (_: number, column: number) => column % 3, noData: 2 },
      palette: [
        [255, 0, 0, 255],
        [0, 128, 0, 255],
        [9, 9, 9, 255],
      ],
    })
    const picture = await draw(layer, square(1e6, 6e6, 300), [30, 30])
    expect([0, 1, 2].map((x) => picture.at(x, 4))).toEqual([
      [255, 0, 0, 255],
      [0, 128, 0, 255],
      [0, 0, 0, 0],
    ])
  })

  test('of one band are grey: 8 bits as they are, others by their percentiles or the stretch of the style', async () => {
    const byte = await create({ ...band, value: (_, column) => column })
    expect((await draw(byte.style, square(1e6, 6e6, 300), [30, 30])).at(17, 3)).toEqual([17, 17, 17, 255])
    const value = (_: number, column: number, row: number) => 1000 + 50 * column + (row === 29 ? 60_000 : 0)
    const { layer } = await create({ ...band, type: 'Float32', value })
    const greyAt = async (style: object, column: number) => {
      const id = await createStyle(layer, style)
      return (await draw(id, square(1e6, 6e6, 300), [30, 30])).at(column, 3)
    }
    expect(await greyAt({ stretch: { type: 'min_max', min: 1000, max: 2000 } }, 10)).toEqual([
      128, 128, 128, 255,
    ])
    expect(await greyAt({ stretch: { type: 'min_max' } }, 20)).toEqual([4, 4, 4, 255])
    const [red = 0] = await greyAt({ stretch: { type: 'percent', percent: 5 } }, 20)
    expect(red).toBeGreaterThan(100)
    expect((await greyAt({ stretch: { type: 'std_dev', deviations: 1 } }, 20))[0]).toBeGreaterThan(0)
    const [low = 0] = await greyAt({}, 2)
    expect(low).toBeLessThan(20)
  })

  test('of one band have the colours of a ramp', async () => {
    const value = (_: number, column: number) => 100 * column
    const stops = [
      { value: 2000, color: '#00ff00' },
      { value: 1000, color: '#ff0000' },
    ]
    const { layer } = await create({ ...band, type: 'Int16', value })
    const colors = async (style: object) => {
      const id = await createStyle(layer, style)
      const picture = await draw(id, square(1e6, 6e6, 300), [30, 30])
      return [5, 10, 15, 20, 25].map((column) => picture.at(column, 3))
    }
    const [red, green, none] = [
      [255, 0, 0, 255],
      [0, 255, 0, 255],
      [0, 0, 0, 0],
    ]
    expect(await colors({ color_ramp: { interpolation: 'linear', stops } })).toEqual([
      red,
      red,
      [128, 128, 0, 255],
      green,
      green,
    ])
    expect(await colors({ color_ramp: { interpolation: 'discrete', stops } })).toEqual([
      red,
      red,
      green,
      green,
      none,
    ])
    expect(await colors({ color_ramp: { interpolation: 'exact', stops } })).toEqual([
      none,
      red,
      none,
      green,
      none,
    ])
    const stretch = { type: 'min_max', min: 1000, max: 2000 }
    const parts = stops.map((stop, at) => ({ ...stop, value: 1 - at }))
    expect(await colors({ stretch, color_ramp: { interpolation: 'linear', stops: parts } })).toEqual([
      red,
      red,
      [128, 128, 0, 255],
      green,
      green,
    ])
  })

  test('with colours are not drawn by a colour ramp, which is reported', async () => {
    const { style } = await create(place, {
      color_ramp: { interpolation: 'exact', stops: [{ value: 1, color: '#ff0000' }] },
    })
    const answer = await admin('GET', imagePath(style, square(1e6, 6e6, 300)))
    expect([answer.status, await answer.json()]).toEqual([
      422,
      expect.objectContaining({
        code: 'render/unsupported',
        message: expect.stringContaining('a color_ramp, which is for rasters with one band'),
      }),
    ])
  })

  test('that are replaced by one with colours are answered with the issues of styles that cannot colour it', async () => {
    const ramp = { color_ramp: { interpolation: 'exact', stops: [{ value: 1, color: '#ff0000' }] } }
    const { layer, style } = await create(band, ramp)
    const replace = async (raster: TestRaster) => {
      const source = await uploadContent(admin, makeRaster(raster))
      const answer = await admin('PUT', `/api/resource/${layer}`, { raster_layer: { source } })
      return (await answer.json<{ style_issues?: unknown }>()).style_issues
    }
    expect(await replace(band)).toBeUndefined()
    const message = expect.stringMatching(
      /^the style "style \d+" cannot be drawn: .* has colours; .* a color_ramp/,
    )
    expect(await replace(place)).toMatchObject([{ code: 'style/unknown', message }])
    const answer = await admin('PUT', `/api/resource/${style}`, { raster_style: ramp })
    expect(await answer.json()).toMatchObject({ style_issues: [{ message }] })
  })

  test.each(['UInt16', 'Int16', 'Float32'])(
    'with colours of more than 8 bits are stretched by band, as gdal_translate -scale does: %s',
    async (type) => {
      // 100 pixels; the last row of each band has values far above the others.
      const value = (number: number, column: number, row: number) =>
        column === 0 ? 7 : 500 * number + 30 * column + row + (row === 99 ? 20_000 : 0)
      const size = { width: 100, height: 100 }
      const raster = { ...place, ...size, type, options: ['PHOTOMETRIC=RGB'], value, noData: 7 }
      const { layer, style } = await create(raster)
      const given = { type: 'min_max', min: 600, max: 3000 }
      const styles = [layer, style, await createStyle(layer, { stretch: given })]
      const { raster_layer: own } = await (await admin('GET', `/api/resource/${layer}`)).json<WideRaster>()
      expect(own.statistics.map(({ min }) => min)).toEqual([530, 1030, 1530])
      const content = Buffer.from(await (await admin('GET', `/api/resource/${layer}/cog`)).arrayBuffer())
      for (const id of styles) {
        const names = await symbols(id)
        const ranges = names.map(([name = '']) => name.replace(/^\w+ /, '').split(' – ').map(Number))
        expect(names.map(([name = '']) => name.split(' ')[0])).toEqual(['Red', 'Green', 'Blue'])
        if (id === styles[2]) expect(ranges).toEqual([0, 1, 2].map(() => [600, 3000]))
        // Two in a hundred of the values lie above the range.
        else expect(ranges[0]).toEqual([expect.closeTo(500 + 30 * 3, -2), expect.closeTo(500 + 30 * 99, -2)])
        const expected = scaleRaster(content, ranges)
        const picture = await draw(id, square(1e6, 6e6, 1000), [100, 100])
        const spots = [1, 50, 99].flatMap((x) => [1, 20, 99].map((y) => [x, y] as const))
        const near = (value: number) => expect.closeTo(value, -0.4)
        expect(spots.map((spot) => picture.at(...spot))).toEqual(
          spots.map((spot) => [...expected(...spot).map(near), 255]),
        )
        expect(picture.at(0, 9)[3]).toBe(0)
      }
    },
  )

  test('with colours of 8 bits are stretched between given limits only', async () => {
    const { layer, style } = await create(place, { stretch: { type: 'min_max', min: 0, max: 510 } })
    expect((await draw(style, square(1e6, 6e6, 300), [30, 30])).at(0, 0)).toEqual([30, 60, 90, 255])
    const other = await createStyle(layer, { stretch: { type: 'percent' } })
    const answer = await admin('GET', imagePath(other, square(1e6, 6e6, 300)))
    expect([answer.status, (await answer.json<{ message: string }>()).message]).toEqual([
      422,
      expect.stringContaining('not min_max with min and max'),
    ])
  })

  test('with alpha of 16 bits are half transparent, and identified by their values', async () => {
    const value = (number: number) => (number === 4 ? 32_768 : number * 1000)
    const options = ['PHOTOMETRIC=RGB', 'ALPHA=YES']
    const { layer } = await create({ ...place, bands: 4, type: 'UInt16', options, value })
    const style = await createStyle(layer, { stretch: { type: 'min_max', min: 0, max: 4000 } })
    expect((await draw(style, square(1e6, 6e6, 300), [30, 30])).at(9, 9)).toEqual([64, 128, 191, 128])
    const geom = 'POINT(1000075 5999965)'
    const found = await admin('POST', '/api/feature_layer/identify', { srs: 3857, geom, layers: [layer] })
    expect(await found.json<Identified>()).toMatchObject({
      [layer]: { features: [{ fields: { Red: 1000, Green: 2000, Blue: 3000, Alpha: 32_768 } }] },
    })
  })

  test('across the antimeridian are drawn on both sides of it', async () => {
    const { layer } = await create({
      ...{ width: 100, height: 50, srs: 4326, geoTransform: [179, 0.02, 0, 10, 0, -0.02] },
      value: (number) => 60 * number,
    })
    const z = 6
    const y = Math.floor(((half - 1_060_000) / (2 * half)) * 2 ** z)
    for (const [x, column] of [
      [2 ** z - 1, 255],
      [0, 0],
    ]) {
      const path = `/api/component/render/tile?z=${z}&x=${x}&y=${y}&resource=${layer}`
      const picture = await readPicture(admin, path)
      const colors = Array.from({ length: 256 }, (_, row) => String(picture.at(column ?? 0, row)))
      expect(colors).toContain('60,120,180,255')
    }
  })

  test('are empty where nothing of them is, and their entity tag changes with data and style', async () => {
    const { layer, style } = await create(place)
    const far = `${imagePath(layer, [0, 0, 1000, 1000])}&nd=204`
    expect((await admin('GET', far)).status).toBe(204)
    const tag = async () => (await admin('GET', imagePath(style, square(1e6, 6e6, 300)))).headers.get('etag')
    const first = await tag()
    expect(await tag()).toBe(first)
    await admin('PUT', `/api/resource/${style}`, { raster_style: { opacity: 0.4 } })
    const second = await tag()
    const source = await uploadContent(admin, makeRaster({ ...place, value: () => 9 }))
    await admin('PUT', `/api/resource/${layer}`, { raster_layer: { source } })
    expect(new Set([first, second, await tag()]).size).toBe(3)
  })

  test('are identified by the values of the pixel in the middle of a geometry', async () => {
    const colors = await create({ ...place, value: (number, column, row) => number * 60 + column + row })
    const values = await create({ ...band, type: 'Float32', value: (_, column) => column / 10, noData: 0 })
    const identify = async (x: number, y: number, layers: readonly number[], srs = 3857) => {
      const [west, south, east, north] = [x - 2, y - 2, x + 2, y + 2]
      const geom = `POLYGON((${west} ${south},${east} ${south},${east} ${north},${west} ${north},${west} ${south}))`
      const answer = await admin('POST', '/api/feature_layer/identify', { srs, geom, layers })
      return answer.json<Identified>()
    }
    const found = await identify(1e6 + 75, 6e6 - 35, [colors.layer, values.layer])
    expect(found).toMatchObject({
      featureCount: 2,
      [colors.layer]: {
        features: [
          {
            layerId: colors.layer,
            label: '70, 130, 190, 255',
            fields: { Red: 70, Green: 130, Blue: 190, Alpha: 255 },
          },
        ],
      },
      [values.layer]: { features: [{ label: '0.7', fields: { Gray: 0.7 } }] },
    })
    expect(await identify(0, 0, [colors.layer])).toEqual({
      featureCount: 0,
      [colors.layer]: { featureCount: 0, features: [] },
    })
    // The first column has no data.
    expect((await identify(1e6 + 5, 6e6 - 35, [values.layer])).featureCount).toBe(0)
  })

  test('have the colours of their values as legend', async () => {
    const stops = [
      { value: 0, color: '#FF0000' },
      { value: 12.5, color: '#00ff0080' },
    ]
    const raster = { ...band, type: 'Float32', value: (_: number, column: number) => column / 4 }
    const { layer, style } = await create(raster, { color_ramp: { interpolation: 'linear', stops } })
    const found = await symbols(style)
    expect(found.map(([name]) => name)).toEqual(['0', '12.5'])
    const icon = await sharp(Buffer.from(found[0]?.[1] ?? '', 'base64'))
      .ensureAlpha()
      .raw()
      .toBuffer()
    expect([...icon.subarray(icon.length / 2 + 48, icon.length / 2 + 52)]).toEqual([255, 0, 0, 255])
    const white = await createStyle(layer, {
      color_ramp: { interpolation: 'linear', stops: stops.map((stop) => ({ ...stop, color: '#ffffff' })) },
    })
    // A frame shows white areas on white.
    const [[, data = ''] = []] = await symbols(white)
    const framed = sharp(Buffer.from(data, 'base64')).ensureAlpha()
    const pixels = await framed.raw().toBuffer()
    expect(pixels.some((value, at) => at % 4 === 0 && value === 160 && pixels[at + 3] === 255)).toBe(true)
    const steps = await createStyle(layer, { color_ramp: { interpolation: 'discrete', stops } })
    expect((await symbols(steps)).map(([name]) => name)).toEqual(['≤ 0', '≤ 12.5'])
    // Greys from the lowest to the highest value.
    const greys = await createStyle(layer, { stretch: { type: 'min_max' } })
    expect((await symbols(greys)).map(([name]) => name)).toEqual(['0', '9.75'])
    const image = await admin('GET', `/api/resource/${style}/legend`)
    expect(image.headers.get('content-type')).toBe('image/png')
  })

  test('with colours of 8 bits have no legend', async () => {
    const { layer, style } = await create(place)
    for (const id of [layer, style]) {
      const answer = await admin('GET', `/api/resource/${id}/legend`)
      expect(answer.status).toBe(404)
      expect((await answer.json<{ message: string }>()).message).toContain(
        'has colours of 8 bits, so it has no legend',
      )
    }
  })
})
