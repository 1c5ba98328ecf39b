import { type Channels, type Color, channelsOf, colorOf } from './color.ts'
import type { Expression } from './expression/expression.ts'
import type { Length } from './symbol_layer.ts'

/** Density of points as colours, in place of symbols. */
export interface Heatmap {
  /** How far a point counts. */
  readonly radius: Length
  /** Density of the last colour; absent: the highest density of the map. */
  readonly maximum?: number
  /** How much a point counts; absent: 1. Points without a number count as 1, as in QGIS. */
  readonly weight?: Expression
  readonly ramp: ColorRamp
}

/** Colours from 0 to 1. */
export interface ColorRamp {
  /** At least two, the first at 0 and the last at 1, in ascending order. */
  readonly stops: readonly ColorStop[]
  /** Whether each colour reaches to the next stop, without colours between. */
  readonly isDiscrete: boolean
}

/** A colour at a position from 0 to 1. */
export interface ColorStop {
  readonly at: number
  readonly color: Color
}

/** Returns the colour at a position from 0 to 1. Channels are mixed one by one, not premultiplied, as in QGIS. */
export function rampColor({ stops, isDiscrete }: ColorRamp, position: number): Channels {
  const next = stops.findIndex(({ at }) => at > position)
  const [upper, lower] = [stops.at(next), stops.at(next < 0 ? -1 : Math.max(0, next - 1))]
  if (upper === undefined || lower === undefined) return [0, 0, 0, 0]
  const from = channelsOf(lower.color)
  if (isDiscrete || upper.at <= lower.at) return from
  const part = Math.max(0, (position - lower.at) / (upper.at - lower.at))
  const to = channelsOf(upper.color)
  const mix = (at: 0 | 1 | 2 | 3) => Math.round(from[at] + part * (to[at] - from[at]))
  return [mix(0), mix(1), mix(2), mix(3)]
}

/** Entries of the legend of a heatmap: a label and a colour each, from low to high. */
export function heatmapEntries({
  ramp,
  maximum,
}: Heatmap): { readonly label: string; readonly color: Color }[] {
  const count = 4
  return Array.from({ length: count + 1 }, (_, at) => {
    const part = at / count
    const label = maximum === undefined ? `${100 * part} %` : String(Number((part * maximum).toPrecision(6)))
    return { label, color: colorOf(rampColor(ramp, part)) }
  })
}
