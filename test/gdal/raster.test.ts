import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { convertRaster, inspectRaster, makeRaster, type TestRaster } from '../support/raster.ts'
import { openTrap } from '../support/trap.ts'
import { makeZip } from '../support/zip.ts'

const read = (raster: TestRaster = {}) => convertRaster('a.tif', makeRaster(raster))

test('a raster becomes a tiled GeoTIFF in web mercator with overviews and alpha', async () => {
  const { facts, content } = await read({ width: 700, height: 600 })
  expect(facts).toMatchObject({
    srs: 3857,
    dtype: 'Byte',
    colorInterpretation: ['Red', 'Green', 'Blue', 'Alpha'],
  })
  const [left, step, turnX, top, turnY, stepDown] = facts.geoTransform
  expect([turnX, turnY, stepDown]).toEqual([0, 0, -(step ?? 0)].map((one) => expect.closeTo(one, 6)))
  expect(left).toBeCloseTo(1_113_194.9, 0)
  expect(top).toBeCloseTo(5_780_349.2, 0)
  inspectRaster(content, ({ width, height, srs, colors, overviews, blockSize, structure }) => {
    expect([width, height, srs]).toEqual([facts.xsize, facts.ysize, '3857'])
    expect(colors).toEqual(facts.colorInterpretation)
    expect(blockSize).toEqual({ x: 256, y: 256 })
    expect(structure).toMatchObject({ COMPRESSION: 'DEFLATE', LAYOUT: 'COG' })
    expect(overviews).toEqual([Math.floor(width / 2), Math.floor(width / 4)])
  })
})

test('a raster in web mercator keeps its pixels, even if they are not square', async () => {
  const value = (band: number, column: number, row: number) => (band * 80 + column * 7 + row) % 256
  const { facts, content } = await read({ srs: 3857, geoTransform: [1e6, 10, 0, 6e6, 0, -20], value })
  expect(facts).toMatchObject({ xsize: 40, ysize: 30, geoTransform: [1e6, 10, 0, 6e6, 0, -20] })
  inspectRaster(content, ({ pixel }) => {
    for (const [column, row] of [
      [0, 0],
      [39, 29],
      [17, 23],
    ] as const)
      expect(pixel(column, row)).toEqual([...[1, 2, 3].map((band) => value(band, column, row)), 255])
  })
})

test.each<[string, TestRaster, number[]]>([
  ['all bands have the no-data value', { noData: 7, value: () => 7 }, [0]],
  [
    'one band has the no-data value',
    { noData: 7, value: (band) => (band === 1 ? 7 : 200) },
    [7, 200, 200, 255],
  ],
  ['a mask excludes it', { mask: (column) => column > 5 }, [0]],
  ['a mask includes it', { mask: (column) => column === 5, value: () => 8 }, [8, 8, 8, 255]],
  ['its alpha is 0', { bands: 4, value: (band) => (band === 4 ? 0 : 9) }, [0]],
  ['its alpha is half', { bands: 4, value: (band) => (band === 4 ? 128 : 9) }, [9, 9, 9, 128]],
])('the alpha of a pixel is correct if %s', async (_, raster, expected) => {
  const { content } = await read({ srs: 3857, geoTransform: [0, 1, 0, 0, 0, -1], ...raster })
  expect(inspectRaster(content, ({ pixel }) => pixel(5, 5)).slice(-expected.length)).toEqual(expected)
})

test('the area around a rotated raster is transparent', async () => {
  const { content, facts } = await read({
    srs: 3857,
    geoTransform: [1e6, 10, 5, 6e6, 5, -10],
    value: () => 99,
  })
  inspectRaster(content, ({ pixel }) => {
    expect(pixel(facts.xsize - 1, 0).at(-1)).toBe(0)
    expect(pixel(Math.floor(facts.xsize / 2), Math.floor(facts.ysize / 2))).toEqual([99, 99, 99, 255])
  })
})

