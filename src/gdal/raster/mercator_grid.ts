import type { Dataset } from 'gdal-async'
import type { Bbox } from '../../geo/bbox.ts'
import { mercatorHalfWorld as edge, mercatorMaxLatitude } from '../../geo/mercator.ts'
import type { GdalModule } from '../runner/gdal_module.ts'
import { badRaster } from './raster_fault.ts'

/** The pixels a picture is to have, and the picture they are made of. */
export interface RasterGrid {
  readonly source: Dataset
  readonly box: Bbox
  readonly xsize: number
  readonly ysize: number
}

/**
 * Finds the pixels that a picture has in web mercator: as many as before, those of a picture that is in it already as
 * they are. What lies beyond the latitudes where web mercator ends is cut off.
 *
 * @throws {Problem} source/bad-raster where it cannot be projected
 */
export function planGrid(gdal: GdalModule, dataset: Dataset): RasterGrid {
  const target = gdal.SpatialReference.fromEPSG(3857)
  const { srs } = dataset
  if (srs === null) throw new TypeError('the reference system was checked before')
  const standing = srs.isSame(target) ? findOwnGrid(dataset) : undefined
  if (standing !== undefined) return standing
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
      'the picture cannot be projected to EPSG:3857: it reaches over the latitudes or longitudes where that ends',
      'gdalwarp -te cuts it to latitudes between -85.05 and 85.05.',
    )
  if (step > coarsest * findStep(gdal, source))
    throw badRaster(
      'the picture cannot be projected to EPSG:3857: it reaches over the edge of that world, at 180 degrees',
      'Cut it there into two, one for each side.',
    )
  const box = found.map((one) => snap(one, step)) as unknown as Bbox
  const [minX, minY, maxX, maxY] = box
  const xsize = Math.max(1, Math.round((maxX - minX) / step))
  const ysize = Math.max(1, Math.round((maxY - minY) / step))
  return { source, box, xsize, ysize }
}

/** What is within a pixel of the edge of the world, GDAL having counted whole pixels, is at the edge. */
const snap = (one: number, step: number) => (Math.abs(one) > edge - step ? Math.sign(one) * edge : one)

/** How much larger pixels may become than those in the middle are. Where more is asked, the picture was torn apart. */
const coarsest = 5

/** Finds how large pixels from the inside are in web mercator, in metres; infinite where nobody can tell. */
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
      // Beyond 180 degrees there may be nothing to go to.
      return []
    }
  })
  return steps[0] ?? Number.POSITIVE_INFINITY
}

/** The grid of a picture that lies north up; it is taken as it is. */
function findOwnGrid(source: Dataset): RasterGrid | undefined {
  const [left = 0, stepX = 0, turnX, top = 0, turnY, stepY = 0] = source.geoTransform ?? []
  const { x: xsize, y: ysize } = source.rasterSize
  if (turnX !== 0 || turnY !== 0 || stepX <= 0 || stepY >= 0) return undefined
  const box: Bbox = [left, top + ysize * stepY, left + xsize * stepX, top]
  if (box.every((one) => Math.abs(one) <= edge * 1.000001)) return { source, box, xsize, ysize }
  throw badRaster('the picture lies outside of the world of EPSG:3857')
}

/** Leaves out the rows of a picture in degrees that web mercator has no place for. */
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
  if (end <= first) throw badRaster('the picture lies where EPSG:3857 has ended, at 85.05 degrees')
  const window = [0, first, x, end - first].map(String)
  return gdal.translate('', dataset, ['-of', 'VRT', '-srcwin', ...window])
}

function suggest<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw badRaster(`the picture cannot be projected to EPSG:3857: ${reason}`)
  }
}
