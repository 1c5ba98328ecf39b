import type { GeometryFamily } from '../../contract/geometry.ts'
import { type Color, fade } from '../color.ts'
import { countSymbol } from '../count_symbol.ts'
import type { Rule, Style } from '../style_model.ts'
import { findOrigin, withOrigin } from '../style_origin.ts'
import type {
  LinePattern,
  MapSymbol,
  MarkerLine,
  MarkerShape,
  Offset,
  PointPattern,
  SimpleFill,
  SimpleLine,
  SimpleMarker,
  Stroke,
  SvgMarker,
  SymbolLayer,
} from '../symbol_layer.ts'
import { expressionOfFilter } from './mapserver_filter.ts'
import { labelsOf, scaleLimitsOf } from './mapserver_label_style.ts'
import type { MapserverClass, MapserverStyle, Marker, Symbolizer } from './mapserver_model.ts'
import { shiftOf, turn } from './mapserver_offset.ts'
import { shapeMarkerOf, widthOfShape } from './mapserver_shape.ts'

/** Returns a style in MapServer XML as the style of a layer with geometries of a family. */
export function styleOfMapserver(style: MapserverStyle, family: GeometryFamily): Style {
  const { rules } = style
  return {
    rules: rules.map((rule) => ruleOf(rule, family)),
    matching: 'first',
    isExact: true,
    levels: 'none',
    order: [],
    opacity: 1,
    blending: 'normal',
    featureBlending: 'normal',
    labels: [],
    ...(family === 'POINT' ? groupsOf(style) : {}),
  }
}

/** Groups have the colour of the first class. */
function groupsOf({ rules, clusterDistance: distance }: MapserverStyle): Pick<Style, 'groups'> {
  if (distance === undefined) return {}
  const color = rules.flatMap(({ symbolizers }) => symbolizers.flatMap(({ fill }) => fill ?? []))[0]
  return { groups: { distance, symbol: countSymbol(color ?? '#e6550d') } }
}

const types = { POINT: 'marker', LINESTRING: 'line', POLYGON: 'fill' } as const

function ruleOf(rule: MapserverClass, family: GeometryFamily): Rule {
  const { label, filter, isOff, symbolizers, labels = [] } = rule
  const layers = symbolizers.flatMap((symbolizer) =>
    layersOf[family](symbolizer).map((layer) => withOrigin(layer, findOrigin(symbolizer))),
  )
  const read: Rule = {
    ...(label === undefined ? {} : { label }),
    ...(filter === undefined ? {} : { filter: expressionOfFilter(filter) }),
    ...scaleLimitsOf(rule),
    isElse: false,
    isDrawn: isOff !== true,
    symbol: { type: types[family], opacity: 1, layers },
    labels: labels.map((one) => withOrigin(labelsOf(one, { family, symbolizers }), findOrigin(one))),
    children: [],
  }
  return withOrigin(read, findOrigin(rule))
}

const layersOf: Readonly<Record<GeometryFamily, (symbolizer: Symbolizer) => SymbolLayer[]>> = {
  POINT: markersOf,
  LINESTRING: linesOf,
  POLYGON: fillsOf,
}

const shapes: Readonly<Record<Exclude<Marker, 'hatch'>, MarkerShape>> = {
  circle: 'circle',
  square: 'square',
  diamond: 'diamond',
  triangle: 'triangle',
  'triangle-rotated': 'triangle',
  'triangle-equilateral': 'equilateral_triangle',
  star: 'star',
  pentagon: 'pentagon',
  arrow: 'arrow',
  arrowhead: 'arrowhead',
  cross: 'cross',
  x: 'cross2',
  line: 'line',
}

/** Symbols that are lines: their colour is that of the line. */
const lineMarkers: readonly Marker[] = ['arrowhead', 'cross', 'x', 'line']

/**
 * A marker that is a hatch draws nothing. Rotation is clockwise in the model, and turns the offset, too. The size is the height,
 * and outlines have sharp corners and flat ends, as in MapServer.
 */
function markersOf(symbolizer: Symbolizer): (SimpleMarker | SvgMarker)[] {
  const { fill, outline, marker, size, angle, offset = [0, 0], shape } = symbolizer
  if (shape !== undefined) return [shapeMarkerOf(symbolizer, shape, turn(offset, angle)) ?? []].flat()
  if (marker === 'hatch') return []
  const isLine = lineMarkers.includes(marker)
  const edge = isLine ? (fill ?? outline) : outline
  const stroke =
    edge === undefined ? undefined : strokeOf({ ...symbolizer, join: 'miter', cap: 'butt' }, edge)
  const [top, bottom] = extents[marker] ?? [-1, 1]
  const scaled = (2 * size) / (bottom - top)
  // The middle of the height of a symbol lies on the point.
  const shift = (scaled / 4) * (top + bottom)
  const turned =
    (360 - angle + (['triangle-rotated', 'triangle-equilateral'].includes(marker) ? 180 : 0)) % 360
  return [
    {
      kind: 'marker',
      pass: 0,
      shape: shapes[marker],
      ...(fill === undefined || isLine ? {} : { fill: fade(fill, symbolizer.opacity) }),
      ...(stroke === undefined ? {} : { stroke }),
      size: scaled,
      angle: turned,
      offset: placed(turn(offset, -turned), shift),
      anchor: { x: 'center', y: 'center' },
    },
  ]
}

