import type { Color } from './color.ts'
import type { Expression } from './expression/expression.ts'
import type { DataDefined, Length, MapSymbol, Offset } from './symbol_layer.ts'

/** Font of labels. */
export interface LabelFont<L = Length> {
  readonly family: string
  /** Height of the em square. */
  readonly size: L
  /** 100 to 900; 400 is regular, 700 bold. */
  readonly weight: number
  readonly isItalic: boolean
  /** Additional space between letters, in pixels. */
  readonly letterSpacing: number
  readonly capitalization: 'mixed' | 'upper' | 'lower' | 'title'
}

/** Outline (halo) behind the letters of a label. */
export interface LabelBuffer<L = Length> {
  /** Distance from the edge of the letters. */
  readonly size: L
  readonly color: Color
}

/** Places of labels. */
export type LabelPlacement<L = Length> =
  /** Around a point, or around the centroid of a polygon or line, in a distance. */
  | { readonly kind: 'around'; readonly distance: L }
  /** Over a point, shifted to one of 9 quadrants: -1 is left or above, 0 centered, 1 right or below. */
  | { readonly kind: 'over'; readonly quadrant: readonly [x: -1 | 0 | 1, y: -1 | 0 | 1] }
  /** Along a line or the boundary of a polygon: straight, or bent with the line. */
  | {
      readonly kind: 'line'
      readonly isCurved: boolean
      /** Sides where the label may be, above and below as seen by the reader. */
      readonly sides: readonly ('above' | 'on' | 'below')[]
      readonly distance: L
    }
  /** Horizontal, anywhere inside a polygon, or on a line. */
  | { readonly kind: 'horizontal' }

/** Corners and middles of the sides of a label, by letters for top, bottom, left and right, and its centre. */
export const labelCorners = ['tl', 't', 'tr', 'l', 'c', 'r', 'bl', 'b', 'br'] as const

/** Positions of a polygon where callouts end. */
export const calloutEnds = [
  'pole_of_inaccessibility',
  'point_on_exterior',
  'point_on_surface',
  'centroid',
] as const

/** Position of a polygon where callouts end. */
export type CalloutEnd = (typeof calloutEnds)[number]

/** Line from a label to its feature. */
export interface LabelCallout<L = Length> {
  /** Straight, or up or down from the label and then sideways to the feature. */
  readonly kind: 'straight' | 'right_angle'
  readonly line: MapSymbol<L>
  /** Where it starts: at the nearest position of the edge of the label, or at a fixed one. */
  readonly from: 'edge' | (typeof labelCorners)[number]
  /** Where it ends if the feature is a polygon; otherwise at the nearest position. */
  readonly to: CalloutEnd
  /** Shorter ones are not drawn. */
  readonly minLength: L
  /** Lengths that are left out at both ends. */
  readonly gapAtLabel: L
  readonly gapAtFeature: L
}

/** Properties of labels that expressions may define. */
export type LabelProperty = 'isDrawn' | 'size' | 'color' | 'angle' | 'bufferSize' | 'bufferColor' | 'priority'

/** Labels of the features of a style or rule. */
export interface Labels<L = Length> {
  /** Text of the label. Features whose text is null or empty have no label. */
  readonly text: Expression
  /** Absent: all features that are drawn. */
  readonly filter?: Expression
  /** Inclusive lower bound of the scale denominator. */
  readonly minScaleDenom?: number
  /** Exclusive upper bound of the scale denominator. */
  readonly maxScaleDenom?: number
  readonly font: LabelFont<L>
  readonly color: Color
  readonly buffer?: LabelBuffer<L>
  readonly placement: LabelPlacement<L>
  readonly offset: Offset<L>
  /** Rotation in degrees, clockwise. */
  readonly angle: number
  /** 0 is the lowest, 10 the highest; ties are broken by the order of features. */
  readonly priority: number
  /** Whether labels are drawn even where they overlap others. */
  readonly showsAll: boolean
  /** Character that separates lines of the text; empty for line feeds only. */
  readonly wrapCharacter: string
  /** Number of characters after which lines are broken at spaces; 0 for none. */
  readonly wrapLength: number
  /** Distance of baselines as a multiple of the line spacing of the font, or of its size. */
  readonly lineHeight: number
  /** Of lines; `follow` aligns those beside a point on the side of the point, and centres others. */
  readonly alignment: 'left' | 'center' | 'right' | 'follow'
  /** Whether letters and lines have whole heights in pixels, with baselines where QGIS has them; absent is false. */
  readonly hasWholePixels?: boolean
  /** Whether labels are as high as their letters, and the distance of lines is a multiple of the font size; absent is false. */
  readonly hasInkHeight?: boolean
  /** Whether every part of a feature is labelled, and not only the largest; absent is false. */
  readonly isOnAllParts?: boolean
  /** Whether lines with the same label that meet have one label together; absent is false. */
  readonly mergesLines?: boolean
  /** Distance of labels that are repeated along a line; absent or 0 for one label. */
  readonly repeatDistance?: L
  readonly callout?: LabelCallout<L>
  readonly dataDefined?: DataDefined<LabelProperty>
}
