import { type Color, channelsOf } from '../color.ts'
import type { Expression } from '../expression/expression.ts'
import {
  type FlatRule,
  listPasses,
  refuseLimits,
  refuseOffset,
  refuseRings,
  reportStyle,
  Untranslated,
  UntranslatedPart,
  unwrapConversion,
  type WrittenStyle,
} from '../flat_rules.ts'
import type { Labels } from '../label_model.ts'
import type { Style } from '../style_model.ts'
import type { Length, Offset, Stroke, SymbolLayer } from '../symbol_layer.ts'
import { worldScale } from './mapbox_stops.ts'

/** Where the layer of a style is in vector tiles. */
export interface TileSource {
  /** URL of vector tiles with `{z}`, `{x}` and `{y}`. */
  readonly tiles: string
  /** Name of the layer in the tiles. */
  readonly layer: string
}

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/**
 * Writes a style as a style of Mapbox GL, version 8, with one source of vector tiles.
 *
 * @see https://docs.mapbox.com/style-spec/
 */
export function writeMapboxStyle(style: Style, { tiles, layer }: TileSource, name = 'style'): WrittenStyle {
  const left = new Untranslated()
  const layers = listPasses(style).flatMap((rules, at) =>
    rules.flatMap(([rule, number]) => writeRule(rule, { number, left, style, isFirst: at === 0 })),
  )
  reportStyle(left, style)
  const source = { type: 'vector', tiles: [tiles] }
  const drawn = layers.map((one, at) => ({
    id: `${at + 1}`,
    source: 'layer',
    'source-layer': layer,
    ...one,
  }))
  const json = { version: 8, name, sources: { layer: source }, layers: drawn }
  return { text: `${JSON.stringify(json, undefined, 2)}\n`, untranslated: [...new Set(left.parts)] }
}

interface Place {
  readonly number: number
  readonly left: Untranslated
  readonly style: Style
  /** Whether the labels of the style are written. */
  readonly isFirst: boolean
}

type MapboxLayer = Readonly<Record<string, Json>>

function writeRule(rule: FlatRule, { number, left, style, isFirst }: Place): MapboxLayer[] {
  const place = { number, rule }
  const limits = left.attempt(place, () => writeLimits(rule))
  if (limits === undefined) return []
  const opacity = (rule.symbol?.opacity ?? 1) * style.opacity
  if (rule.symbol?.dataDefined !== undefined)
    left.note(place, 'the opacity of the symbol depends on fields, and is left out')
  for (const part of rule.symbol?.layers ?? [])
    if ('stroke' in part && part.stroke !== undefined && isShifted(part.stroke))
      left.note({ ...place, part }, 'dashes start at the start of the line')
  const symbols = (rule.symbol?.layers ?? []).flatMap(
    (part) => left.attempt({ ...place, part }, () => writeLayer(part, opacity)) ?? [],
  )
  const labels = [...rule.labels, ...(isFirst ? style.labels : [])].flatMap(
    (part) => left.attempt({ ...place, part }, () => [writeLabels(part)]) ?? [],
  )
  const named = rule.label === '' ? {} : { metadata: { 'landform:rule': rule.label } }
  return [...symbols, ...labels].map((layer) => ({ ...layer, ...named, ...limits }))
}

function writeLimits({ filter, unless, minScaleDenom, maxScaleDenom }: FlatRule): MapboxLayer {
  const tests = [
    ...(filter === undefined ? [] : [writeTest(filter)]),
    ...unless.map((one) => ['!', writeTest(one)]),
  ]
  const [only] = tests
  const zoomOf = (denominator: number) =>
    Number(Math.min(24, Math.max(0, Math.log2(worldScale / denominator))).toFixed(3))
  return {
    ...(only === undefined ? {} : { filter: tests.length === 1 ? only : ['all', ...tests] }),
    ...(maxScaleDenom === undefined ? {} : { minzoom: zoomOf(maxScaleDenom) }),
    ...(minScaleDenom === undefined ? {} : { maxzoom: zoomOf(minScaleDenom) }),
  }
}

