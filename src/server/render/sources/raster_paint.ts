import type { RasterStatistics } from '../../../contract/bodies/raster.ts'
import type { RasterColorRamp, RasterStretch } from '../../../contract/classes/raster_style.ts'
import { problem } from '../../../contract/problems.ts'
import type { Problem } from '../../../core/problem.ts'
import type { RasterPaint, ValueRange } from '../../../render/image/raster_paint.ts'
import type { MemberRow } from '../../../store/classes/member_table.ts'
import type { Raster } from '../../../store/classes/raster_layer.ts'

/** Stretch of values that are not bytes, if the style has none. */
const defaultStretch: RasterStretch = { type: 'percent' }

const grey: RasterColorRamp = {
  interpolation: 'linear',
  stops: [
    { value: 0, color: '#000000' },
    { value: 1, color: '#ffffff' },
  ],
}

/** Tells whether a raster has values, which styles colour; others have colours of their own. */
function hasValues({ colorInterpretation }: Raster): boolean {
  return colorInterpretation[0] === 'Gray'
}

/** Tells whether a raster has a legend: it has values, or colours that are stretched. */
export function hasRasterLegend(raster: Raster): boolean {
  return hasValues(raster) || raster.dtype !== 'Byte'
}

/**
 * Returns the colours of a raster by a style.
 *
 * @throws {Problem} render/unsupported for a colour ramp of a raster that has colours, and for a stretch of colours of 8 bits
 *   without limits of its own
 */
export function rasterPaint(
  raster: Raster,
  { stretch, color_ramp: ramp }: Pick<MemberRow<'raster_style'>, 'stretch' | 'color_ramp'>,
): RasterPaint {
  const isByte = raster.dtype === 'Byte'
  if (!hasValues(raster)) {
    if (ramp !== null) throw notDrawn(raster, 'a color_ramp, which is for rasters with one band')
    if (stretch === null && isByte) return { kind: 'color', ranges: null }
    if (isByte && !(stretch?.type === 'min_max' && stretch.min !== undefined && stretch.max !== undefined))
      throw notDrawn(raster, 'a stretch that is not min_max with min and max, as colours of 8 bits require')
    return { kind: 'color', ranges: [0, 1, 2].map((band) => rangeOf(raster, band, stretch)) }
  }
  if (ramp !== null && stretch === null) return paintOf(ramp, [0, 1])
  return paintOf(ramp ?? grey, isByte && stretch === null ? [0, 255] : rangeOf(raster, 0, stretch))
}

function notDrawn({ resourceId }: Raster, part: string): Problem {
  const message = `The raster of resource id = ${resourceId} has colours; its style has ${part}.`
  return problem('render/unsupported', message, { resource: resourceId })
}

function paintOf({ interpolation, stops }: RasterColorRamp, [low, high]: ValueRange): RasterPaint {
  // Equal values have one colour: that of the middle.
  const placed =
    high > low ? stops.map(({ value, color }) => ({ value: low + value * (high - low), color })) : stops
  const shift = high > low ? 0 : low - 0.5
  return {
    kind: 'ramp',
    interpolation,
    stops: placed
      .map(({ value, color }) => ({ value: value + shift, color }))
      .sort((a, b) => a.value - b.value),
  }
}

function rangeOf(raster: Raster, band: number, stretch: RasterStretch | null): ValueRange {
  const { type, min, max, percent = 2, deviations = 2 } = stretch ?? defaultStretch
  const found = raster.statistics?.[band]
  if (found === undefined) return [min ?? 0, max ?? 255]
  if (type === 'min_max') return [min ?? found.min, max ?? found.max]
  if (type === 'std_dev') return aroundMean(found, deviations)
  return [percentileOf(found.percentiles, percent), percentileOf(found.percentiles, 100 - percent)]
}

const aroundMean = ({ mean, stdDev }: RasterStatistics, deviations: number): ValueRange => [
  mean - deviations * stdDev,
  mean + deviations * stdDev,
]

function percentileOf(percentiles: readonly number[], percent: number): number {
  const below = Math.min(99, Math.floor(percent))
  const [from = 0, to = 0] = [percentiles[below], percentiles[below + 1]]
  return from + (to - from) * (percent - below)
}
