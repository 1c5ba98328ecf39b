import type { GeometryFamily } from '../contract/geometry.ts'
import type { Color } from './color.ts'
import type { Filter } from './feature_filter.ts'

/** Marker symbols of points. */
export const markers = ['circle', 'square', 'diamond', 'triangle', 'star', 'cross', 'x'] as const

/** A marker symbol. */
export type Marker = (typeof markers)[number]

/**
 * Drawing parameters for geometries of any type: for polygons and markers `fill` is the interior and `outline` the
 * boundary; for lines `fill` is the line and `outline` its casing. Lengths are in pixels.
 */
export interface Symbolizer {
  readonly fill?: Color
  readonly outline?: Color
  /** Width of lines, and of the outlines of polygons and markers. */
  readonly width: number
  /** Width of the casing on each side of a line. */
  readonly casing: number
  /** Height of a marker. */
  readonly size: number
  readonly marker: Marker
  /** Rotation of the marker, in degrees counter-clockwise. */
  readonly angle: number
  /** 0 is transparent, 1 is opaque. */
  readonly opacity: number
  /** Alternating dash and gap lengths; empty for a solid line. */
  readonly dash: readonly number[]
}

/** Symbolizers for the features that match a filter. */
export interface Rule {
  /** Name in the legend. */
  readonly label?: string
  /** Absent: the rule matches all features. */
  readonly filter?: Filter
  /** Inclusive lower bound of the scale denominator. */
  readonly minScaleDenom?: number
  /** Exclusive upper bound of the scale denominator. */
  readonly maxScaleDenom?: number
  /** Bottom first. */
  readonly symbolizers: readonly Symbolizer[]
}

/** Style of a layer: each feature is drawn by the first rule that matches it and the current scale. */
export interface Style {
  readonly rules: readonly Rule[]
}

/** Default values of a symbolizer. */
export const defaultSymbolizer: Symbolizer = {
  width: 1,
  casing: 0,
  size: 6,
  marker: 'circle',
  angle: 0,
  opacity: 1,
  dash: [],
}

/** Drawing parameters of one stroke. */
export interface Stroke {
  readonly color: Color
  readonly width: number
  readonly dash: readonly number[]
}

/** Fill and strokes of a symbolizer for one geometry family. */
export interface Paint {
  readonly fill?: Color
  /** Bottom first. */
  readonly strokes: readonly Stroke[]
  readonly opacity: number
}

/** Returns the fill and strokes of a symbolizer on points (their markers), lines or polygons. */
export function paintOf(symbolizer: Symbolizer, family: GeometryFamily): Paint {
  return family === 'LINESTRING' ? linePaint(symbolizer) : areaPaint(symbolizer)
}

/** Reports whether a rule is drawn at a scale `1 : denominator`. */
export function isInScale(rule: Rule, scaleDenom: number): boolean {
  return (
    scaleDenom >= (rule.minScaleDenom ?? 0) && scaleDenom < (rule.maxScaleDenom ?? Number.POSITIVE_INFINITY)
  )
}

function areaPaint({ fill, outline, width, dash, opacity }: Symbolizer): Paint {
  const strokes = outline !== undefined && width > 0 ? [{ color: outline, width, dash }] : []
  return { ...(fill === undefined ? {} : { fill }), strokes, opacity }
}

function linePaint({ fill, outline, width, casing, dash, opacity }: Symbolizer): Paint {
  const color = fill ?? outline
  const strokes: Stroke[] = []
  if (outline !== undefined && casing > 0) strokes.push({ color: outline, width: width + 2 * casing, dash })
  if (color !== undefined && width > 0) strokes.push({ color, width, dash })
  return { strokes, opacity }
}
