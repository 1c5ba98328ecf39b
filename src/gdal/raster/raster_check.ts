import { statSync } from 'node:fs'
import type { Dataset } from 'gdal-async'
import { problem } from '../../contract/problems.ts'
import { countOf } from '../../core/count.ts'
import { nameSource } from '../sources/source_name.ts'
import { badRaster } from './raster_fault.ts'
import type { RasterJob } from './raster_job.ts'

/** Maximum size of a block with all bands; GDAL keeps several blocks in memory. */
const blockLimitBytes = 256 << 20

/**
 * Maximum compression ratios, beyond those of any real raster, by the uncompressed size in bytes from which they count: masks of one
 * value are packed to a thousandth.
 */
const ratioLimits = [
  { aboveBytes: 100_000_000, ratio: 2000 },
  { aboveBytes: 1 << 30, ratio: 1100 },
] as const

/**
 * Checks the metadata of a GeoTIFF before its pixels are read.
 *
 * @throws {Problem} source/bad-raster, source/no-srs
 */
export function checkRaster(dataset: Dataset, job: RasterJob): RasterKind {
  const kind = findKind(dataset)
  checkSize(dataset, job)
  checkContents(dataset)
  return kind
}

/** What a raster has: red, green, blue and perhaps alpha; indexes of colours; or values, and perhaps alpha. */
export type RasterKind = 'colors' | 'palette' | 'values'

/** Sizes of the data types that values may have, in bytes. */
const valueSizes: Readonly<Record<string, number>> = {
  ...{ Byte: 1, UInt16: 2, Int16: 2, UInt32: 4, Int32: 4, Float32: 4, Float64: 8 },
}

/** Returns the size of a value in bytes: that of the widest band. */
export function bytesOf({ bands }: Dataset): number {
  return Math.max(...[...bands].map(({ dataType }) => valueSizes[dataType ?? ''] ?? 8))
}

function findKind(dataset: Dataset): RasterKind {
  const [first, second] = [...dataset.bands]
  const count = dataset.bands.count()
  const hasAlpha = second?.colorInterpretation === 'Alpha'
  const isColored = first === undefined || count > 2 || (count === 2 && !hasAlpha)
  if (isColored) checkBands(dataset)
  checkTypes(dataset)
  checkBits(dataset)
  if (isColored) return 'colors'
  return first.colorInterpretation === 'Palette' && count === 1 ? 'palette' : 'values'
}

function checkTypes({ bands }: Dataset): void {
  const other = [...bands].find(({ dataType }) => valueSizes[dataType ?? ''] === undefined)
  if (other !== undefined)
    throw badRaster(
      `the values of the raster are ${other.dataType}`,
      `Convert them with gdal_translate -ot to one of ${Object.keys(valueSizes).join(', ')}.`,
    )
}

const expectedColors = ['Red', 'Green', 'Blue', 'Alpha']

function checkBands(dataset: Dataset): void {
  const bands = [...dataset.bands]
  const count = bands.length
  if (count !== 3 && count !== 4)
    throw badRaster(
      `the raster has ${countOf(count, 'band')}, not 1, 3 or 4`,
      'Select one or three bands with gdal_translate -b 1 -b 2 -b 3.',
    )
  const colors = bands.map(({ colorInterpretation }) => colorInterpretation ?? 'Undefined')
  if (colors.every((color, at) => color === expectedColors[at])) return
  throw badRaster(
    `the bands of the raster are ${colors.join(', ')}, not Red, Green, Blue${count === 4 ? ', Alpha' : ''}`,
    `Set them with gdal_translate -colorinterp red,green,blue${count === 4 ? ',alpha' : ''}.`,
  )
}

function checkBits({ bands }: Dataset): void {
  // Wider values may use fewer bits than their type has.
  const bits = [...bands]
    .filter(({ dataType }) => dataType === 'Byte')
    .map((band) => readMetadata(band.getMetadata('IMAGE_STRUCTURE'), 'NBITS'))
    .find(Boolean)
  // An index of a palette has any number of bits.
  if (bits !== undefined && bands.get(1).colorInterpretation !== 'Palette')
    throw badRaster(
      `the values of the raster have ${bits} bits, not 8`,
      'Convert them with gdal_translate -co NBITS=8.',
    )
}

