import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadGdal } from '../../../src/gdal/runner/gdal_module.ts'
import { findLevel, openCog } from '../../../src/render/cog/cog_file.ts'
import { TiffFault } from '../../../src/render/cog/tiff_directory.ts'
import { makeRaster, type TestRaster } from '../../support/raster.ts'

const folder = mkdtempSync(join(tmpdir(), 'landform-cog-'))
afterAll(() => rmSync(folder, { recursive: true }))

let count = 0

/** Writes a raster as rasters are stored. */
function store(raster: TestRaster, options: Record<string, string> = {}): string {
  const gdal = loadGdal()
  count += 1
  const source = `/vsimem/source-${count}.tif`
  gdal.vsimem.set(makeRaster(raster), source)
  const path = join(folder, `${count}.tif`)
  const fixed = { COMPRESS: 'DEFLATE', PREDICTOR: 'YES', BLOCKSIZE: '256' }
  const dataset = gdal.open(source)
  gdal.drivers
    .get('COG')
    .createCopy(path, dataset, { ...fixed, ...options })
    .close()
  dataset.close()
  gdal.vsimem.release(source)
  return path
}

test.each<[string, number]>([
  ['Byte', 3],
  ['UInt16', 300],
  ['Int16', -30],
  ['UInt32', 70_000],
  ['Int32', -70_000],
  ['Float32', 0.125],
  ['Float64', 1e-12],
])('values are read as GDAL has written them: %s', (type, factor) => {
  const value = (band: number, column: number, row: number) =>
    ((band * 5 + column * 7 + row * 3) % 60) * factor
  // Pixels of the upper left and of the lower right tile.
  const pixels = [
    { index: 0, left: 0, top: 0, x: 0, y: 0 },
    { index: 0, left: 0, top: 0, x: 40, y: 9 },
    { index: 3, left: 256, top: 256, x: 40, y: 9 },
  ]
  for (const bands of [1, 2, 4]) {
    const file = openCog(
      store({ type, bands, width: 300, height: 270, value, options: ['PHOTOMETRIC=MINISBLACK'] }),
    )
    const [level] = file.levels
    if (level === undefined) throw new Error('no level')
    expect([level.width, level.height, level.samples]).toEqual([300, 270, bands])
    for (const { index, left, top, x, y } of pixels) {
      const at = (y * 256 + x) * bands
      const expected = Array.from({ length: bands }, (_, band) => 0 + value(band + 1, left + x, top + y))
      expect([...(file.readTile(level, index)?.subarray(at, at + bands) ?? [])]).toEqual(expected)
    }
    file.close()
  }
})

test('overviews are levels, of which the smallest with all details is chosen', () => {
  for (const options of [{}, { BIGTIFF: 'YES' }]) {
    const file = openCog(store({ width: 1100, height: 900 }, options))
    expect(file.levels.map(({ width }) => width)).toEqual([1100, 550, 275, 137].slice(0, file.levels.length))
    const widths = [0.1, 1, 1.5, 1.7, 2, 3, 4.1].map((factor) => findLevel(file, factor).width)
    expect(widths).toEqual([1100, 1100, 1100, 550, 550, 550, 275])
    file.close()
  }
})

test('tiles without content are empty', () => {
  const file = openCog(store({ width: 600, height: 600, value: null }, { SPARSE_OK: 'TRUE' }))
  const [level] = file.levels
  expect(level && file.readTile(level, 4)).toBeUndefined()
  file.close()
})

test.each([
  ['text', () => Buffer.from('this is not a TIFF file at all')],
  ['a big-endian file', () => makeRaster({ options: ['ENDIANNESS=BIG'] })],
  ['strips', () => makeRaster()],
  [
    'a file that ends early',
    () => makeRaster({ options: ['TILED=YES', 'COMPRESS=DEFLATE'] }).subarray(0, 50),
  ],
])('another file is refused: %s', (_, make) => {
  count += 1
  const path = join(folder, `${count}.tif`)
  writeFileSync(path, make())
  expect(() => openCog(path)).toThrow(TiffFault)
})
