import { expect, test } from 'vitest'
import { mercatorOfLonLat } from '../../src/geo/mercator.ts'
import { convertRaster, inspectRaster, makeRaster, type TestRaster } from '../support/raster.ts'
import { makeZip } from '../support/zip.ts'

const read = (raster: TestRaster = {}) => convertRaster('a.tif', makeRaster(raster))

const edge = 20_037_508.342789244

test.each([
  ['in UTM', { srs: 32660, geoTransform: [6.9e5, 1000, 0, 5.5e6, 0, -1000] }],
  ['in degrees', { srs: 4326, geoTransform: [178, 0.02, 0, 50, 0, -0.01] }],
])('a raster across the antimeridian is stored in one piece: %s', async (_, place) => {
  const { facts, content } = await read({ width: 300, height: 300, ...place, value: (band) => 50 * band })
  const [left = 0, step = 0] = facts.geoTransform
  const right = left + step * facts.xsize
  expect(left).toBeLessThan(edge)
  expect(right).toBeGreaterThan(edge)
  expect(right - left).toBeLessThan(1e6)
  inspectRaster(content, ({ pixel, srs }) => {
    expect(srs).toBe('3857')
    const [column, row] = [Math.floor((edge - left) / step), Math.floor(facts.ysize / 2)]
    expect([pixel(column - 1, row), pixel(column + 1, row)]).toEqual([
      [50, 100, 150, 255],
      [50, 100, 150, 255],
    ])
  })
})

/** Returns whether the pixel at a place has data. */
const showsAt = ({ facts, content }: Awaited<ReturnType<typeof read>>, lon: number, lat: number) => {
  const [left = 0, step = 1, , top = 0, , down = -1] = facts.geoTransform
  const [x, y] = mercatorOfLonLat(lon, lat)
  const [column, row] = [Math.floor((x - left) / step), Math.floor((y - top) / down)]
  if (column < 0 || row < 0 || column >= facts.xsize || row >= facts.ysize) return false
  return inspectRaster(content, ({ pixel }) => pixel(column, row).at(-1) === 255)
}

test.each([
  ['north', 3413, 1],
  ['south', 3031, -1],
])('a raster around the %s pole is stored up to 85 degrees, at all longitudes', async (_, srs, sign) => {
  const place = { width: 200, height: 200, srs, geoTransform: [-4e6, 40_000, 0, 4e6, 0, -40_000] }
  const raster = await read({ ...place, value: () => 9 })
  const { xsize, ysize } = raster.facts
  expect(xsize * ysize).toBeLessThan(100_000)
  const latitudes = [56, 70, 84.5].map((lat) => lat * sign)
  const places = latitudes.flatMap((lat) =>
    [-179, -100, -45, 0, 45, 100, 179].map((lon) => [lon, lat] as const),
  )
  expect(places.filter(([lon, lat]) => !showsAt(raster, lon, lat))).toEqual([])
  expect(showsAt(raster, 0, 30 * sign)).toBe(false)
})

test('a raster beside a pole is stored whole', async () => {
  const place = { width: 200, height: 200, srs: 3413, geoTransform: [-2e6, 10_000, 0, -1e5, 0, -10_000] }
  const raster = await read({ ...place, value: () => 9 })
  for (const [lon, lat] of [
    [-45, 84],
    [-90, 73],
    [-60, 75],
    [-120, 83],
  ] as const)
    expect([lon, lat, showsAt(raster, lon, lat)]).toEqual([lon, lat, true])
})

test('a raster of all longitudes that begins anywhere is stored with about the same number of pixels', async () => {
  const place = { width: 360, height: 100, geoTransform: [10, 1, 0, 60, 0, -0.01] }
  const raster = await read({ ...place, value: () => 9 })
  const { xsize, ysize } = raster.facts
  expect(xsize * ysize).toBeLessThan(2 * 36_000)
  expect([-179, -90, 0, 5, 15, 90, 179].filter((lon) => !showsAt(raster, lon, 59.5))).toEqual([])
})

