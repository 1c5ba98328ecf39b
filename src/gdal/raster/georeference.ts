import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import type { Dataset } from 'gdal-async'
import type { GdalModule } from '../runner/gdal_module.ts'
import { badRaster } from './raster_fault.ts'

/** Extensions of world files of TIFF. @see https://gdal.org/drivers/raster/wld.html */
const worldExtensions = ['.tfw', '.tifw', '.tiffw', '.wld']

/** Maximum size of a world file or a reference system. */
const maxSidecarBytes = 100_000

/**
 * Returns a raster with the place that its file gives it: its own; from control points; or from a world file, and a `.prj` file
 * for the reference system, beside it in its archive. Unchanged if there is none.
 *
 * @param path of the file in its archive, or of the upload
 * @throws {Problem} source/bad-raster for an unreadable world file or reference system
 */
export function georeference(gdal: GdalModule, dataset: Dataset, path: string): Dataset {
  if (dataset.geoTransform !== null) return withSrs(gdal, dataset, path)
  if (dataset.getGCPProjection() !== '')
    // In the reference system of the points, by a polynomial.
    return guard('the control points cannot be used', () =>
      gdal.warp('/vsimem/placed.vrt', null, [dataset], ['-of', 'VRT', '-r', 'near', ...alphaOption(dataset)]),
    )
  const world = readSidecar(path, worldExtensions)
  if (world === undefined) return dataset
  const geoTransform = parseWorldFile(world)
  const placed = gdal.translate('', dataset, ['-of', 'VRT'])
  placed.geoTransform = geoTransform
  return withSrs(gdal, placed, path)
}

// What control points leave empty is transparent.
const alphaOption = ({ bands }: Dataset) => ([2, 4].includes(bands.count()) ? [] : ['-dstalpha'])

function withSrs(gdal: GdalModule, dataset: Dataset, path: string): Dataset {
  if (dataset.srs !== null) return dataset
  const text = readSidecar(path, ['.prj'])
  if (text === undefined) return dataset
  if (text.trim() === '')
    throw badRaster('the .prj file is empty', 'Write the reference system into it, as WKT.')
  const srs = guard('the .prj file has no reference system', () => gdal.SpatialReference.fromWKT(text.trim()))
  const placed = gdal.translate('', dataset, ['-of', 'VRT'])
  if (dataset.geoTransform !== null) placed.geoTransform = dataset.geoTransform
  placed.srs = srs
  return placed
}

function guard<T>(what: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw badRaster(`${what}: ${error instanceof Error ? error.message : error}`)
  }
}

/** Reads a file with the name of the raster and one of some extensions, in either case. */
function readSidecar(path: string, extensions: readonly string[]): string | undefined {
  const stem = join(dirname(path), basename(path, extname(path)))
  const names = extensions.flatMap((one) => [one, one.toUpperCase()]).map((one) => stem + one)
  const found = names.find((name) => existsSync(name))
  if (found === undefined || statSync(found).size > maxSidecarBytes) return undefined
  return readFileSync(found, 'latin1')
}

/**
 * Parses a world file into a geotransform: it has the steps of x and y by column, of x and y by row, and the centre of the first
 * pixel.
 *
 * @throws {Problem} source/bad-raster
 */
function parseWorldFile(text: string): number[] {
  const numbers = text
    .trim()
    .split(/\s+/)
    .map((part) => Number(part.replace(',', '.')))
  const [xByColumn = 0, yByColumn = 0, xByRow = 0, yByRow = 0, x = 0, y = 0] = numbers
  if (numbers.length < 6 || !numbers.slice(0, 6).every(Number.isFinite))
    throw badRaster('the world file does not have six numbers')
  return [x - (xByColumn + xByRow) / 2, xByColumn, xByRow, y - (yByColumn + yByRow) / 2, yByColumn, yByRow]
}
