import type { Dataset, RasterBand } from 'gdal-async'
import { opaqueAlpha, type RasterStatistics } from '../../contract/bodies/raster.ts'

/** Values of an overview from which percentiles are computed, at most. */
const maxSampleValues = 2 ** 21

/**
 * Measures the values of each band where the last one, alpha, is not 0: exactly, but for the percentiles, which are those of
 * an overview. Null if there are no values.
 */
export function measureBands(dataset: Dataset, tick: () => void): RasterStatistics[] | null {
  const bands = [...dataset.bands]
  const alphas = bands.pop()
  if (alphas === undefined) return null
  const measured = bands.map((values) => measureBand({ values, alphas }, tick))
  return measured.some((one) => one === null) ? null : measured.filter((one) => one !== null)
}

/** A band, and where it has values. */
interface MaskedBand {
  readonly values: RasterBand
  readonly alphas: RasterBand
}

/** Measures a band again in parts of its largest value if the squares of its values are too large for a number. */
function measureBand(band: MaskedBand, tick: () => void): RasterStatistics | null {
  const found = measureScaled(band, tick, 1)
  if (found === null || Number.isFinite(found.stdDev)) return found
  const scale = Math.max(Math.abs(found.min), Math.abs(found.max))
  const { mean = 0, stdDev = 0 } = measureScaled(band, tick, scale) ?? {}
  const limit = (one: number) => Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, one))
  return { ...found, mean: limit(mean * scale), stdDev: limit(stdDev * scale) }
}

function measureScaled(
  { values, alphas }: MaskedBand,
  tick: () => void,
  scale: number,
): RasterStatistics | null {
  const { x: width, y: height } = values.size
  let [count, min, max, mean, squares] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0]
  const rows = 256
  for (let top = 0; top < height; top += rows) {
    const size = [width, Math.min(rows, height - top)] as const
    const [value, alpha] = [values.pixels.read(0, top, ...size), alphas.pixels.read(0, top, ...size)]
    const isShown = createMask(alpha)
    for (let at = 0; at < value.length; at += 1) {
      const one = value[at] ?? 0
      if (!isShown(at) || !Number.isFinite(one)) continue
      count += 1
      if (one < min) min = one
      if (one > max) max = one
      // Without loss of precision for large means. @see Welford 1962
      const difference = one / scale - mean
      mean += difference / count
      squares += difference * (one / scale - mean)
    }
    tick()
  }
  if (count === 0) return null
  return {
    min,
    max,
    mean,
    stdDev: Math.sqrt(squares / count),
    percentiles: findPercentiles({ values, alphas }, { min, max }),
  }
}

function createMask(alphas: ArrayLike<number>): (at: number) => boolean {
  const opaque = opaqueAlpha(alphas)
  return (at) => {
    const alpha = alphas[at] ?? 0
    return alpha > 0 && alpha <= opaque
  }
}

type Range = Pick<RasterStatistics, 'min' | 'max'>

function findPercentiles({ values, alphas }: MaskedBand, { min, max }: Range): number[] {
  const overviews = [...values.overviews].map((band, at) => ({ band, alpha: alphas.overviews.get(at) }))
  const levels = [{ band: values, alpha: alphas }, ...overviews]
  const level = levels.find(({ band }) => band.size.x * band.size.y <= maxSampleValues) ?? levels.at(-1)
  if (level === undefined) return []
  const { x, y } = level.band.size
  const [value, alpha] = [level.band.pixels.read(0, 0, x, y), level.alpha.pixels.read(0, 0, x, y)]
  const isShown = createMask(alpha)
  const found = Float64Array.from(value).filter((one, at) => isShown(at) && Number.isFinite(one))
  const sorted = found.sort()
  const at = (part: number) => sorted[Math.round(part * (sorted.length - 1))] ?? min + part * (max - min)
  return Array.from({ length: 101 }, (_, percent) =>
    percent === 0 ? min : percent === 100 ? max : at(percent / 100),
  )
}