test.each<[string, TestRaster, number]>([
  ['UInt32', {}, 4_294_967_295],
  ['Int32', {}, -2_147_483_648],
  ['Int16', {}, -32_768],
  ['UInt32 with all ends', { value: (_, column) => (column === 0 ? 0 : 4_294_967_295) }, 4_294_967_295],
])('values at the end of the range of their type are kept: %s', async (type, raster, value) => {
  const place = { bands: 1, width: 40, height: 30, srs: 3857, geoTransform: [1e6, 10, 0, 6e6, 0, -10] }
  const [name = ''] = type.split(' ')
  const { content } = await read({ ...place, type: name, value: () => value, ...raster })
  expect(inspectRaster(content, ({ pixel }) => pixel(20, 20))).toEqual([value, expect.anything()])
})

test.each<[string, number]>([
  ['Byte', 200],
  ['UInt16', 30_000],
  ['Int16', -3000],
  ['Int32', -70_000],
  ['Float32', 0.25],
  ['Float64', 1e-9],
])('values of one band keep their data type, with alpha and statistics: %s', async (type, base) => {
  const value = (_: number, column: number, row: number) => (column < 2 ? 77 : row === 0 ? 2 * base : base)
  const { facts, content } = await read({
    ...{ bands: 1, type, width: 40, height: 30, srs: 3857, geoTransform: [1e6, 10, 0, 6e6, 0, -10] },
    value: type === 'Byte' ? (band, column, row) => value(band, column, row) & 255 : value,
    noData: 77,
  })
  const high = type === 'Byte' ? (2 * base) & 255 : 2 * base
  expect(facts).toMatchObject({ dtype: type, colorInterpretation: ['Gray', 'Alpha'] })
  const [measured, ...others] = facts.statistics ?? []
  const { min, max, mean, stdDev, percentiles } = measured ?? {}
  expect(others).toEqual([])
  const [near, part] = [(one: number) => expect.closeTo(one, 6), 1 / 30]
  expect([min, max]).toEqual([near(Math.min(base, high)), near(Math.max(base, high))])
  expect(mean).toEqual(near(base + (high - base) * part))
  expect(stdDev).toEqual(near(Math.abs(high - base) * Math.sqrt(part * (1 - part))))
  expect([percentiles?.length, percentiles?.[50]]).toEqual([101, near(base)])
  inspectRaster(content, ({ pixel }) => {
    expect(pixel(0, 5)[1]).toBe(0)
    expect(pixel(5, 5)[0]).toEqual(near(base))
    expect(pixel(5, 5)[1]).toBeGreaterThan(0)
  })
})

const wide = { width: 600, height: 500, srs: 3857, geoTransform: [1e6, 10, 0, 6e6, 0, -10] }

test.each<[string, TestRaster, number]>([
  ['UInt16', { options: ['PHOTOMETRIC=RGB'] }, 65_535],
  ['12 bits of UInt16', { options: ['PHOTOMETRIC=RGB', 'NBITS=12'] }, 65_535],
  ['Int16', { options: ['PHOTOMETRIC=RGB'], type: 'Int16' }, 32_767],
  ['UInt32', { options: ['PHOTOMETRIC=RGB'], type: 'UInt32' }, 255],
  ['Float32', { options: ['PHOTOMETRIC=RGB'], type: 'Float32' }, 255],
])(
  'colours keep their values, with statistics of each band, in overviews, too: %s',
  async (_, raster, opaque) => {
    const value = (band: number, column: number, row: number) =>
      column < 101 ? 7 : row === 0 ? 3000 : 1000 * band
    const { facts, content } = await read({ ...wide, type: 'UInt16', noData: 7, value, ...raster })
    const colorInterpretation = ['Red', 'Green', 'Blue', 'Alpha']
    expect(facts).toMatchObject({ dtype: raster.type ?? 'UInt16', colorInterpretation })
    expect(facts.statistics?.map(({ min, max, percentiles }) => [min, max, percentiles[50]])).toEqual([
      [1000, 3000, 1000],
      [2000, 3000, 2000],
      [3000, 3000, 3000],
    ])
    expect(facts.statistics?.[0]?.mean).toBeCloseTo(1000 + 2000 / 500, 6)
    inspectRaster(content, ({ pixel, overviewPixel }) => {
      expect([pixel(101, 9), pixel(100, 9).at(-1)]).toEqual([[1000, 2000, 3000, opaque], 0])
      // The fiftieth pixel covers an empty one and one with values, which alone count.
      expect(overviewPixel(0, 50, 9)).toEqual([1000, 2000, 3000, opaque])
    })
  },
)

