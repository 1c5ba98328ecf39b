import { statSync } from 'node:fs'
import type { Dataset } from 'gdal-async'
import { problem } from '../../contract/problems.ts'
import { countOf } from '../../core/count.ts'
import { nameSource } from '../sources/source_name.ts'
import { badRaster } from './raster_fault.ts'
import type { RasterJob } from './raster_job.ts'

/** GDAL holds some blocks of a picture at a time, all bands of each. */
const blockLimitBytes = 256 << 20

/** No packing that pictures have gains more; smaller pictures are not worth a doubt. */
const ratioLimit = 1100
const smallBytes = 1 << 30

/**
 * Checks what a GeoTIFF says of itself, before a pixel is read.
 *
 * @throws {Problem} source/bad-raster, source/no-srs
 */
export function checkPicture(dataset: Dataset, job: RasterJob): void {
  checkBands(dataset)
  checkSize(dataset, job)
  checkContents(dataset)
  checkPlace(dataset, job)
}

const wantedColors = ['Red', 'Green', 'Blue', 'Alpha']

function checkBands(dataset: Dataset): void {
  const bands = [...dataset.bands]
  const count = bands.length
  if (count !== 3 && count !== 4)
    throw badRaster(
      `the picture has ${countOf(count, 'band')}, not 3 or 4`,
      'gdal_translate -expand rgb makes three bands of a palette, -b 1 -b 2 -b 3 takes three of many.',
    )
  const wide = bands.find(({ dataType }) => dataType !== 'Byte')
  if (wide !== undefined)
    throw badRaster(
      `the values of the picture are ${wide.dataType}, not 8 bits (Byte)`,
      'gdal_translate -ot Byte -scale brings them to 0 to 255.',
    )
  const bits = bands.map((band) => textOf(band.getMetadata('IMAGE_STRUCTURE'), 'NBITS')).find(Boolean)
  if (bits !== undefined) throw badRaster(`the values of the picture have ${bits} bits, not 8`)
  const colors = bands.map(({ colorInterpretation }) => colorInterpretation ?? 'Undefined')
  if (colors.every((color, at) => color === wantedColors[at])) return
  throw badRaster(
    `the bands of the picture are ${colors.join(', ')}, not Red, Green, Blue${count === 4 ? ', Alpha' : ''}`,
    `gdal_translate -colorinterp red,green,blue${count === 4 ? ',alpha' : ''} says what they are.`,
  )
}

function checkSize(dataset: Dataset, { pixelLimitBytes }: RasterJob): void {
  const { x, y } = dataset.rasterSize
  const count = dataset.bands.count()
  const bytes = checkPixels({ x, y, count, pixelLimitBytes })
  // Its description is the path it was opened by: in an archive, the job's is another.
  const fileBytes = statSync(dataset.description).size
  if (bytes > smallBytes && bytes > fileBytes * ratioLimit)
    throw badRaster(`the picture would unpack to ${bytes} bytes from ${fileBytes}, which no picture does`)
  const block = dataset.bands.get(1).blockSize
  if (block !== null && block.x * block.y * count > blockLimitBytes)
    throw badRaster(
      `the picture is stored in blocks of ${block.x} × ${block.y} pixels, too large to be read one by one`,
      'gdal_translate -co TILED=YES stores it in small ones.',
    )
}

/** How large a picture is. */
interface Pixels {
  readonly x: number
  readonly y: number
  readonly count: number
  readonly pixelLimitBytes: number
}

/**
 * Gives how many bytes the pixels of a picture have.
 *
 * @throws {Problem} source/bad-raster where they are too many
 */
export function checkPixels({ x, y, count, pixelLimitBytes }: Pixels): number {
  const bytes = x * y * count
  if (bytes <= pixelLimitBytes) return bytes
  throw badRaster(
    `the picture has ${x} × ${y} pixels in ${count} bands, ${bytes} bytes, more than ${pixelLimitBytes}`,
    'Cut it into several, or make its pixels larger.',
  )
}

function checkContents(dataset: Dataset): void {
  // GDAL would follow the name to any file or address.
  if (textOf(dataset.getMetadata('OVERVIEWS'), 'OVERVIEW_FILE') !== undefined)
    throw badRaster('the picture refers to another file for its overviews')
  const others = Object.keys(dataset.getMetadata('SUBDATASETS') as object).filter((key) =>
    key.endsWith('_NAME'),
  )
  if (others.length > 1)
    throw badRaster(`the file holds ${others.length} pictures`, 'Send each by itself, one for each layer.')
}

function textOf(metadata: unknown, name: string): string | undefined {
  const value = (metadata as Readonly<Record<string, unknown>> | null)?.[name]
  return value === undefined || value === '' ? undefined : String(value)
}

function checkPlace({ srs, geoTransform }: Dataset, { name }: RasterJob): void {
  if (srs === null || !(srs.isGeographic() || srs.isProjected()))
    throw problem('source/no-srs', `${nameSource(name)} does not say its reference system`, {
      hint: 'gdal_translate -a_srs EPSG:… writes it into the file.',
    })
  if (geoTransform === null)
    throw badRaster(
      'the picture does not say where it lies',
      'gdal_translate writes the place into the file: from a world file beside it, or from -a_ullr; with control points, gdalwarp.',
    )
  const [, byColumn = 0, byRow = 0, , byColumnY = 0, byRowY = 0] = geoTransform
  const area = byColumn * byRowY - byRow * byColumnY
  if (!geoTransform.every(Number.isFinite) || !Number.isFinite(area) || area === 0)
    throw badRaster(`the place of the picture is none: ${geoTransform.join(' ')}`)
}
