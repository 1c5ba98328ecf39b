import type { Dataset, SpatialReference } from 'gdal-async'
import type { Bbox } from '../../geo/bbox.ts'
import { mercatorHalfWorld as edge, mercatorMaxLatitude, mercatorOfLonLat } from '../../geo/mercator.ts'
import type { GdalModule } from '../runner/gdal_module.ts'
import { measureExtent, type RasterExtent } from './raster_extent.ts'
import { badRaster } from './raster_fault.ts'

/** Pixel grid of the converted raster, and its source. */
export interface RasterGrid {
  readonly source: Dataset
  /** Reference system of the grid: EPSG:3857, or for rasters across the antimeridian the same with its centre there. */
  readonly target: string
  /** Distance of its centre from that of EPSG:3857. */
  readonly shift: number
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
  const { srs } = dataset
  if (srs === null) throw new TypeError('the reference system was checked before')
  const existing = srs.isSame(gdal.SpatialReference.fromEPSG(3857)) ? findExistingGrid(dataset) : undefined
  if (existing !== undefined) return existing
  const source = srs.isGeographic() ? cutPoles(gdal, dataset) : dataset
  const extent = measureExtent(gdal, source)
  if (extent === null)
    throw badRaster(
      'the raster cannot be projected to EPSG:3857: it is beyond its latitudes, which end at 85.05 degrees',
    )
  // A raster across the antimeridian is torn to both ends of the world, unless its centre is there.
  const found =
    (crossesAntimeridian(source) ? undefined : findGrid(gdal, source, worlds.atPrimeMeridian)) ??
    findGrid(gdal, source, worlds.atAntimeridian)
  if (extent !== undefined) return coverExtent(source, extent, found)
  return found ?? throwUnplaced()
}

/** Reports whether a raster in degrees lies on both sides of the antimeridian, without covering the world. */
function crossesAntimeridian({ srs, geoTransform, rasterSize }: Dataset): boolean {
  const [left = 0, stepX = 0, turnX] = geoTransform ?? []
  const width = rasterSize.x * stepX
  if (srs?.isGeographic() !== true || turnX !== 0 || width >= wholeDegrees) return false
  return [-180, 180].some((edge) => left < edge && left + width > edge)
}

function throwUnplaced(): never {
  throw badRaster('the raster cannot be projected to EPSG:3857: none of its pixels has a place there')
}

/** Web mercator, with its centre at a meridian. */
interface World {
  readonly target: string
  readonly shift: number
}

const worlds = {
  atPrimeMeridian: { target: 'EPSG:3857', shift: 0 },
  atAntimeridian: { target: '+proj=merc +a=6378137 +b=6378137 +lon_0=180 +units=m +no_defs', shift: edge },
} as const

/** Plans the grid that GDAL suggests with a centre; undefined if it cannot, or if the raster is torn. */
function findGrid(gdal: GdalModule, source: Dataset, world: World): RasterGrid | undefined {
  const suggested = suggest(() => {
    const t_srs = gdal.SpatialReference.fromUserInput(world.target)
    return gdal.suggestedWarpOutput({ src: source, s_srs: source.srs as SpatialReference, t_srs })
  })
  if (suggested === undefined) return undefined
  const { rasterSize, geoTransform } = suggested
  const [left = 0, step = 0, , top = 0] = geoTransform
  const { x: columns, y: rows } = rasterSize
  const found: Bbox = [left, top - rows * step, left + columns * step, top]
  const margin = 2 * step
  const isInWorld = found.every((one) => Number.isFinite(one) && Math.abs(one) <= edge + margin)
  if (!isInWorld || !(step > 0) || step > coarsest * findStep(gdal, source)) return undefined
  return gridOf(source, world, { box: found, step })
}

interface PixelBox {
  readonly box: Bbox
  readonly step: number
}

function gridOf(source: Dataset, { target, shift }: World, { box: found, step }: PixelBox): RasterGrid {
  const box = found.map((one) => snap(one, step)) as unknown as Bbox
  const [minX, minY, maxX, maxY] = box
  const xsize = Math.max(1, Math.round((maxX - minX) / step))
  const ysize = Math.max(1, Math.round((maxY - minY) / step))
  return { source, target, shift, box, xsize, ysize }
}

/** Maximum ratio of the number of pixels to that of the raster. */
const mostPixels = 25

/**
 * Returns the grid that GDAL suggests if it covers the extent of the raster: around a pole, and beyond 180 degrees, it does not.
 * Otherwise returns one that does.
 */
function coverExtent(source: Dataset, extent: RasterExtent, found: RasterGrid | undefined): RasterGrid {
  const world = found ?? findWorld(extent)
  const { x, y } = source.rasterSize
  const box = boxOf(extent, world)
  const [minX, minY, maxX, maxY] = box
  if (found === undefined || found.xsize * found.ysize > mostPixels * x * y) {
    const step = Math.sqrt(((maxX - minX) * (maxY - minY)) / (x * y))
    if (!(step > 0)) throwUnplaced()
    return gridOf(source, world, { box: padded(box, step), step })
  }
  const step = (found.box[2] - found.box[0]) / found.xsize
  const tolerance = 2 * step
  const [left, bottom, right, top] = found.box
  const covers =
    left <= minX + tolerance &&
    bottom <= minY + tolerance &&
    right >= maxX - tolerance &&
    top >= maxY - tolerance
  if (covers) return found
  const [padLeft, padBottom, padRight, padTop] = padded(box, step)
  const union: Bbox = [
    Math.min(left, padLeft),
    Math.min(bottom, padBottom),
    Math.max(right, padRight),
    Math.max(top, padTop),
  ]
  return gridOf(source, world, { box: union, step })
}

/** Extends a box by a pixel, within the world: extreme points may lie between those that were measured. */
function padded([minX, minY, maxX, maxY]: Bbox, step: number): Bbox {
  const clamp = (one: number) => Math.max(-edge, Math.min(edge, one))
  return [clamp(minX - step), clamp(minY - step), clamp(maxX + step), clamp(maxY + step)]
}

/** Width in degrees from which a raster covers the world. */
const wholeDegrees = 350

function findWorld({ west, east }: RasterExtent): World {
  const start = west - 360 * Math.floor((west + 180) / 360)
  const end = start + east - west
  return end > 180 && end <= 360 && start >= 0 ? worlds.atAntimeridian : worlds.atPrimeMeridian
}

/** Returns an extent in the metres of a world: all of its width if the extent does not fit beside its edges. */
function boxOf({ west, south, east, north }: RasterExtent, { shift }: Pick<World, 'shift'>): Bbox {
  const centre = (shift / edge) * 180
  const turn = 360 * Math.round(((west + east) / 2 - centre) / 360)
  const [left, right] = [west - centre - turn, east - centre - turn]
  const isWhole = east - west >= wholeDegrees || left < -180 || right > 180
  const [minX, minY] = mercatorOfLonLat(isWhole ? -180 : left, south)
  const [maxX, maxY] = mercatorOfLonLat(isWhole ? 180 : right, north)
  return [minX, minY, maxX, maxY]
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
  if (box.every((one) => Math.abs(one) <= edge * 1.000001))
    return { source, ...worlds.atPrimeMeridian, box, xsize, ysize }
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

function suggest<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    // Such as a raster of which no point of the edges can be projected.
    return undefined
  }
}