/** Top and bottom of symbols that are less high than the circle around them, in multiples of its radius. */
const extents: Readonly<Partial<Record<Marker, readonly [top: number, bottom: number]>>> = {
  star: [-1, Math.cos(Math.PI / 5)],
  pentagon: [-1, Math.cos(Math.PI / 5)],
  'triangle-equilateral': [-1, 0.5],
}

const placed = ([x, y]: Offset<number>, shift: number): Offset<number> => [x, shift === 0 ? y : y - shift]

/** A stroke of width 0 is not drawn. */
function strokeOf(
  { width, dash, opacity, join = 'round', cap = 'round' }: Symbolizer,
  color: Color,
): Stroke | undefined {
  if (width <= 0) return undefined
  const ends = cap === 'butt' ? 'flat' : cap
  return { color: fade(color, opacity), width, dash, isDashRelative: false, dashOffset: 0, join, cap: ends }
}

function linesOf(symbolizer: Symbolizer): SymbolLayer[] {
  const { fill, outline, width, casing, gap = 0 } = symbolizer
  if (gap !== 0) return [markerLineOf(symbolizer, gap)]
  const color = fill ?? outline
  const below =
    outline === undefined || casing <= 0
      ? undefined
      : lineOf({ ...symbolizer, width: width + 2 * casing }, outline)
  const line = color === undefined ? undefined : lineOf(symbolizer, color)
  return [below, line].filter((layer) => layer !== undefined)
}

function lineOf(symbolizer: Symbolizer, color: Color): SimpleLine | undefined {
  const stroke = strokeOf(symbolizer, color)
  if (stroke === undefined) return undefined
  return { kind: 'line', pass: 0, stroke, offset: shiftOf(symbolizer) ?? 0, rings: 'all' }
}

/** The angle of markers that turn with the line is added to the direction of the line. */
function markerLineOf(symbolizer: Symbolizer, gap: number): MarkerLine {
  const shift = shiftOf(symbolizer)
  const { offset: _, ...unmoved } = symbolizer
  const layers = markersOf(shift === undefined ? symbolizer : unmoved)
  const marker: MapSymbol = { type: 'marker', opacity: 1, layers }
  return {
    kind: 'marker_line',
    pass: 0,
    marker,
    placements: ['interval'],
    interval: Math.abs(gap),
    offsetAlong: symbolizer.initialGap ?? Math.abs(gap) / 2,
    offset: shift ?? 0,
    isRotated: gap < 0,
    averageLength: 0,
    rings: 'all',
  }
}

function fillsOf(symbolizer: Symbolizer): SymbolLayer[] {
  const { outline, offset: _, ...area } = symbolizer
  if (shiftOf(symbolizer) === undefined) return areasOf(symbolizer)
  const line = outline === undefined ? undefined : lineOf(symbolizer, outline)
  return [...(area.fill === undefined ? [] : areasOf(area)), ...(line === undefined ? [] : [line])]
}

function areasOf(symbolizer: Symbolizer): SymbolLayer[] {
  const { fill, outline, opacity, marker, hasSymbol, offset = [0, 0] } = symbolizer
  const isSolid = marker === 'circle' && hasSymbol !== true
  const stroke = outline === undefined ? undefined : strokeOf(symbolizer, outline)
  const area: SimpleFill = {
    kind: 'fill',
    pass: 0,
    color: fade(fill ?? '#000000', opacity),
    brush: fill === undefined || !isSolid ? 'no' : 'solid',
    ...(stroke === undefined ? {} : { stroke }),
    offset,
  }
  const pattern = isSolid || fill === undefined ? undefined : patternOf(symbolizer, fill)
  return pattern === undefined ? [area] : [pattern, area]
}

/** Markers that are filled touch each other, unless they have a gap. */
function patternOf(symbolizer: Symbolizer, color: Color): LinePattern | PointPattern | undefined {
  if (symbolizer.size <= 0) return undefined
  if (symbolizer.marker === 'hatch') return hatchOf(symbolizer, color)
  const { outline: _, ...marker } = symbolizer
  const { gap = 0, size, shape } = symbolizer
  const width = shape === undefined ? size : widthOfShape(shape, size)
  return {
    kind: 'point_pattern',
    pass: 0,
    marker: { type: 'marker', opacity: 1, layers: markersOf(marker) },
    distance: [Math.abs(gap) || width, Math.abs(gap) || size],
    displacement: [0, 0],
    offset: [0, 0],
    angle: 0,
    clipping: 'clip',
  }
}

function hatchOf(symbolizer: Symbolizer, color: Color): LinePattern | undefined {
  const line = lineOf({ ...symbolizer, offset: [0, 0] }, color)
  if (line === undefined) return undefined
  return {
    kind: 'line_pattern',
    pass: 0,
    line: { type: 'line', opacity: 1, layers: [line] },
    angle: symbolizer.angle,
    distance: symbolizer.size,
    offset: 0,
  }
}