const comparisons: Readonly<Record<string, string>> = {
  '=': '==',
  is: '==',
  '<>': '!=',
  'is not': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
}

/** Comparisons with null are false. */
function writeTest(expression: Expression): Json {
  switch (expression.op) {
    case 'and':
    case 'or':
      return [expression.op === 'and' ? 'all' : 'any', ...expression.operands.map(writeTest)]
    case 'not':
      return ['!', writeTest(expression.operand)]
    case 'in': {
      const items = expression.items.map((item) => String(constantOf(item)))
      const test = ['in', ['to-string', writeValue(expression.operand)], ['literal', items]]
      return expression.isNegated ? ['!', test] : test
    }
    case 'between': {
      const value = ['to-number', writeValue(expression.operand), Number.MIN_SAFE_INTEGER]
      const [lower, upper] = [writeValue(expression.lower), writeValue(expression.upper)]
      const test = ['all', ['>=', value, lower], ['<=', value, upper]]
      return expression.isNegated ? ['!', test] : test
    }
    case 'binary':
      return writeComparison(expression)
    default:
      throw new UntranslatedPart(`its filter has a part (${expression.op}) that Mapbox GL does not have`)
  }
}

function writeComparison({ operator, left, right }: Expression & { op: 'binary' }): Json {
  const isNull = right.op === 'literal' && right.value === null
  if (isNull && operator === 'is') return ['==', writeValue(left), null]
  if (isNull && operator === 'is not') return ['!=', writeValue(left), null]
  const name = comparisons[operator]
  if (name === undefined)
    throw new UntranslatedPart(`its filter has the operator ${operator}, which Mapbox GL does not have`)
  const constant = right.op === 'literal' ? right.value : undefined
  // Null is not different from a value in filters, but is in Mapbox GL.
  if (operator === '<>')
    return [
      'all',
      ['!=', writeValue(left), null],
      writeComparison({ op: 'binary', operator: 'is not', left, right }),
    ]
  if (typeof constant === 'number')
    return [name, ['to-number', writeValue(left), Number.MIN_SAFE_INTEGER], constant]
  if (typeof constant === 'string') return [name, ['to-string', writeValue(left)], constant]
  return [name, writeValue(left), writeValue(right)]
}

function constantOf(expression: Expression): string | number | boolean {
  if (expression.op === 'literal' && expression.value !== null) return expression.value
  throw new UntranslatedPart('its filter has a list of expressions, which Mapbox GL does not have')
}

const arithmetic = new Set(['+', '-', '*', '/', '%', '^'])

function writeValue(expression: Expression): Json {
  const value = unwrapConversion(expression)
  if (value.op === 'field') return ['get', value.name]
  if (value.op === 'literal') return value.value
  if (value.op === '||') return ['concat', ...value.operands.map(writeValue)]
  if (value.op === 'binary' && arithmetic.has(value.operator))
    return [value.operator, ['to-number', writeValue(value.left)], ['to-number', writeValue(value.right)]]
  throw new UntranslatedPart(
    `it has ${value.op === 'call' ? `the function ${value.name}()` : 'an expression'}, which Mapbox GL does not have`,
  )
}

function rgba(color: Color, opacity: number): string {
  const [red, green, blue, alpha] = channelsOf(color)
  return `rgba(${red},${green},${blue},${Number(((alpha / 255) * opacity).toFixed(4))})`
}

function pixelsOf(length: Length): number {
  if (typeof length === 'number') return length
  throw new UntranslatedPart('lengths in map units are left out')
}

type LineLayer = Extract<SymbolLayer, { kind: 'line' }>

const isShifted = ({ dash, dashOffset }: Stroke) => dash.length > 0 && dashOffset !== 0

