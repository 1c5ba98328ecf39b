import type { GeometryFamily } from '../contract/geometry.ts'
import type { Expression } from './expression.ts'
import type { Filter } from './feature_filter.ts'
import type { Rule as PageRule, Style as PageStyle, Symbolizer } from './page_style.ts'
import { paintOf } from './page_style.ts'
import type { Rule, Style } from './style_model.ts'
import type { MapSymbol, MarkerShape, Stroke, SymbolLayer } from './symbol_layer.ts'

/** Returns the style of a page as symbols for geometries of a family. */
export function symbolStyle(style: PageStyle, family: GeometryFamily): Style {
  return {
    rules: style.rules.map((rule) => symbolRule(rule, family)),
    matching: 'first',
    levels: 'none',
    order: [],
    opacity: 1,
    blending: 'normal',
    featureBlending: 'normal',
    labels: [],
  }
}

function symbolRule({ filter, symbolizers, ...rule }: PageRule, family: GeometryFamily): Rule {
  return {
    ...rule,
    ...(filter === undefined ? {} : { filter: expressionOf(filter) }),
    isElse: false,
    isDrawn: true,
    symbol: symbolOf(symbolizers, family),
    labels: [],
    children: [],
  }
}

const types = { POINT: 'marker', LINESTRING: 'line', POLYGON: 'fill' } as const

function symbolOf(symbolizers: readonly Symbolizer[], family: GeometryFamily): MapSymbol {
  return { type: types[family], opacity: 1, layers: symbolizers.flatMap((one) => layersOf(one, family)) }
}

function layersOf(symbolizer: Symbolizer, family: GeometryFamily): SymbolLayer[] {
  const { fill, strokes, opacity } = paintOf(symbolizer, family)
  const [stroke] = strokes.map(
    ({ color, width, dash }): Stroke => ({ ...plain, color: fade(color, opacity), width, dash }),
  )
  const outline = stroke === undefined ? {} : { stroke }
  if (family === 'POINT')
    return [
      {
        ...{ kind: 'marker', pass: 0, shape: shapes[symbolizer.marker], size: symbolizer.size },
        ...{ angle: -symbolizer.angle, offset: [0, 0], anchor: { x: 'center', y: 'center' } },
        ...(fill === undefined ? {} : { fill: fade(fill, opacity) }),
        ...outline,
      },
    ]
  if (family === 'POLYGON') {
    const brush = fill === undefined ? 'no' : 'solid'
    return [
      { kind: 'fill', pass: 0, color: fade(fill ?? '#000000', opacity), brush, offset: [0, 0], ...outline },
    ]
  }
  return strokes.map(({ color, width, dash }) => ({
    ...{ kind: 'line', pass: 0, offset: 0, rings: 'all' },
    stroke: { ...plain, color: fade(color, opacity), width, dash },
  }))
}

const plain = { isDashRelative: false, dashOffset: 0, join: 'round', cap: 'round' } as const

const shapes: Readonly<Record<Symbolizer['marker'], MarkerShape>> = {
  ...{ circle: 'circle', square: 'square', diamond: 'diamond', triangle: 'triangle', star: 'star' },
  ...{ cross: 'cross_fill', x: 'cross2' },
}

function fade(color: `#${string}`, opacity: number): `#${string}` {
  return opacity >= 1
    ? color
    : `${color}${Math.round(Math.max(0, opacity) * 255)
        .toString(16)
        .padStart(2, '0')}`
}

const operators = { eq: '=', ne: '<>', lt: '<', le: '<=', gt: '>', ge: '>=' } as const

function expressionOf(filter: Filter): Expression {
  switch (filter.op) {
    case 'and':
    case 'or':
      return { op: filter.op, operands: filter.filters.map(expressionOf) }
    case 'not':
      return { op: 'not', operand: expressionOf(filter.filter) }
    case 'in': {
      const items = filter.values.map((value) => ({ op: 'literal', value }) as const)
      return { op: 'in', operand: { op: 'field', name: filter.field }, items, isNegated: false }
    }
    case 'matches': {
      const right = { op: 'literal', value: filter.pattern } as const
      return { op: 'binary', operator: '~', left: { op: 'field', name: filter.field }, right }
    }
    default: {
      const right = { op: 'literal', value: filter.value } as const
      const left = { op: 'field', name: filter.field } as const
      return { op: 'binary', operator: operators[filter.op], left, right }
    }
  }
}
