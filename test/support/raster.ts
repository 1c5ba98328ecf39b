import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Dataset } from 'gdal-async'
import type { RasterFacts } from '../../src/contract/bodies/raster.ts'
import type { RasterJob } from '../../src/gdal/raster/raster_job.ts'
import { readRaster } from '../../src/gdal/raster/read_raster.ts'
import { loadGdal } from '../../src/gdal/runner/gdal_module.ts'
import type { RunOptions } from '../../src/gdal/runner/run.ts'

/** A test raster. */
export interface TestRaster {
  readonly width?: number
  readonly height?: number
  readonly bands?: number
  readonly type?: string
  /** EPSG code; null for none. */
  readonly srs?: number | null
  /** Null for none. */
  readonly geoTransform?: readonly number[] | null
  /** Creation options of the GTiff driver. */
  readonly options?: readonly string[]
  /** Value of a pixel; null writes no pixels. */
  readonly value?: ((band: number, column: number, row: number) => number) | null
  readonly noData?: number
  /** Whether a pixel has data, written as a mask band. */
  readonly mask?: (column: number, row: number) => boolean
  /** Colours of the values, for a raster with one band. */
  readonly palette?: readonly (readonly [red: number, green: number, blue: number, alpha: number])[]
  /** Control points in EPSG:4326. */
  readonly controlPoints?: readonly {
    readonly pixel: number
    readonly line: number
    readonly x: number
    readonly y: number
  }[]
  /** Metadata items by domain. */
  readonly metadata?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** A raster in the north of Italy, in EPSG:4326. */
const defaults = {
  width: 40,
  height: 30,
  bands: 3,
  type: 'Byte',
  srs: 4326 as number | null,
  geoTransform: [10, 0.01, 0, 46, 0, -0.01] as readonly number[] | null,
  options: [] as readonly string[],
  value: ((band, column, row) => (band * 60 + column * 3 + row * 5) % 256) as TestRaster['value'],
}

let count = 0

/** Creates a GeoTIFF. */
export function makeRaster(raster: TestRaster = {}): Buffer {
  const gdal = loadGdal()
  const { width, height, bands, type, srs, geoTransform, options, value } = { ...defaults, ...raster }
  count += 1
  const path = `/vsimem/raster-${count}.tif`
  const dataset = gdal.open(path, 'w', 'GTiff', width, height, bands, type, [...options])
  if (srs !== null) dataset.srs = gdal.SpatialReference.fromEPSG(srs)
  if (geoTransform !== null) dataset.geoTransform = [...geoTransform]
  if (raster.controlPoints !== undefined) placeByPoints(dataset, raster.controlPoints)
  if (raster.palette !== undefined) setPalette(dataset, raster.palette)
  for (const [domain, items] of Object.entries(raster.metadata ?? {})) dataset.setMetadata(items, domain)
  for (let number = 1; number <= bands; number += 1) {
    const band = dataset.bands.get(number)
    if (raster.noData !== undefined) band.noDataValue = raster.noData
    if (value === null || value === undefined) continue
    const values = Array.from({ length: width * height }, (_, at) =>
      value(number, at % width, Math.floor(at / width)),
    )
    const pixels = type === 'Byte' ? Uint8Array.from(values) : Float64Array.from(values)
    band.pixels.write(0, 0, width, height, pixels)
  }
  if (raster.mask !== undefined) writeMask(dataset, raster.mask)
  dataset.close()
  return gdal.vsimem.release(path)
}

function placeByPoints(dataset: Dataset, points: NonNullable<TestRaster['controlPoints']>): void {
  const { SpatialReference } = loadGdal()
  const listed = points.map((point, at) => ({ pszId: String(at), pszInfo: '', dfGCPZ: 0, ...gcpOf(point) }))
  dataset.setGCPs(listed, SpatialReference.fromEPSG(4326).toWKT())
}

const gcpOf = ({ pixel, line, x, y }: NonNullable<TestRaster['controlPoints']>[number]) => ({
  dfGCPPixel: pixel,
  dfGCPLine: line,
  dfGCPX: x,
  dfGCPY: y,
})

function setPalette(dataset: Dataset, palette: NonNullable<TestRaster['palette']>): void {
  const { ColorTable } = loadGdal()
  const table = new ColorTable('RGB')
  for (const [at, [c1, c2, c3, c4]] of palette.entries()) table.set(at, { c1, c2, c3, c4 })
  dataset.bands.get(1).colorTable = table
}

/** One mask for all bands. @see GDAL RFC 15 */
const perDataset = 2

function writeMask(dataset: Dataset, mask: NonNullable<TestRaster['mask']>): void {
  loadGdal().config.set('GDAL_TIFF_INTERNAL_MASK', 'YES')
  const { x: width, y: height } = dataset.rasterSize
  const band = dataset.bands.get(1)
  band.createMaskBand(perDataset)
  const values = Uint8Array.from({ length: width * height }, (_, at) =>
    mask(at % width, Math.floor(at / width)) ? 255 : 0,
  )
  band.getMaskBand()?.pixels.write(0, 0, width, height, values)
}

/** Properties of a stored raster. */
export interface StoredRaster {
  readonly width: number
  readonly height: number
  readonly srs: string
  readonly colors: readonly (string | null)[]
  readonly overviews: readonly number[]
  readonly blockSize: { readonly x: number; readonly y: number } | null
  readonly structure: Readonly<Record<string, string>>
  readonly metadata: unknown
  /** Returns the values of all bands of a pixel. */
  pixel(column: number, row: number): number[]
  /** Returns the values of all bands of a pixel of an overview, from 0 for the largest. */
  overviewPixel(level: number, column: number, row: number): number[]
}

/** Opens a GeoTIFF for the duration of a callback. */
export function inspectRaster<T>(content: Uint8Array, inspect: (raster: StoredRaster) => T): T {
  const gdal = loadGdal()
  count += 1
  const path = `/vsimem/read-${count}.tif`
  gdal.vsimem.set(Buffer.from(content), path)
  const dataset = gdal.open(path, 'r', 'GTiff')
  try {
    return inspect(describe(dataset))
  } finally {
    dataset.close()
    gdal.vsimem.release(path)
  }
}

function describe(dataset: Dataset): StoredRaster {
  const bands = [...dataset.bands]
  const [first] = bands
  if (first === undefined) throw new Error('a raster without bands')
  return {
    width: dataset.rasterSize.x,
    height: dataset.rasterSize.y,
    srs: dataset.srs?.getAuthorityCode(null as unknown as string) ?? '',
    colors: bands.map(({ colorInterpretation }) => colorInterpretation),
    overviews: [...first.overviews].map(({ size }) => size.x),
    blockSize: first.blockSize,
    structure: dataset.getMetadata('IMAGE_STRUCTURE') as Record<string, string>,
    metadata: dataset.getMetadata(),
    pixel: (column, row) => bands.map((band) => band.pixels.get(column, row)),
    overviewPixel: (level, column, row) =>
      bands.map((band) => band.overviews.get(level).pixels.get(column, row)),
  }
}

/** Scales bands to 8 bits as `gdal_translate -scale` does. Returns the values of the bands of a pixel. */
export function scaleRaster(
  content: Uint8Array,
  ranges: readonly (readonly number[])[],
): (column: number, row: number) => number[] {
  const gdal = loadGdal()
  count += 1
  const path = `/vsimem/scale-${count}.tif`
  gdal.vsimem.set(Buffer.from(content), path)
  const dataset = gdal.open(path, 'r', 'GTiff')
  const scales = ranges.flatMap((range, at) => [`-scale_${at + 1}`, ...range.map(String), '0', '255'])
  const bands = ranges.flatMap((_, at) => ['-b', String(at + 1)])
  const scaled = gdal.translate('', dataset, ['-of', 'MEM', '-ot', 'Byte', ...bands, ...scales])
  const { x, y } = scaled.rasterSize
  const values = [...scaled.bands].map((band) => band.pixels.read(0, 0, x, y))
  scaled.close()
  dataset.close()
  gdal.vsimem.release(path)
  return (column, row) => values.map((band) => band[row * x + column] ?? 0)
}

/** A raster converted by GDAL. */
export interface ConvertedRaster {
  readonly facts: RasterFacts
  readonly content: Buffer
}

/** Converts a raster with a file name, in a temporary folder. */
export async function convertRaster(
  name: string,
  content: Uint8Array | string,
  { options = {}, ...more }: Partial<RasterJob> & { readonly options?: RunOptions } = {},
): Promise<ConvertedRaster> {
  const folder = await mkdtemp(join(tmpdir(), 'landform-raster-'))
  try {
    // Like a blob: the name does not reveal the format.
    const path = join(folder, 'blob')
    await writeFile(path, content)
    const limits = { unpackLimitBytes: 1 << 30, pixelLimitBytes: 2 ** 34 }
    const { facts, path: result } = await readRaster(
      { path, name, folder, srs: 3857, ...limits, ...more },
      options,
    )
    return { facts, content: await readFile(result) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
