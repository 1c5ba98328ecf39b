import sharp from 'sharp'
import { expect, test } from 'vitest'
import type { GeometryFamily } from '../../../src/contract/geometry.ts'
import { drawLegend } from '../../../src/render/legend/draw_legend.ts'
import type { LegendForm, LegendIcon } from '../../../src/render/legend/legend_job.ts'
import { SpriteCache } from '../../../src/render/raster/sprite.ts'
import { legendEntries } from '../../../src/style/legend_entries.ts'
import { readQml } from '../../../src/style/qml/qml_read.ts'
import { dataDefined, namedSymbol, qml, single, symbolLayer, symbols } from '../../support/qml.ts'

const check = () => undefined

/** Draws the legend of a QML file. */
async function draw(text: string, family: GeometryFamily, legend: LegendForm = { kind: 'image' }) {
  const { style } = readQml(text)
  if (style === undefined) throw new Error('not QML')
  const items = legendEntries(style).map(({ index, title, rule }) => ({ index, title, symbol: rule.symbol }))
  const job = { legend, title: 'Cities', family, opacity: style.opacity, items: items as never }
  return drawLegend(job, { sprites: new SpriteCache(), check })
}

interface Pixels {
  readonly width: number
  readonly height: number
  /** Red, green, blue and alpha of a pixel. */
  readonly at: (x: number, y: number) => number[]
}

async function decode(png: Uint8Array): Promise<Pixels> {
  const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const { width, height } = info
  return { width, height, at: (x, y) => [...data.subarray(4 * (y * width + x), 4 * (y * width + x) + 4)] }
}

async function drawIcons(text: string, family: GeometryFamily, iconSize: number): Promise<Pixels[]> {
  const { bytes } = await draw(text, family, { kind: 'icons', iconSize })
  const icons = JSON.parse(new TextDecoder().decode(bytes)) as LegendIcon[]
  return Promise.all(icons.map(({ data }) => decode(Buffer.from(data, 'base64'))))
}

/** Width and height of the pixels that a test accepts. */
function extentOf({ width, height, at }: Pixels, accepts: (pixel: number[]) => boolean): [number, number] {
  const [columns, rows] = [new Set<number>(), new Set<number>()]
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      if (!accepts(at(x, y))) continue
      columns.add(x)
      rows.add(y)
    }
  return [columns.size, rows.size]
}

/** Markers are centred on a pixel or between two, so that their edges may share pixels. */
const near = (pixels: number): unknown => expect.closeTo(pixels, -0.5)

const isRed = ([red = 0, green = 0, blue = 0, alpha = 0]: number[]) =>
  red > 200 && green < 60 && blue < 60 && alpha > 200

const square = (size: number, unit = 'Pixel') =>
  symbolLayer('SimpleMarker', {
    ...{ name: 'square', color: '255,0,0,255', outline_style: 'no' },
    ...{ size: String(size), size_unit: unit },
  })

const categories = (...sizes: readonly number[]) => {
  const list = sizes.map(
    (_, at) => `<category symbol="${at}" value="${at}" label="Class ${at}" render="true"/>`,
  )
  return qml(
    'type="categorizedSymbol" attr="kind"',
    `<categories>${list.join('')}</categories>${symbols(
      ...sizes.map((size, at) => namedSymbol(String(at), 'marker', square(size))),
    )}`,
  )
}

test('markers have the size they have on the map, and rows are as high as they need', async () => {
  const picture = await decode((await draw(single('marker', square(40)), 'POINT')).bytes)
  expect(extentOf(picture, isRed)).toEqual([near(40), near(40)])
  expect(picture.height).toEqual(near(40 + 16))
  const pair = await decode((await draw(categories(10, 30), 'POINT')).bytes)
  // The heading, both symbols, margins and distances.
  expect(pair.height).toEqual(near(16 + 16 + 30 + 16 + 2 * 4))
  expect(extentOf(pair, isRed)).toEqual([near(30), near(38)])
})