function translate(type: string, { offset }: { readonly offset: Offset }): MapboxLayer {
  const [x, y] = offset.map(pixelsOf)
  return x === 0 && y === 0 ? {} : { [`${type}-translate`]: [x ?? 0, y ?? 0] }
}

function writeLine({ stroke, offset }: Pick<LineLayer, 'stroke' | 'offset'>, opacity: number): MapboxLayer {
  const width = pixelsOf(stroke.width) || 1
  const unit = stroke.isDashRelative ? 1 : width
  const dash = stroke.dash.map((length) => pixelsOf(length) / unit)
  return {
    type: 'line',
    layout: { 'line-join': stroke.join, 'line-cap': stroke.cap === 'flat' ? 'butt' : stroke.cap },
    paint: {
      ...{ 'line-color': rgba(stroke.color, opacity), 'line-width': width },
      ...(dash.length === 0 ? {} : { 'line-dasharray': dash }),
      ...(offset === 0 ? {} : { 'line-offset': pixelsOf(offset) }),
    },
  }
}

function writeLayer(layer: SymbolLayer, opacity: number): MapboxLayer[] {
  if (layer.dataDefined !== undefined) throw new UntranslatedPart('data-defined properties are left out')
  if (layer.kind === 'line') {
    refuseRings(layer)
    return [writeLine(layer, opacity)]
  }
  if (layer.kind === 'fill') {
    if (layer.brush !== 'solid' && layer.brush !== 'no')
      throw new UntranslatedPart(`the brush ${layer.brush} is left out`)
    const fill = {
      type: 'fill',
      paint: { 'fill-color': rgba(layer.color, opacity), ...translate('fill', layer) },
    }
    if (layer.stroke !== undefined) refuseOffset('fill', layer)
    return [
      ...(layer.brush === 'no' ? [] : [fill]),
      ...(layer.stroke === undefined ? [] : [writeLine({ stroke: layer.stroke, offset: 0 }, opacity)]),
    ]
  }
  if (layer.kind !== 'marker') throw new UntranslatedPart(`a symbol layer of kind ${layer.kind} is left out`)
  if (layer.anchor.x !== 'center' || layer.anchor.y !== 'center')
    throw new UntranslatedPart('a marker that is not centred is left out')
  if (layer.shape !== 'circle') throw new UntranslatedPart(`the marker ${layer.shape} is left out`)
  const { stroke } = layer
  const outline =
    stroke === undefined
      ? {}
      : {
          'circle-stroke-color': rgba(stroke.color, opacity),
          'circle-stroke-width': pixelsOf(stroke.width) || 1,
        }
  const fill = layer.fill === undefined ? 'rgba(0,0,0,0)' : rgba(layer.fill, opacity)
  return [
    {
      type: 'circle',
      paint: {
        ...{ 'circle-color': fill, 'circle-radius': radiusOf(layer), ...outline },
        ...translate('circle', layer),
      },
    },
  ]
}

/** The outline of a circle of Mapbox GL lies around it, that of a marker on its edge. */
function radiusOf({ size, stroke }: SymbolLayer & { readonly kind: 'marker' }): number {
  const width = stroke === undefined ? 0 : pixelsOf(stroke.width) || 1
  return Math.max(0, (pixelsOf(size) - width) / 2)
}

function writeLabels(labels: Labels): MapboxLayer {
  refuseLimits(labels)
  const { text, font, color, buffer, dataDefined, placement } = labels
  if (dataDefined !== undefined)
    throw new UntranslatedPart('labels with data-defined properties are left out')
  const halo =
    buffer === undefined
      ? {}
      : { 'text-halo-color': rgba(buffer.color, 1), 'text-halo-width': pixelsOf(buffer.size) }
  return {
    type: 'symbol',
    layout: {
      'text-field': ['to-string', writeValue(text)],
      'text-font': [font.family],
      'text-size': pixelsOf(font.size),
      ...(placement.kind === 'line' ? { 'symbol-placement': 'line' } : {}),
    },
    paint: { 'text-color': rgba(color, 1), ...halo },
  }
}
