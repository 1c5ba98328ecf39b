import { type Color, channelsOf, fade } from '../color.ts'
import type { Expression } from '../expression/expression.ts'
import type { DataDefined, LayerProperty, MapSymbol, Offset, Stroke } from '../symbol_layer.ts'
import {
  colorOf,
  fixedNumberOf,
  type MapboxLayer,
  numberOf,
  numbersOf,
  propertyOf,
  reportLayer,
  wordOf,
} from './mapbox_layer.ts'

/** Reads the symbol of a layer; undefined for layers of labels, and of types that are not drawn. */
export function readMapboxSymbol(layer: MapboxLayer, pass: number): MapSymbol | undefined {
  if (layer.type === 'fill') return readFill(layer, pass)
  if (layer.type === 'line') return readLine(layer, pass)
  return layer.type === 'circle' ? readCircle(layer, pass) : undefined
}

type Defined = readonly (readonly [LayerProperty, Expression | undefined])[]

function definedBy(entries: Defined): { readonly dataDefined?: DataDefined<LayerProperty> } {
  const found = entries.filter(([, expression]) => expression !== undefined)
  return found.length === 0 ? {} : { dataDefined: Object.fromEntries(found) }
}

/** Opacity of a layer as that of its symbol, in which expressions are percentages. */
function opacityOf(layer: MapboxLayer, name: string): Pick<MapSymbol, 'opacity' | 'dataDefined'> {
  const { fixed, expression } = numberOf(layer, name, 1)
  const opacity = Math.min(1, Math.max(0, fixed))
  return expression === undefined
    ? { opacity }
    : { opacity, dataDefined: { opacity: times(expression, 100) } }
}

const times = (left: Expression, factor: number): Expression => ({
  ...{ op: 'binary', operator: '*', left },
  right: { op: 'literal', value: factor },
})

function offsetOf(layer: MapboxLayer, name: string): Offset {
  const [x = 0, y = 0] = numbersOf(layer, name)
  return [x, y]
}

const solid = { dash: [], isDashRelative: false, dashOffset: 0, join: 'round', cap: 'flat' } as const

/** Stands for the image of a pattern. */
const hatch = { color: '#a0a0a0', brush: 'f_diagonal' } as const

/** An outline is a line of one pixel. */
function readFill(layer: MapboxLayer, pass: number): MapSymbol {
  const color = colorOf(layer, 'fill-color', '#000000')
  const outline = layer.properties.has('fill-outline-color')
    ? colorOf(layer, 'fill-outline-color', color.fixed)
    : undefined
  const pattern = propertyOf(layer, 'fill-pattern')
  // Mapbox GL draws the image alone, and no colour.
  const isHatched = pattern !== undefined && !layer.properties.has('fill-color')
  if (pattern !== undefined)
    reportLayer(
      layer,
      pattern,
      `fill-pattern is drawn as ${isHatched ? 'a grey hatch' : 'a fill of one colour'}`,
    )
  return {
    type: 'fill',
    ...opacityOf(layer, 'fill-opacity'),
    layers: [
      {
        ...{
          kind: 'fill',
          pass,
          ...(isHatched ? hatch : ({ color: color.fixed, brush: 'solid' } as const)),
          offset: offsetOf(layer, 'fill-translate'),
        },
        ...(outline === undefined ? {} : { stroke: { ...solid, color: outline.fixed, width: 1 } }),
        ...definedBy([
          ['color', color.expression],
          ['stroke.color', outline?.expression],
        ]),
      },
    ],
  }
}

function readLine(layer: MapboxLayer, pass: number): MapSymbol {
  const color = colorOf(layer, 'line-color', '#000000')
  const width = numberOf(layer, 'line-width', 1)
  const dash = numbersOf(layer, 'line-dasharray')
  const cap = wordOf(layer, 'line-cap', ['butt', 'round', 'square'])
  const isDashed = dash.length > 0 && dash.every((length) => length >= 0)
  const stroke: Stroke = {
    ...{ color: color.fixed, width: width.fixed, dashOffset: 0, isDashRelative: isDashed },
    // A list of an odd length is repeated.
    dash: isDashed ? (dash.length % 2 === 0 ? dash : [...dash, ...dash]) : [],
    join: wordOf(layer, 'line-join', ['miter', 'bevel', 'round']),
    cap: cap === 'butt' ? 'flat' : cap,
  }
  const isEmpty = width.fixed <= 0 && width.expression === undefined
  return {
    type: 'line',
    ...opacityOf(layer, 'line-opacity'),
    layers: isEmpty
      ? []
      : [
          {
            ...{ kind: 'line', pass, stroke, offset: fixedNumberOf(layer, 'line-offset', 0), rings: 'all' },
            ...definedBy([
              ['stroke.color', color.expression],
              ['stroke.width', width.expression],
            ]),
          },
        ],
  }
}

/** The outline of a circle lies around it, that of a marker on its edge. */
function readCircle(layer: MapboxLayer, pass: number): MapSymbol {
  const color = colorOf(layer, 'circle-color', '#000000')
  const edge = colorOf(layer, 'circle-stroke-color', '#000000')
  const edgeOpacity = fixedNumberOf(layer, 'circle-stroke-opacity', 1)
  const radius = numberOf(layer, 'circle-radius', 5)
  const width = fixedNumberOf(layer, 'circle-stroke-width', 0)
  const opacity = opacityOf(layer, 'circle-opacity')
  // The opacity of a symbol is that of its outline, too.
  const isWhole = opacity.dataDefined !== undefined || width <= 0
  const fill = isWhole ? color.fixed : faded(color.fixed, opacity.opacity)
  if (!isWhole && opacity.opacity < 1 && color.expression !== undefined)
    reportLayer(
      layer,
      layer.properties.get('circle-opacity') ?? layer.node,
      'circle-opacity is ignored beside an expression of circle-color',
    )
  const size = radius.expression === undefined ? undefined : plus(times(radius.expression, 2), width)
  const stroke = width > 0 ? { stroke: { ...solid, color: faded(edge.fixed, edgeOpacity), width } } : {}
  return {
    type: 'marker',
    ...(isWhole ? opacity : { opacity: 1 }),
    layers: [
      {
        ...{ kind: 'marker', pass, shape: 'circle', size: 2 * radius.fixed + Math.max(0, width), angle: 0 },
        ...(channelsOf(fill)[3] === 0 && color.expression === undefined ? {} : { fill }),
        ...stroke,
        offset: offsetOf(layer, 'circle-translate'),
        anchor: { x: 'center', y: 'center' },
        ...definedBy([
          ['fill', color.expression],
          ['stroke.color', edge.expression],
          ['size', size],
        ]),
      },
    ],
  }
}

const faded = (color: Color, opacity: number) => (opacity >= 1 ? color : fade(color, Math.max(0, opacity)))

const plus = (left: Expression, value: number): Expression =>
  value === 0 ? left : { op: 'binary', operator: '+', left, right: { op: 'literal', value } }
