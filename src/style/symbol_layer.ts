import type { Color } from './color.ts'
import type { Expression } from './expression/expression.ts'

/**
 * Length on the map: a number of pixels of 1/96 inch, or map units (units of the reference system of the map), with
 * optional limits in pixels. Layers of type `SymbolLayer<number>` have all lengths in pixels.
 */
export type Length = number | MapLength

/** Length in map units. */
export interface MapLength {
  readonly mapUnits: number
  readonly minPixels?: number
  readonly maxPixels?: number
}

/** Properties of symbol layers that expressions may define. */
export type LayerProperty =
  | 'isDrawn'
  | 'size'
  | 'angle'
  | 'shape'
  | 'fill'
  | 'color'
  | 'stroke.color'
  | 'stroke.width'
  | 'outline'
  | 'outlineWidth'
  | 'text'

/**
 * Expressions that replace properties. Where the value of an expression is null or not of the type of the property, the
 * property itself applies. Values of lengths have the unit of the property: pixels or map units. Values of colours are
 * `red,green,blue[,alpha]`, `#rrggbb`, `#aarrggbb`, `rgb()`, `rgba()`, `hsl()`, `hsla()` or a name of CSS.
 */
export type DataDefined<P extends string> = { readonly [N in P]?: Expression }

/** Two lengths: to the right and down. */
export type Offset<L = Length> = readonly [x: L, y: L]

/** Joins of line segments. */
export type LineJoin = 'miter' | 'bevel' | 'round'

/** Ends of lines. */
export type LineCap = 'flat' | 'square' | 'round'

/** Stroke of a line or an outline. */
export interface Stroke<L = Length> {
  readonly color: Color
  /** 0 is a hairline: one pixel at any scale of the device. */
  readonly width: L
  /** Alternating dash and gap lengths; empty for a solid line. */
  readonly dash: readonly L[]
  /** Whether `dash` is in multiples of the width; never in a `Stroke<number>`. */
  readonly isDashRelative: boolean
  /** Length of the pattern that is skipped at the start of the line. */
  readonly dashOffset: L
  readonly join: LineJoin
  readonly cap: LineCap
  /** Whether a line of less than a pixel has its width in all directions; else it is a more or less transparent hairline. */
  readonly isExact?: boolean
}

/** Properties of all symbol layers. */
interface LayerBase {
  /** Rendering pass, used when the style has symbol levels. */
  readonly pass: number
  readonly dataDefined?: DataDefined<LayerProperty>
}

/** Brush patterns of fills, of 8 × 8 device pixels. `dense1` covers most of the area, `dense7` the least. */
export const brushes = [
  'solid',
  'no',
  'horizontal',
  'vertical',
  'cross',
  'b_diagonal',
  'f_diagonal',
  'diagonal_x',
  'dense1',
  'dense2',
  'dense3',
  'dense4',
  'dense5',
  'dense6',
  'dense7',
] as const

/** Brush pattern of a fill. */
export type Brush = (typeof brushes)[number]

/** Fill and outline of polygons. */
export interface SimpleFill<L = Length> extends LayerBase {
  readonly kind: 'fill'
  readonly color: Color
  readonly brush: Brush
  /** Absent: no outline. */
  readonly stroke?: Stroke<L>
  readonly offset: Offset<L>
}

/** Rings of polygons that a line layer is drawn on. */
export type Rings = 'all' | 'exterior' | 'interior'

/** Stroke along lines, or along the rings of polygons. */
export interface SimpleLine<L = Length> extends LayerBase {
  readonly kind: 'line'
  readonly stroke: Stroke<L>
  /** Distance to the right of a line, in its direction, or into a polygon; negative is to the other side. */
  readonly offset: L
  readonly rings: Rings
}

/** Places of markers on a line. */
export const markerPlacements = [
  'interval',
  'vertex',
  'inner_vertices',
  'first_vertex',
  'last_vertex',
  'central_point',
  'segment_center',
] as const

/** Place of markers on a line. */
export type MarkerPlacement = (typeof markerPlacements)[number]

/** Markers along lines, or along the rings of polygons. */
export interface MarkerLine<L = Length> extends LayerBase {
  readonly kind: 'marker_line'
  readonly marker: MapSymbol<L>
  readonly placements: readonly MarkerPlacement[]
  /** Distance of markers of the placement `interval`. */
  readonly interval: L
  /** Distance of the first marker from the start of the line, or from the vertex. */
  readonly offsetAlong: L
  /** Distance to the right of a line, in its direction, or into a polygon. */
  readonly offset: L
  /** Whether markers turn with the line. */
  readonly isRotated: boolean
  /** Length of the part of the line whose mean direction turns a marker. */
  readonly averageLength: L
  readonly rings: Rings
}

