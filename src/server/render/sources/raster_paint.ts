import type { RasterColorRamp, RasterStretch } from '../../../contract/classes/raster_style.ts'
import { problem } from '../../../contract/problems.ts'
import type { RasterPaint } from '../../../render/image/raster_paint.ts'
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
export function hasValues({ colorInterpretation }: Raster): boolean {
  return colorInterpretation[0] === 'Gray'
}

/**
 * Returns the colours of a raster by a style.
 *
 * @throws {Problem} render/unsupported for a stretch or colour ramp of a raster that has colours
 */
export function rasterPaint(
  raster: Raster,
  { stretch, color_ramp: ramp }: Pick<MemberRow<'raster_style'>, 'stretch' | 'color_ramp'>,
): RasterPaint {
  if (!hasValues(raster)) {
    if (stretch === null && ramp === null) return { kind: 'color' }
    throw problem(
      'render/unsupported',
      `The raster of resource id = ${raster.resourceId} has colours; its style has a stretch or a color_ramp, which are for rasters with one band.`,
      { resource: raster.resourceId },
    )
  }
  if (ramp !== null && stretch === null) return paintOf(ramp, [0, 1])
  const isByte = raster.dtype === 'Byte' && stretch === null
  return paintOf(ramp ?? grey, isByte ? [0, 255] : rangeOf(raster, stretch ?? defaultStretch))
}

type Range = readonly [low: number, high: number]

function paintOf({ interpolation, stops }: RasterColorRamp, [low, high]: Range): RasterPaint {
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

function rangeOf(raster: Raster, { type, min, max, percent = 2, deviations = 2 }: RasterStretch): Range {
  const { statistics } = raster
  if (statistics === null) return [min ?? 0, max ?? 255]
  const { mean, stdDev, percentiles } = statistics
  if (type === 'min_max') return [min ?? statistics.min, max ?? statistics.max]
  if (type === 'std_dev') return [mean - deviations * stdDev, mean + deviations * stdDev]
  return [percentileOf(percentiles, percent), percentileOf(percentiles, 100 - percent)]
}

function percentileOf(percentiles: readonly number[], percent: number): number {
  const below = Math.min(99, Math.floor(percent))
  const [from = 0, to = 0] = [percentiles[below], percentiles[below + 1]]
  return from + (to - from) * (percent - below)
}
