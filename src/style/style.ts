import type { GeometryFamily } from '../contract/geometry.ts'
import type { Color } from './color.ts'
import type { Filter } from './filter.ts'

/** Shapes that points are drawn as. */
export const markers = ['circle', 'square', 'diamond', 'triangle', 'star', 'cross', 'x'] as const

/** A shape that points are drawn as. */
export type Marker = (typeof markers)[number]

/**
 * One way to put paint on a shape, whatever it is: of areas and markers `fill` is the inside and `outline` the edge,
 * of lines `fill` is the line and `outline` its casing. Lengths are pixels.
 */
export interface Symbolizer {
  readonly fill?: Color
  readonly outline?: Color
  /** Width of lines, and of the edges of areas and markers. */
  readonly width: number
  /** How far the casing of a line shows on each side. */
  readonly casing: number
  /** Height of a marker. */
  readonly size: number
  readonly marker: Marker
  /** Turns the marker, in degrees, counter-clockwise. */
  readonly angle: number
  /** 0 is invisible, 1 hides what is below. */
  readonly opacity: number
  /** Lengths of dashes and gaps in turn; empty for an unbroken line. */
  readonly dash: readonly number[]
}

/** How some of the features are drawn. */
export interface Rule {
  /** Name in the legend. */
  readonly label?: string
  /** Which features it is for; all where absent. */
  readonly filter?: Filter
  /** Drawn only while the scale's denominator is at least this. */
  readonly minScaleDenom?: number
  /** Drawn only while the scale's denominator is less than this. */
  readonly maxScaleDenom?: number
  /** From lower to upper. */
  readonly symbolizers: readonly Symbolizer[]
}

/** How the features of a layer are drawn: each by the first rule that is for it, at the scale at hand. */
export interface Style {
  readonly rules: readonly Rule[]
}

/** What a symbolizer draws with where it says nothing. */
export const plainSymbolizer: Symbolizer = {
  width: 1,
  casing: 0,
  size: 6,
  marker: 'circle',
  angle: 0,
  opacity: 1,
  dash: [],
}

/** A line to be drawn. */
export interface Stroke {
  readonly color: Color
  readonly width: number
  readonly dash: readonly number[]
}

/** What is left to draw for shapes of a known kind. */
export interface Paint {
  readonly fill?: Color
  /** From lower to upper. */
  readonly strokes: readonly Stroke[]
  readonly opacity: number
}

/** Gives what a symbolizer comes to on points (their markers), lines or areas. */
export function paintOf(symbolizer: Symbolizer, family: GeometryFamily): Paint {
  return family === 'LINESTRING' ? linePaint(symbolizer) : areaPaint(symbolizer)
}

/** Tells whether a rule is drawn at a scale `1 : denominator`. */
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
