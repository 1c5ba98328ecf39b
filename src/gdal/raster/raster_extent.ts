import type { CoordinateTransformation, Dataset } from 'gdal-async'
import { mercatorMaxLatitude } from '../../geo/mercator.ts'
import type { GdalModule } from '../runner/gdal_module.ts'

/** Extent of a raster in degrees, continuous across the antimeridian, and within the latitudes of web mercator. */
export interface RasterExtent {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

/** Number of parts that each side of a raster is divided into. */
const parts = 64

/** Difference of longitudes of neighbours from which the way around the world is not known, next to a pole. */
const unknownWay = 120

const wholeWorld = { west: -180, east: 180 } as const

type Point = readonly [lon: number, lat: number]

/**
 * Measures the extent of a raster at points of its edges and its inside, and whether it surrounds a pole. Points that have no
 * place in degrees are left out. Null if the raster is beyond the latitudes of web mercator; undefined if no point has a place.
 */
export function measureExtent(gdal: GdalModule, dataset: Dataset): RasterExtent | null | undefined {
  const { srs, geoTransform } = dataset
  if (srs === null || geoTransform === null) return undefined
  const degrees = gdal.SpatialReference.fromUserInput('+proj=longlat +datum=WGS84 +no_defs')
  const toPixel = new gdal.CoordinateTransformation(degrees, dataset)
  const rows = findRows(dataset, new gdal.CoordinateTransformation(srs, degrees), toPixel)
  const found = rows.flat().filter((point) => point !== undefined)
  if (found.length === 0) return undefined
  const shown = found.filter(([, lat]) => Math.abs(lat) <= mercatorMaxLatitude)
  const latitudes = found.map(([, lat]) => clampLatitude(lat))
  const poles = srs.isGeographic() ? [] : [90, -90].filter((pole) => surroundsPole(dataset, toPixel, pole))
  const [south, north] = rangeOf([...latitudes, ...poles.map(clampLatitude)])
  if (shown.length === 0 && south === north) return null
  if (poles.length > 0) return { ...wholeWorld, south, north }
  const longitudes = unwrapLongitudes(rows)
  if (longitudes === undefined) return { ...wholeWorld, south, north }
  const [west, east] = rangeOf(longitudes)
  return { west, east, south, north }
}

const clampLatitude = (lat: number) => Math.max(-mercatorMaxLatitude, Math.min(mercatorMaxLatitude, lat))

function rangeOf(values: readonly number[]): [min: number, max: number] {
  return values.reduce<[number, number]>(
    ([min, max], value) => [Math.min(min, value), Math.max(max, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  )
}

type Samples = readonly (readonly (Point | undefined)[])[]

/** Samples a raster, whose reference system may have its axes in either order. */
function findRows(
  dataset: Dataset,
  toDegrees: CoordinateTransformation,
  toPixel: CoordinateTransformation,
): Samples {
  const { x, y } = dataset.rasterSize
  const middle = parts / 2
  const isPlaced = (rows: Samples) => {
    const point = rows[middle]?.[middle] ?? rows[middle / 2]?.[middle / 2]
    const [part, at] = rows[middle]?.[middle] === undefined ? [0.25, point] : [0.5, point]
    const pixel = at && transform(toPixel, ...at)
    return (
      pixel !== undefined && Math.abs(pixel[0] - part * x) < x / 4 && Math.abs(pixel[1] - part * y) < y / 4
    )
  }
  const orders = [false, true].map((isSwapped) => sampleRows(dataset, toDegrees, isSwapped))
  return orders.find(isPlaced) ?? []
}

function sampleRows(
  { rasterSize, geoTransform }: Dataset,
  toDegrees: CoordinateTransformation,
  isSwapped: boolean,
): (Point | undefined)[][] {
  const [left = 0, stepX = 0, turnX = 0, top = 0, turnY = 0, stepY = 0] = geoTransform ?? []
  const steps = Array.from({ length: parts + 1 }, (_, at) => at / parts)
  return steps.map((down) =>
    steps.map((right) => {
      const [column, row] = [right * rasterSize.x, down * rasterSize.y]
      const [x, y] = [left + column * stepX + row * turnX, top + column * turnY + row * stepY]
      return isSwapped ? transform(toDegrees, y, x) : transform(toDegrees, x, y)
    }),
  )
}

function transform(to: CoordinateTransformation, x: number, y: number): Point | undefined {
  try {
    const found = to.transformPoint(x, y)
    return Number.isFinite(found.x) && Number.isFinite(found.y) ? [found.x, found.y] : undefined
  } catch {
    return undefined
  }
}

/** Latitude of the circle that a raster around a pole contains, and its distance from the pole. */
const circleDegrees = 0.1

/** Tells whether a raster contains a small circle around a pole. */
function surroundsPole(
  { rasterSize: { x, y } }: Dataset,
  toPixel: CoordinateTransformation,
  pole: number,
): boolean {
  const lat = pole - Math.sign(pole) * circleDegrees
  return [-180, -135, -90, -45, 0, 45, 90, 135].every((lon) => {
    const [column = -1, row = -1] = transform(toPixel, lon, lat) ?? []
    return column >= 0 && column <= x && row >= 0 && row <= y
  })
}

/** Makes longitudes continuous from neighbour to neighbour; undefined if that is not possible, next to a pole. */
function unwrapLongitudes(rows: Samples): number[] | undefined {
  const found: number[] = []
  let above: (number | undefined)[] = []
  for (const row of rows) {
    const unwrapped: (number | undefined)[] = []
    for (const [at, point] of row.entries()) {
      const near = unwrapped[at - 1] ?? above[at] ?? found.at(-1)
      const lon = point?.[0]
      const difference = lon === undefined || near === undefined ? 0 : turnOf(lon - near)
      if (Math.abs(difference) > unknownWay) return undefined
      unwrapped.push(lon === undefined ? undefined : near === undefined ? lon : near + difference)
    }
    found.push(...unwrapped.filter((lon) => lon !== undefined))
    above = unwrapped
  }
  return found
}

/** Returns the difference of two longitudes on the shorter way around the world. */
const turnOf = (difference: number) => difference - 360 * Math.round(difference / 360)
