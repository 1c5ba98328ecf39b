import type { Dataset } from 'gdal-async'
import type { RasterStatistics } from '../../contract/bodies/raster.ts'

/** Values of an overview from which percentiles are computed, at most. */
const maxSampleValues = 2 ** 21

/**
 * Measures the values of the first band where the second, alpha, is not 0: exactly, but for the percentiles, which are those of
 * an overview. Null if there are no values.
 */
export function measureBand(dataset: Dataset, tick: () => void): RasterStatistics | null {
  const { x: width, y: height } = dataset.rasterSize
  const [values, alphas] = [dataset.bands.get(1), dataset.bands.get(2)]
  let [count, min, max, mean, squares] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0]
  const rows = 256
  for (let top = 0; top < height; top += rows) {
    const size = [width, Math.min(rows, height - top)] as const
    const [value, alpha] = [values.pixels.read(0, top, ...size), alphas.pixels.read(0, top, ...size)]
    for (let at = 0; at < value.length; at += 1) {
      const one = value[at] ?? 0
      if (alpha[at] === 0 || !Number.isFinite(one)) continue
      count += 1
      if (one < min) min = one
      if (one > max) max = one
      // Without loss of precision for large means. @see Welford 1962
      const difference = one - mean
      mean += difference / count
      squares += difference * (one - mean)
    }
    tick()
  }
  if (count === 0) return null
  return {
    min,
    max,
    mean,
    stdDev: Math.sqrt(squares / count),
    percentiles: findPercentiles(dataset, { min, max }),
  }
}

type Range = Pick<RasterStatistics, 'min' | 'max'>

function findPercentiles(dataset: Dataset, { min, max }: Range): number[] {
  const [values, alphas] = [dataset.bands.get(1), dataset.bands.get(2)]
  const overviews = [...values.overviews].map((band, at) => ({ band, alpha: alphas.overviews.get(at) }))
  const levels = [{ band: values, alpha: alphas }, ...overviews]
  const level = levels.find(({ band }) => band.size.x * band.size.y <= maxSampleValues) ?? levels.at(-1)
  if (level === undefined) return []
  const { x, y } = level.band.size
  const [value, alpha] = [level.band.pixels.read(0, 0, x, y), level.alpha.pixels.read(0, 0, x, y)]
  const found = Float64Array.from(value).filter((one, at) => alpha[at] !== 0 && Number.isFinite(one))
  const sorted = found.sort()
  const at = (part: number) => sorted[Math.round(part * (sorted.length - 1))] ?? min + part * (max - min)
  return Array.from({ length: 101 }, (_, percent) =>
    percent === 0 ? min : percent === 100 ? max : at(percent / 100),
  )
}