function checkSize(dataset: Dataset, { pixelLimitBytes }: RasterJob): void {
  const { x, y } = dataset.rasterSize
  const count = dataset.bands.count()
  const bytes = checkPixels({ x, y, count: count * bytesOf(dataset), pixelLimitBytes })
  const block = dataset.bands.get(1).blockSize
  if (block !== null && block.x * block.y * count * bytesOf(dataset) > blockLimitBytes)
    throw badRaster(
      `the raster has blocks of ${block.x} × ${block.y} pixels, which are too large to read`,
      'Store it in tiles with gdal_translate -co TILED=YES.',
    )
  // The description is the path of the opened file, which differs from the job's for an archive.
  const fileBytes = statSync(dataset.description).size
  if (ratioLimits.some(({ aboveBytes, ratio }) => bytes > aboveBytes && bytes > fileBytes * ratio))
    throw badRaster(
      `the raster would unpack from ${fileBytes} to ${bytes} bytes, which is implausible`,
      'Cut out the part with values, or store fewer pixels.',
    )
}

/** Size of a raster in pixels and bytes, and its limit. */
interface Pixels {
  readonly x: number
  readonly y: number
  /** Bytes of a pixel. */
  readonly count: number
  readonly pixelLimitBytes: number
}

/**
 * Computes the uncompressed size of a raster in bytes.
 *
 * @throws {Problem} source/bad-raster if it exceeds the limit
 */
export function checkPixels({ x, y, count, pixelLimitBytes }: Pixels): number {
  const bytes = x * y * count
  if (bytes <= pixelLimitBytes) return bytes
  throw badRaster(
    `the raster has ${x} × ${y} pixels of ${count} bytes, ${bytes} bytes; the limit is ${pixelLimitBytes}`,
    'Split it into several rasters, or reduce its resolution.',
  )
}

function checkContents(dataset: Dataset): void {
  // GDAL would open any file or URL named here.
  if (readMetadata(dataset.getMetadata('OVERVIEWS'), 'OVERVIEW_FILE') !== undefined)
    throw badRaster('the raster refers to another file for its overviews')
  const others = Object.keys(dataset.getMetadata('SUBDATASETS') as object).filter((key) =>
    key.endsWith('_NAME'),
  )
  if (others.length > 1)
    throw badRaster(
      `the file has ${others.length} rasters`,
      'Upload each raster separately, one for each layer.',
    )
}

function readMetadata(metadata: unknown, name: string): string | undefined {
  const value = (metadata as Readonly<Record<string, unknown>> | null)?.[name]
  return value === undefined || value === '' ? undefined : String(value)
}

/**
 * Checks the place of a raster.
 *
 * @throws {Problem} source/bad-raster, source/no-srs
 */
export function checkGeoreference({ srs, geoTransform }: Dataset, { name }: RasterJob): void {
  if (srs === null || !(srs.isGeographic() || srs.isProjected()))
    throw problem('source/no-srs', `${nameSource(name)} has no reference system`, {
      hint: 'Add it to the file with gdal_translate -a_srs EPSG:…, or to its archive as a .prj file.',
    })
  if (geoTransform === null)
    throw badRaster(
      'the raster is not georeferenced',
      'Upload a ZIP archive with the file and its world file, such as a.tif and a.tfw, or georeference it with gdal_translate -a_ullr or -gcp.',
    )
  const [, byColumn = 0, byRow = 0, , byColumnY = 0, byRowY = 0] = geoTransform
  const area = byColumn * byRowY - byRow * byColumnY
  if (!geoTransform.every(Number.isFinite) || !Number.isFinite(area) || area === 0)
    throw badRaster(`the raster has an invalid geotransform: ${geoTransform.join(' ')}`)
}