test('statistics of huge values are numbers', async () => {
  const value = (_: number, column: number) => (column % 2 === 0 ? 1e308 : -1e308)
  const place = { bands: 1, type: 'Float64', srs: 3857, geoTransform: [1e6, 10, 0, 6e6, 0, -10] }
  const { statistics } = (await read({ ...place, value })).facts
  expect(statistics?.[0]).toMatchObject({ min: -1e308, max: 1e308 })
  expect((statistics?.[0]?.stdDev ?? 0) / 1e308).toBeCloseTo(1, 6)
  expect((statistics?.[0]?.mean ?? 1) / 1e308).toBeCloseTo(0, 6)
})

test('a palette becomes colours', async () => {
  const { facts, content } = await read({
    ...{ bands: 1, srs: 3857, geoTransform: [1e6, 10, 0, 6e6, 0, -10], value: (_, column) => column % 3 },
    palette: [
      [255, 0, 0, 255],
      [0, 128, 0, 255],
      [9, 9, 9, 255],
    ],
    noData: 2,
  })
  expect(facts).toMatchObject({ colorInterpretation: ['Red', 'Green', 'Blue', 'Alpha'], statistics: null })
  inspectRaster(content, ({ pixel }) => {
    expect([pixel(0, 1), pixel(1, 1), pixel(2, 1)[3]]).toEqual([[255, 0, 0, 255], [0, 128, 0, 255], 0])
  })
})

const wgs84 =
  'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]'

test('a raster is placed by a world file and a reference system in its archive', async () => {
  const bare = makeRaster({ srs: null, geoTransform: null })
  const archive = makeZip([
    { name: 'maps/map.tif', content: bare },
    // The centre of the first pixel.
    { name: 'maps/map.tfw', content: '0.01\r\n0\r\n0\r\n-0.01\r\n10.005\r\n45.995\r\n' },
    { name: 'maps/map.prj', content: wgs84 },
    { name: 'other.tfw', content: 'x' },
  ])
  const [placed, plain] = [await convertRaster('a.zip', archive), await read()]
  const near = (numbers: readonly number[]) => numbers.map((one) => expect.closeTo(one, 3))
  expect(placed.facts.geoTransform).toEqual(near(plain.facts.geoTransform))
})

test('a raster is placed by control points', async () => {
  const controlPoints = [
    { pixel: 0, line: 0, x: 10, y: 46 },
    { pixel: 40, line: 0, x: 10.4, y: 46 },
    { pixel: 40, line: 30, x: 10.4, y: 45.7 },
    { pixel: 0, line: 30, x: 10, y: 45.7 },
  ]
  const { facts, content } = await read({
    srs: null,
    geoTransform: null,
    controlPoints,
    value: (band) => 60 * band,
  })
  const [left, step = 0, , top] = facts.geoTransform
  expect(left).toBeCloseTo(1_113_194.9, -1)
  expect(top).toBeCloseTo(5_780_349.2, -1)
  expect(step * facts.xsize).toBeCloseTo(44_527.8, -4)
  expect(inspectRaster(content, ({ pixel }) => pixel(20, 20))).toEqual([60, 120, 180, 255])
})
