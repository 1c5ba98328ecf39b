import type { Expression } from './expression/expression.ts'
import type { Heatmap } from './heatmap.ts'
import type { Labels } from './label_model.ts'
import type { PointGroups } from './point_groups.ts'
import type { MapSymbol } from './symbol_layer.ts'

/** Symbol for the features that match a filter. */
export interface Rule {
  /** Name in the legend. */
  readonly label?: string
  /** Absent: the rule matches all features. */
  readonly filter?: Expression
  /** Whether the rule applies only to features that no other rule of the same list draws; it has no filter. */
  readonly isElse: boolean
  /** Inclusive lower bound of the scale denominator. */
  readonly minScaleDenom?: number
  /** Exclusive upper bound of the scale denominator. */
  readonly maxScaleDenom?: number
  /** Whether the rule is enabled. A disabled rule draws nothing, but still takes its features from later and ELSE rules. */
  readonly isDrawn: boolean
  /** Absent: the rule draws nothing itself. */
  readonly symbol?: MapSymbol
  /** Labels of the features of this rule. */
  readonly labels: readonly Labels[]
  /** Rules for the features of this rule, drawn after its own symbol; empty where only the first rule applies. */
  readonly children: readonly Rule[]
}

/** How colours combine with those below, as in the compositing of SVG and of QGIS. */
export const blendModes = [
  'normal',
  'lighten',
  'screen',
  'dodge',
  'addition',
  'darken',
  'multiply',
  'burn',
  'overlay',
  'soft_light',
  'hard_light',
  'difference',
  'subtract',
] as const

/** How colours combine with those below. */
export type BlendMode = (typeof blendModes)[number]

/** Sort key of the features of a layer. */
export interface SortKey {
  readonly expression: Expression
  readonly isAscending: boolean
  readonly isNullFirst: boolean
}

/** Style of a vector layer. Scale denominators are those of pixels of 1/96 inch, as in QGIS. */
export interface Style {
  readonly rules: readonly Rule[]
  /** `first`: a feature is drawn by the first rule that matches. `all`: by all rules that match, in their order. */
  readonly matching: 'first' | 'all'
  /**
   * Order of drawing. `none`: one feature after the other, each with all layers of its symbols. `by_symbol`: pass by pass,
   * in a pass by rule, then layer, then feature. `by_feature`: pass by pass, in a pass by feature, then rule, then layer.
   */
  readonly levels: 'none' | 'by_symbol' | 'by_feature'
  /** Order in which features are drawn; empty for their order in the layer. */
  readonly order: readonly SortKey[]
  /**
   * Whether markers are drawn exactly at their positions, and thin lines with their width, as MapServer does. QGIS moves the
   * centres of markers to pixels, and draws lines of up to a pixel as more or less transparent hairlines.
   */
  readonly isExact?: true
  /** Opacity of the layer as a whole, 0 to 1. */
  readonly opacity: number
  /** How the layer as a whole combines with the layers below. */
  readonly blending: BlendMode
  /** How each feature combines with the features below. */
  readonly featureBlending: BlendMode
  /** Inclusive lower bound of the scale denominator of the layer, labels included. */
  readonly minScaleDenom?: number
  /** Exclusive upper bound of the scale denominator of the layer, labels included. */
  readonly maxScaleDenom?: number
  /** Density of points, which is drawn in place of symbols; then there are no rules. */
  readonly heatmap?: Heatmap
  /** Points that are drawn as one. */
  readonly groups?: PointGroups
  /** Labels of all features that the rules draw. */
  readonly labels: readonly Labels[]
}
