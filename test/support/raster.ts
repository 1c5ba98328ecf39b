import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Dataset } from 'gdal-async'
import type { RasterFacts } from '../../src/contract/raster.ts'
import type { RasterJob } from '../../src/gdal/raster/raster_job.ts'
import { readRaster } from '../../src/gdal/raster/read_raster.ts'
import { loadGdal } from '../../src/gdal/runner/gdal_module.ts'
import type { RunOptions } from '../../src/gdal/runner/run.ts'

/** What a picture for a test is like. */
export interface Picture {
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
  /** Value of a pixel; no pixel is written where null. */
  readonly value?: ((band: number, column: number, row: number) => number) | null
  readonly noData?: number
  /** Whether there is anything at a pixel, told in a mask beside the bands. */
  readonly mask?: (column: number, row: number) => boolean
  /** More that is to be said in the file, by domain. */
  readonly metadata?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** A picture of a place in the north of Italy, in degrees. */
const plain = {
  width: 40,
  height: 30,
  bands: 3,
  type: 'Byte',
  srs: 4326 as number | null,
  geoTransform: [10, 0.01, 0, 46, 0, -0.01] as readonly number[] | null,
  options: [] as readonly string[],
  value: ((band, column, row) => (band * 60 + column * 3 + row * 5) % 256) as Picture['value'],
}

let made = 0

/** Makes a GeoTIFF. */
export function makePicture(picture: Picture = {}): Buffer {
  const gdal = loadGdal()
  const { width, height, bands, type, srs, geoTransform, options, value } = { ...plain, ...picture }
  made += 1
  const path = `/vsimem/made-${made}.tif`
  const dataset = gdal.open(path, 'w', 'GTiff', width, height, bands, type, [...options])
  if (srs !== null) dataset.srs = gdal.SpatialReference.fromEPSG(srs)
  if (geoTransform !== null) dataset.geoTransform = [...geoTransform]
  for (const [domain, items] of Object.entries(picture.metadata ?? {})) dataset.setMetadata(items, domain)
  for (let number = 1; number <= bands; number += 1) {
    const band = dataset.bands.get(number)
    if (picture.noData !== undefined) band.noDataValue = picture.noData
    if (value === null || value === undefined) continue
    const pixels = Uint8Array.from({ length: width * height }, (_, at) =>
      value(number, at % width, Math.floor(at / width)),
    )
    band.pixels.write(0, 0, width, height, pixels)
  }
  if (picture.mask !== undefined) writeMask(dataset, picture.mask)
  dataset.close()
  return gdal.vsimem.release(path)
}

/** One mask for all bands. @see GDAL RFC 15 */
const perDataset = 2

function writeMask(dataset: Dataset, mask: NonNullable<Picture['mask']>): void {
  loadGdal().config.set('GDAL_TIFF_INTERNAL_MASK', 'YES')
  const { x: width, y: height } = dataset.rasterSize
  const band = dataset.bands.get(1)
  band.createMaskBand(perDataset)
  const values = Uint8Array.from({ length: width * height }, (_, at) =>
    mask(at % width, Math.floor(at / width)) ? 255 : 0,
  )
  band.getMaskBand()?.pixels.write(0, 0, width, height, values)
}

/** What a stored picture is like. */
export interface StoredPicture {
  readonly width: number
  readonly height: number
  readonly srs: string
  readonly colors: readonly (string | null)[]
  readonly overviews: readonly number[]
  readonly blockSize: { readonly x: number; readonly y: number } | null
  readonly structure: Readonly<Record<string, string>>
  readonly metadata: unknown
  /** Gives the values of all bands of a pixel. */
  pixel(column: number, row: number): number[]
}

/** Opens a GeoTIFF for a while. */
export function readPicture<T>(content: Uint8Array, look: (picture: StoredPicture) => T): T {
  const gdal = loadGdal()
  made += 1
  const path = `/vsimem/read-${made}.tif`
  gdal.vsimem.set(Buffer.from(content), path)
  const dataset = gdal.open(path, 'r', 'GTiff')
  try {
    return look(describe(dataset))
  } finally {
    dataset.close()
    gdal.vsimem.release(path)
  }
}

function describe(dataset: Dataset): StoredPicture {
  const bands = [...dataset.bands]
  const [first] = bands
  if (first === undefined) throw new Error('a picture without bands')
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
  }
}

/** A picture as GDAL has read it. */
export interface ReadPicture {
  readonly facts: RasterFacts
  readonly content: Buffer
}

/** Reads a picture in a folder that is gone afterwards. */
export async function readPictureAs(
  name: string,
  content: Uint8Array | string,
  { options = {}, ...more }: Partial<RasterJob> & { readonly options?: RunOptions } = {},
): Promise<ReadPicture> {
  const folder = await mkdtemp(join(tmpdir(), 'landform-raster-'))
  try {
    // As the store of files does: a name that says nothing.
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