test('properties that depend on the feature have their fixed values, whatever the expressions are without one', async () => {
  const defined = (expressions: Readonly<Record<string, string>>) =>
    square(10).replace('</layer>', `${dataDefined(expressions)}</layer>`)
  const sizeOf = async (expressions: Readonly<Record<string, string>>) => {
    const [icon] = await drawIcons(single('marker', defined(expressions)), 'POINT', 40)
    return icon && extentOf(icon, isRed)
  }
  expect(await sizeOf({ size: 'coalesce(scale_exp("population", 0, 9, 1, 9, 0.57), 0)' })).toEqual([
    near(10),
    near(10),
  ])
  expect(await sizeOf({ enabled: 'coalesce("open", 0) = 1' })).toEqual([near(10), near(10)])
  expect(await sizeOf({ fillColor: "if(\"kind\" = 'a', '255,0,0', '0,0,0')", angle: '$id + 45' })).toEqual([
    near(10),
    near(10),
  ])
  // Constants are no feature's.
  expect(await sizeOf({ size: '20' })).toEqual([near(20), near(20)])
  expect(await sizeOf({ enabled: 'false' })).toBeUndefined()
  const inner = namedSymbol('@0@0', 'marker', defined({ size: 'coalesce("size", 0)' }))
  const centred = symbolLayer('CentroidFill', {}).replace('</layer>', `${inner}</layer>`)
  const [icon] = await drawIcons(single('fill', centred), 'POLYGON', 40)
  expect(icon && extentOf(icon, isRed)).toEqual([near(10), near(10)])
})

test('lengths in millimetres are those of 96 pixels per inch, and lengths in map units have a usual size', async () => {
  const millimetres = await decode((await draw(single('marker', square(10, 'MM')), 'POINT')).bytes)
  expect(extentOf(millimetres, isRed)).toEqual([near(38), near(38)])
  const metres = await decode((await draw(single('marker', square(5000, 'MapUnit')), 'POINT')).bytes)
  expect(extentOf(metres, isRed)).toEqual([near(20), near(20)])
})

test('lines and areas are 26 pixels long, with outlines outside', async () => {
  const line = symbolLayer('SimpleLine', {
    ...{ line_color: '255,0,0,255', line_width: '6', line_width_unit: 'Pixel', capstyle: 'flat' },
  })
  expect(extentOf(await decode((await draw(single('line', line), 'LINESTRING')).bytes), isRed)).toEqual([
    26, 6,
  ])
  const area = symbolLayer('SimpleFill', {
    ...{ color: '255,0,0,255', outline_color: '255,0,0,255', joinstyle: 'miter' },
    ...{ outline_width: '4', outline_width_unit: 'Pixel' },
  })
  expect(extentOf(await decode((await draw(single('fill', area), 'POLYGON')).bytes), isRed)).toEqual([30, 19])
})

test('icons have the size that is asked for, and show symbols in their size or scaled down', async () => {
  const icons = await drawIcons(categories(10, 60), 'POINT', 24)
  expect(icons.map(({ width, height }) => [width, height])).toEqual([
    [24, 24],
    [24, 24],
  ])
  expect(icons.map((icon) => extentOf(icon, isRed))).toEqual([
    [near(10), near(10)],
    [24, 24],
  ])
  expect(icons[0]?.at(0, 0)).toEqual([0, 0, 0, 0])
})

test('symbols that draw nothing on the geometries of the layer are left out', async () => {
  const image = await draw(single('marker', symbolLayer('SimpleFill', { color: '1,2,3,255' })), 'POINT')
  expect(image.isEmpty).toBe(true)
  expect(
    await drawIcons(single('fill', symbolLayer('SimpleFill', { color: '0,0,0,0' })), 'POINT', 16),
  ).toEqual([])
})

test('an embedded SVG image is drawn, and a missing one is left out', async () => {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="10" height="10" fill="red"/></svg>'
  const layer = (name: string) => symbolLayer('SvgMarker', { name, size: '20', size_unit: 'Pixel' })
  const [embedded] = await drawIcons(
    single('marker', layer(`base64:${Buffer.from(svg).toString('base64')}`)),
    'POINT',
    32,
  )
  expect(embedded && extentOf(embedded, isRed)).toEqual([20, 20])
  expect(await drawIcons(single('marker', layer('gpsicons/plane.svg')), 'POINT', 32)).toEqual([])
})

test('a legend of very large symbols ends with the number of those that have no room', async () => {
  const picture = await decode((await draw(categories(...Array(1000).fill(300)), 'POINT')).bytes)
  // The heading, symbols of 300 pixels between two pixels, and the line that counts the others.
  const count = (picture.height - 16 - 16 - 4 - 16) / 305
  expect([Number.isInteger(count), count * 300 * 300 > 2 ** 21, count < 30]).toEqual([true, true, true])
  const last = {
    ...picture,
    height: 20,
    at: (x: number, y: number) => picture.at(x, picture.height - 20 + y),
  }
  expect(extentOf(last, ([red = 255]) => red < 100)[1]).toBeGreaterThan(6)
})

test('captions are drawn in the scripts that labels have', async () => {
  const [one, other] = await Promise.all(
    ['서울', '한국'].map((label) => draw(categories(10).replace('Class 0', label), 'POINT')),
  )
  // Letters that a font lacks are equal boxes.
  expect(one?.bytes).not.toEqual(other?.bytes)
})
