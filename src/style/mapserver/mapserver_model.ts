import type { Color } from '../color.ts'
import type { Filter } from './mapserver_filter.ts'

/** Marker symbols of MapServer styles. `hatch` draws parallel lines in polygons. */
export const markers = [
  'circle',
  'square',
  'diamond',
  'triangle',
  'triangle-rotated',
  'triangle-equilateral',
  'star',
  'pentagon',
  'arrow',
  'arrowhead',
  'cross',
  'x',
  'line',
  'hatch',
] as const

/** A marker symbol. */
export type Marker = (typeof markers)[number]

/** A marker symbol that a map defines by its points. */
export interface VectorShape {
  readonly name: string
  /** Points of each part, to the right and down. */
  readonly parts: readonly (readonly (readonly [x: number, y: number])[])[]
  readonly isFilled: boolean
}

/**
 * A style of MapServer, for geometries of any type: for polygons and markers `fill` is the interior and `outline` the
 * boundary; for lines `fill` is the line and `outline` its casing. Lengths are in pixels.
 */
export interface Symbolizer {
  readonly fill?: Color
  readonly outline?: Color
  /** Width of lines, and of the outlines of polygons and markers. */
  readonly width: number
  /** Width of the casing on each side of a line. */
  readonly casing: number
  /** Height of a marker; distance of the lines of a hatch. */
  readonly size: number
  readonly marker: Marker
  /** Drawn instead of the marker. */
  readonly shape?: VectorShape
  /** Whether the style names the default marker: polygons are filled with any marker that is named. */
  readonly hasSymbol?: true
  /** Rotation of the marker, or direction of a hatch, in degrees counter-clockwise. */
  readonly angle: number
  /** 0 is transparent, 1 is opaque. */
  readonly opacity: number
  /** Alternating dash and gap lengths; empty for a solid line. */
  readonly dash: readonly number[]
  /** To the right and down. With `-99` as the second, lines are shifted by the first to their right side. */
  readonly offset?: readonly [x: number, y: number]
  /** Distance of the centers of markers on lines; negative for markers that turn with the line. */
  readonly gap?: number
  /** Distance of the first marker from the start of a line; defaults to half of the gap. */
  readonly initialGap?: number
  /** Defaults to round. */
  readonly join?: 'miter' | 'bevel' | 'round'
  /** Defaults to round. */
  readonly cap?: 'butt' | 'square' | 'round'
}

/** Positions of labels: a side vertically (upper, center, lower) and horizontally (left, center, right), or any. */
export const labelPositions = ['ul', 'uc', 'ur', 'cl', 'cc', 'cr', 'll', 'lc', 'lr', 'auto'] as const

/** Alignments of the lines of a label. */
export const labelAlignments = ['left', 'center', 'right'] as const

/** A label of a class. Lengths are in pixels, but for its size. */
export interface MapserverLabel {
  /** Text, in which `[field]` stands for the value of a field. */
  readonly text: string
  /** Of the font, in points. */
  readonly size: number
  readonly color: Color
  /** Colour of the outline (halo) of the letters. */
  readonly outline?: Color
  readonly outlineWidth: number
  readonly font?: string
  readonly position: (typeof labelPositions)[number]
  /** Degrees counter-clockwise; `auto` is parallel to lines, `follow` is bent with them. */
  readonly angle: number | 'auto' | 'follow'
  /** Away from the labelled position, in the direction of the position of the label; to the right and down for centred ones. */
  readonly offset?: readonly [x: number, y: number]
  /** 1 is the lowest, 10 the highest. */
  readonly priority: number
  /** Whether the label is drawn even where it overlaps others. */
  readonly isForced: boolean
  readonly wrap?: string
  /** Defaults to left. */
  readonly align?: (typeof labelAlignments)[number]
  readonly maxLength?: number
  /** Distance of labels that are repeated along a line, in pixels. */
  readonly repeatDistance?: number
  readonly minScaleDenom?: number
  readonly maxScaleDenom?: number
}

/** A class of MapServer: styles and labels of the features that match a filter. */
export interface MapserverClass {
  /** Name in the legend. */
  readonly label?: string
  /** Absent: the class matches all features. */
  readonly filter?: Filter
  /** Inclusive lower bound of the scale denominator. */
  readonly minScaleDenom?: number
  /** Exclusive upper bound of the scale denominator. */
  readonly maxScaleDenom?: number
  /** Whether the class is switched off: its features are not drawn. */
  readonly isOff?: true
  /** Bottom first. */
  readonly symbolizers: readonly Symbolizer[]
  readonly labels?: readonly MapserverLabel[]
}

/** A style in MapServer XML: each feature is drawn by the first class that matches it and the current scale. */
export interface MapserverStyle {
  readonly rules: readonly MapserverClass[]
  /** Distance within which points are drawn as one circle with their number, in pixels. */
  readonly clusterDistance?: number
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

/** Default values of a label. */
export const defaultLabel: Omit<MapserverLabel, 'text'> = {
  size: 10,
  color: '#000000',
  outlineWidth: 1,
  position: 'cc',
  angle: 0,
  priority: 1,
  isForced: false,
}
