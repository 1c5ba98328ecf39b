import type { Dataset } from 'gdal-async'
import type { Bbox } from '../../geo/bbox.ts'
import { mercatorHalfWorld as edge, mercatorMaxLatitude } from '../../geo/mercator.ts'
import type { GdalModule } from '../runner/gdal_module.ts'
import { badRaster } from './raster_fault.ts'

/** Pixel grid of the converted raster, and its source. */
export interface RasterGrid {
  readonly source: Dataset
  readonly box: Bbox
  readonly xsize: number
  readonly ysize: number
}

/**
 * Plans the grid of a raster in web mercator, with about the same number of pixels; a raster in web mercator keeps its
 * grid. Cuts off what lies beyond the latitudes of web mercator.
 *
 * @throws {Problem} source/bad-raster if it cannot be projected
 */
export function planGrid(gdal: GdalModule, dataset: Dataset): RasterGrid {
  const target = gdal.SpatialReference.fromEPSG(3857)
  const { srs } = dataset
  if (srs === null) throw new TypeError('the reference system was checked before')
  const existing = srs.isSame(target) ? findExistingGrid(dataset) : undefined
  if (existing !== undefined) return existing
  const source = srs.isGeographic() ? cutPoles(gdal, dataset) : dataset
  const { rasterSize, geoTransform } = suggest(() =>
    gdal.suggestedWarpOutput({ src: source, s_srs: srs, t_srs: target }),
  )
  const [left = 0, step = 0, , top = 0] = geoTransform
  const { x: columns, y: rows } = rasterSize
  const found: Bbox = [left, top - rows * step, left + columns * step, top]
  const margin = 2 * step
  if (!found.every((one) => Number.isFinite(one) && Math.abs(one) <= edge + margin) || !(step > 0))
    throw badRaster(
      'the raster cannot be projected to EPSG:3857: it extends beyond the latitudes or longitudes of EPSG:3857',
      'Clip it to latitudes between -85.05 and 85.05 with gdalwarp -te.',
    )
  if (step > coarsest * findStep(gdal, source))
    throw badRaster(
      'the raster cannot be projected to EPSG:3857: it crosses the antimeridian, at 180 degrees',
      'Split it at the antimeridian into two rasters.',
    )
  const box = found.map((one) => snap(one, step)) as unknown as Bbox
  const [minX, minY, maxX, maxY] = box
  const xsize = Math.max(1, Math.round((maxX - minX) / step))
  const ysize = Math.max(1, Math.round((maxY - minY) / step))
  return { source, box, xsize, ysize }
}

/** Snaps a coordinate within a pixel of the edge of the world to the edge, since GDAL counts whole pixels. */
const snap = (one: number, step: number) => (Math.abs(one) > edge - step ? Math.sign(one) * edge : one)

/** Maximum ratio of the pixel size to that in the middle of the raster. A larger ratio means that the raster was split. */
const coarsest = 5

/** Measures the pixel size inside the raster in web mercator, in metres; infinite if no point can be projected. */
function findStep(gdal: GdalModule, { srs, rasterSize, geoTransform }: Dataset): number {
  const [left = 0, stepX = 0, turnX = 0, top = 0, turnY = 0, stepY = 0] = geoTransform ?? []
  if (srs === null) return Number.POSITIVE_INFINITY
  const to = new gdal.CoordinateTransformation(srs, gdal.SpatialReference.fromEPSG(3857))
  const place = (column: number, row: number) =>
    to.transformPoint(left + column * stepX + row * turnX, top + column * turnY + row * stepY)
  const steps = [0.5, 0.3, 0.7].flatMap((part) => {
    const { x, y } = { x: rasterSize.x * part, y: rasterSize.y * part }
    try {
      const [here, beside] = [place(x, y), place(x + 1, y + 1)]
      const apart = Math.abs(beside.x - here.x)
      return Math.hypot(Math.min(apart, 2 * edge - apart), beside.y - here.y) / Math.SQRT2
    } catch {
      // Points beyond 180 degrees may fail.
      return []
    }
  })
  return steps[0] ?? Number.POSITIVE_INFINITY
}

/** Returns the grid of a raster in web mercator if it is north up. */
function findExistingGrid(source: Dataset): RasterGrid | undefined {
  const [left = 0, stepX = 0, turnX, top = 0, turnY, stepY = 0] = source.geoTransform ?? []
  const { x: xsize, y: ysize } = source.rasterSize
  if (turnX !== 0 || turnY !== 0 || stepX <= 0 || stepY >= 0) return undefined
  const box: Bbox = [left, top + ysize * stepY, left + xsize * stepX, top]
  if (box.every((one) => Math.abs(one) <= edge * 1.000001)) return { source, box, xsize, ysize }
  throw badRaster('the raster is outside the extent of EPSG:3857')
}

/** Clips a raster in degrees to the latitudes of web mercator. */
function cutPoles(gdal: GdalModule, dataset: Dataset): Dataset {
  const [, , turnX, top = 0, turnY, stepY = 0] = dataset.geoTransform ?? []
  if (turnX !== 0 || turnY !== 0) return dataset
  const { x, y } = dataset.rasterSize
  const rows = [mercatorMaxLatitude, -mercatorMaxLatitude]
    .map((latitude) => (latitude - top) / stepY)
    .sort((a, b) => a - b)
  const first = Math.max(0, Math.ceil(rows[0] ?? 0))
  const end = Math.min(y, Math.floor(rows[1] ?? y))
  if (first === 0 && end === y) return dataset
  if (end <= first)
    throw badRaster('the raster is beyond the latitudes of EPSG:3857, which ends at 85.05 degrees')
  const window = [0, first, x, end - first].map(String)
  return gdal.translate('', dataset, ['-of', 'VRT', '-srcwin', ...window])
}

function suggest<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw badRaster(`the raster cannot be projected to EPSG:3857: ${reason}`)
  }
}