test('a raster of the whole world is clipped to the extent of web mercator', async () => {
  const { facts } = await read({ width: 360, height: 180, geoTransform: [-180, 1, 0, 90, 0, -1] })
  const [left = 0, step = 0, , top = 0] = facts.geoTransform
  expect(left).toBeCloseTo(-20_037_508.34, 1)
  expect(left + step * facts.xsize).toBeCloseTo(20_037_508.34, 1)
  expect(top).toBeCloseTo(20_037_508.34, 1)
  expect(facts.xsize).toBeGreaterThan(250)
})

test('longitudes from 0 to 360 cover the whole world', async () => {
  const { content, facts } = await read({ width: 360, height: 120, geoTransform: [0, 1, 0, 60, 0, -1] })
  const row = Math.floor(facts.ysize / 2)
  const opaque = inspectRaster(content, ({ pixel }) =>
    [0.1, 0.4, 0.6, 0.9].map((part) => pixel(Math.floor(part * facts.xsize), row).at(-1)),
  )
  expect(opaque).toEqual([255, 255, 255, 255])
})

test.each([
  ['uncompressed', []],
  ['LZW', ['COMPRESS=LZW', 'PREDICTOR=2']],
  ['DEFLATE', ['COMPRESS=DEFLATE']],
  ['JPEG', ['COMPRESS=JPEG', 'PHOTOMETRIC=YCBCR']],
  ['with tiles', ['TILED=YES', 'BLOCKXSIZE=16', 'BLOCKYSIZE=16']],
  ['band by band', ['INTERLEAVE=BAND']],
  ['BigTIFF', ['BIGTIFF=YES']],
  ['big-endian', ['ENDIANNESS=BIG']],
])('reads a raster: %s', async (_, options) => {
  expect((await read({ options })).facts.colorInterpretation).toHaveLength(4)
})

test('the same raster gives the same file', async () => {
  const [one, other] = await Promise.all([read(), read()])
  expect(one.content.equals(other.content)).toBe(true)
})

test('reads the only raster of an archive and ignores other files', async () => {
  const archive = makeZip([
    { name: 'maps/readme.txt', content: 'hello' },
    { name: 'maps/map.TIF', content: makeRaster() },
    { name: '__MACOSX/maps/._map.TIF', content: 'x' },
    { name: 'maps/map.tif.aux.xml', content: '<PAMDataset><SRS>EPSG:32632</SRS></PAMDataset>' },
  ])
  const { facts } = await convertRaster('a.zip', archive)
  expect(facts.geoTransform[0]).toBeCloseTo(1_113_194.9, 0)
})

const tiff = makeRaster
const vrt = (path: string) => `<VRTDataset rasterXSize="9" rasterYSize="9"><SRS>EPSG:3857</SRS>
  <GeoTransform>0,1,0,0,0,-1</GeoTransform><VRTRasterBand dataType="Byte" band="1"><SimpleSource>
  <SourceFilename>${path}</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>`
const twoRasters = () =>
  makeZip([
    { name: 'b.tif', content: tiff() },
    { name: 'a/a.tiff', content: tiff() },
  ])
/** Replaces a 16-bit tag value in a file. @see TIFF 6.0 section 2 */
const lie = (content: Buffer, tag: number, value: number) => {
  const start = content.readUInt32LE(4)
  for (let at = start + 2; at < start + 2 + content.readUInt16LE(start) * 12; at += 12)
    if (content.readUInt16LE(at) === tag) content.writeUInt16LE(value, at + 8)
  return content
}