/** Shapes of simple markers, by their names in QGIS. */
export const markerShapes = [
  'square',
  'trapezoid',
  'parallelogram_right',
  'parallelogram_left',
  'square_with_corners',
  'rounded_square',
  'diamond',
  'shield',
  'pentagon',
  'hexagon',
  'octagon',
  'decagon',
  'triangle',
  'equilateral_triangle',
  'star_diamond',
  'star',
  'heart',
  'arrow',
  'circle',
  'cross',
  'cross_fill',
  'cross2',
  'line',
  'arrowhead',
  'filled_arrowhead',
  'semi_circle',
  'third_circle',
  'quarter_circle',
  'quarter_square',
  'half_square',
  'diagonal_half_square',
  'right_half_triangle',
  'left_half_triangle',
  'half_arc',
  'third_arc',
  'quarter_arc',
  'asterisk_fill',
] as const

/** Shape of a simple marker. */
export type MarkerShape = (typeof markerShapes)[number]

/** Point of a marker that is placed on the geometry. */
export interface Anchor {
  readonly x: 'left' | 'center' | 'right'
  readonly y: 'top' | 'center' | 'bottom'
}

/** Placement of all kinds of markers. */
interface MarkerBase<L> extends LayerBase {
  /** Width, and height of shapes that are as high as wide. */
  readonly size: L
  /** Rotation in degrees, clockwise. */
  readonly angle: number
  /** Offset before the rotation. */
  readonly offset: Offset<L>
  readonly anchor: Anchor
}

/** Marker with a shape of `markerShapes`. */
export interface SimpleMarker<L = Length> extends MarkerBase<L> {
  readonly kind: 'marker'
  readonly shape: MarkerShape
  /** Absent: no fill. Shapes without area, such as `cross`, have only a stroke. */
  readonly fill?: Color
  /** Absent: no outline. */
  readonly stroke?: Stroke<L>
  /** Whether the centre is moved to the nearest pixel, as QGIS does with markers that are the same for all features. */
  readonly isSnapped?: boolean
}

/** Marker of an SVG image. */
export interface SvgMarker<L = Length> extends MarkerBase<L> {
  readonly kind: 'svg'
  /** The image itself, or its path in the folders of SVG images of QGIS. */
  readonly source: { readonly svg: string } | { readonly path: string }
  /** Values of `param(fill)`, `param(outline)` and `param(outline-width)` in the image. */
  readonly fill: Color
  readonly outline: Color
  readonly outlineWidth: L
  /** Height divided by width; 0 for that of the image. */
  readonly aspectRatio: number
}

/** Marker of letters. */
export interface TextMarker<L = Length> extends MarkerBase<L> {
  readonly kind: 'text'
  readonly text: string
  readonly font: { readonly family: string; readonly weight: number; readonly isItalic: boolean }
  readonly fill: Color
  /** Absent: no outline. */
  readonly stroke?: Stroke<L>
}

/** Parallel lines in polygons. */
export interface LinePattern<L = Length> extends LayerBase {
  readonly kind: 'line_pattern'
  readonly line: MapSymbol<L>
  /** Direction of the lines in degrees, counter-clockwise from east. */
  readonly angle: number
  /** Distance of neighbouring lines. */
  readonly distance: L
  readonly offset: L
}

/** Markers on a grid in polygons. */
export interface PointPattern<L = Length> extends LayerBase {
  readonly kind: 'point_pattern'
  readonly marker: MapSymbol<L>
  readonly distance: Offset<L>
  /** Shift of every second row, to the right, and of every second column, down. */
  readonly displacement: Offset<L>
  readonly offset: Offset<L>
  /** Rotation of the grid in degrees, clockwise. */
  readonly angle: number
  /** Which markers are drawn at the edge of a polygon, and whether they are clipped. */
  readonly clipping: 'clip' | 'centroid_within' | 'completely_within' | 'none'
}

/** Marker at the centroid of polygons. */
export interface CentroidFill<L = Length> extends LayerBase {
  readonly kind: 'centroid'
  readonly marker: MapSymbol<L>
  /** Whether a centroid outside its polygon is moved inside. */
  readonly isOnSurface: boolean
  /** Whether every part has a marker; else only the largest part. */
  readonly isOnAllParts: boolean
}

/** Layer of a symbol. */
export type SymbolLayer<L = Length> =
  | SimpleFill<L>
  | SimpleLine<L>
  | MarkerLine<L>
  | SimpleMarker<L>
  | SvgMarker<L>
  | TextMarker<L>
  | LinePattern<L>
  | PointPattern<L>
  | CentroidFill<L>

/** Symbol of features. */
export interface MapSymbol<L = Length> {
  readonly type: 'marker' | 'line' | 'fill'
  /** 0 is transparent, 1 is opaque. Applies to the symbol as a whole. */
  readonly opacity: number
  /** Bottom first. */
  readonly layers: readonly SymbolLayer<L>[]
  /** Values of `opacity` are percentages. */
  readonly dataDefined?: DataDefined<'opacity'>
}