test.each<[string, () => Uint8Array | string, string, RegExp]>([
  ['an empty file', () => '', 'source/unreadable', /it is empty/],
  ['text', () => 'hello', 'source/unreadable', /it is not a TIFF file/],
  ['a VRT', () => vrt('/etc/passwd'), 'source/unreadable', /it is not a TIFF file/],
  ['a TIFF of four bytes', () => 'II*\0', 'source/unreadable', /"a\.tif" cannot be read/],
  ['a TIFF truncated in its header', () => tiff().subarray(0, 100), 'source/unreadable', /cannot be read/],
  ['a TIFF truncated in its pixels', () => tiff().subarray(0, 2000), 'source/unreadable', /cannot be read/],
  [
    'a compressed TIFF truncated in its pixels',
    () => {
      const noise = (band: number, column: number, row: number) =>
        (band * 7919 + column * 104_729 + row * 1299) % 251
      const whole = tiff({ width: 300, height: 300, options: ['COMPRESS=DEFLATE'], value: noise })
      return whole.subarray(0, Math.floor(whole.length * 0.7))
    },
    'source/unreadable',
    /cannot be read/,
  ],
  ['a TIFF that declares more rows', () => lie(tiff(), 257, 60_000), 'source/unreadable', /strips or tiles/],
  [
    'a TIFF that declares more columns',
    () => lie(tiff(), 256, 60_000),
    'source/unreadable',
    /cannot be read/,
  ],
  ['a TIFF without a width', () => lie(tiff(), 256, 0), 'source/unreadable', /cannot be read/],
  ['a TIFF that declares 200 bands', () => lie(tiff(), 277, 200), 'source/unreadable', /cannot be read/],
  ['two bands', () => tiff({ bands: 2 }), 'source/bad-raster', /has 2 bands, not 1, 3 or 4/],
  ['five bands', () => tiff({ bands: 5 }), 'source/bad-raster', /has 5 bands, not 1, 3 or 4/],
  [
    'bands of 16 bits that are not colours',
    () => tiff({ type: 'UInt16' }),
    'source/bad-raster',
    /are Gray, Undefined, Undefined, not Red, Green, Blue$/,
  ],
  [
    'complex colours',
    () => tiff({ type: 'CFloat32', options: ['PHOTOMETRIC=RGB'], value: null }),
    'source/bad-raster',
    /values of the raster are CFloat32/,
  ],
  [
    'complex values',
    () => tiff({ bands: 1, type: 'CFloat32', value: null }),
    'source/bad-raster',
    /values of the raster are CFloat32/,
  ],
  ['4 bits', () => tiff({ options: ['NBITS=4'] }), 'source/bad-raster', /have 4 bits, not 8/],
  [
    'bands that are not colours',
    () => tiff({ options: ['PHOTOMETRIC=MINISBLACK'] }),
    'source/bad-raster',
    /are Gray, Undefined, Undefined, not Red, Green, Blue$/,
  ],
  [
    'a fourth band that is not alpha',
    () => tiff({ bands: 4, options: ['ALPHA=NO'] }),
    'source/bad-raster',
    /are Red, Green, Blue, Undefined, not Red, Green, Blue, Alpha/,
  ],
  ['no reference system', () => tiff({ srs: null }), 'source/no-srs', /has no reference system/],
  ['no geotransform', () => tiff({ geoTransform: null }), 'source/bad-raster', /is not georeferenced/],
  [
    'a world file without a reference system',
    () =>
      makeZip([
        { name: 'a.tif', content: tiff({ srs: null, geoTransform: null }) },
        { name: 'a.tfw', content: '0.01\n0\n0\n-0.01\n10\n46\n' },
      ]),
    'source/no-srs',
    /has no reference system/,
  ],
  [
    'a world file with text',
    () =>
      makeZip([
        { name: 'a.tif', content: tiff({ geoTransform: null }) },
        { name: 'a.tfw', content: '0.01\n0\n0\n-0.01\nten\n46\n' },
      ]),
    'source/bad-raster',
    /the world file does not have six numbers/,
  ],
  [
    'pixels without an area',
    () => tiff({ geoTransform: [1, 0.5, 0.5, 1, 0.5, 0.5] }),
    'source/bad-raster',
    /invalid geotransform/,
  ],
  [
    'latitudes beyond the pole',
    () => tiff({ geoTransform: [10, 0.01, 0, 460, 0, -0.01] }),
    'source/bad-raster',
    /at 85\.05 degrees/,
  ],
  [
    'a pole',
    () => tiff({ width: 100, height: 100, srs: 3413, geoTransform: [-1e5, 2000, 0, 1e5, 0, -2000] }),
    'source/bad-raster',
    /cannot be projected to EPSG:3857/,
  ],
  [
    '100000 × 100000 pixels',
    () =>
      tiff({
        width: 100_000,
        height: 100_000,
        value: null,
        options: ['SPARSE_OK=TRUE', 'TILED=YES', 'BIGTIFF=YES'],
      }),
    'source/bad-raster',
    /has 100000 × 100000 pixels of 3 bytes, 30000000000 bytes; the limit is 17179869184/,
  ],
  [
    'an implausible compression ratio',
    () => tiff({ width: 50_000, height: 50_000, value: null, options: ['SPARSE_OK=TRUE', 'TILED=YES'] }),
    'source/bad-raster',
    /would unpack from \d+ to 7500000000 bytes/,
  ],
  [
    'an implausible compression ratio of a raster of 192 MB',
    () => {
      const options = ['SPARSE_OK=TRUE', 'TILED=YES', 'BLOCKXSIZE=4096', 'BLOCKYSIZE=4096']
      return tiff({ width: 8000, height: 8000, value: null, options })
    },
    'source/bad-raster',
    /would unpack from \d+ to 192000000 bytes/,
  ],
  [
    'blocks that are too large',
    () =>
      tiff({
        width: 10_000,
        height: 10_000,
        value: null,
        options: ['SPARSE_OK=TRUE', 'TILED=YES', 'BLOCKXSIZE=10000', 'BLOCKYSIZE=10000'],
      }),
    'source/bad-raster',
    /has blocks of 10000 × 10000 pixels/,
  ],
  [
    'an archive without a raster',
    () => makeZip([{ name: 'a.txt', content: 'x' }]),
    'source/unreadable',
    /no GeoTIFF/,
  ],
  ['an archive of two rasters', twoRasters, 'source/bad-raster', /2 rasters: a\/a\.tiff, b\.tif/],
  [
    'an archive whose raster is a VRT',
    () => makeZip([{ name: 'a.tif', content: vrt('b.tif') }]),
    'source/unreadable',
    /"a\.tif" is not a TIFF file/,
  ],
  [
    'an archive with a path outside of its folder',
    () => makeZip([{ name: '../../a.tif', content: tiff() }]),
    'source/unreadable',
    /invalid relative path/,
  ],
  [
    'an archive with a link',
    () => makeZip([{ name: 'a.tif', content: '/etc/passwd', mode: 0o120777 }]),
    'source/unreadable',
    /is a link/,
  ],
])('rejects %s', async (_, make, code, message) => {
  const failure = await convertRaster('a.tif', make()).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code, message: expect.stringMatching(message) })
  expect((failure as Error).message).not.toContain('landform-raster-')
})

test('a raster that refers to other files or URLs is rejected without opening them', async () => {
  const { address, requests, close } = await openTrap()
  const folder = await mkdtemp(join(tmpdir(), 'landform-raster-'))
  writeFileSync(join(folder, 'a.vrt'), vrt(`/vsicurl/${address}/pixels.tif`))
  for (const far of [`/vsicurl/${address}/overviews.tif`, join(folder, 'a.vrt'), `${address}/a.tif`]) {
    const content = tiff({ metadata: { OVERVIEWS: { OVERVIEW_FILE: far } } })
    await expect(convertRaster('a.tif', content)).rejects.toMatchObject({
      code: 'source/bad-raster',
      message: expect.stringContaining('refers to another file'),
    })
  }
  await rm(folder, { recursive: true })
  close()
  expect(requests).toEqual([])
})

test('metadata of the source is not copied', async () => {
  const { content } = await read({ metadata: { '': { AUTHOR: 'me' } } })
  expect(JSON.stringify(inspectRaster(content, ({ metadata }) => metadata))).not.toContain('me"')
})

test('a conversion that takes too long is stopped', async () => {
  // No process starts in a millisecond.
  await expect(convertRaster('a.tif', makeRaster(), { options: { longestMs: 1 } })).rejects.toMatchObject({
    code: 'gdal/failed',
    message: expect.stringContaining('was stopped'),
  })
})
