import { isObject } from '../../core/is_object.ts'
import type { Expression } from '../expression/expression.ts'
import { formatExpression } from '../expression/expression_format.ts'
import type { Rule } from '../style_model.ts'
import type { MapSymbol, SymbolLayer } from '../symbol_layer.ts'

type Members = Readonly<Record<string, unknown>>

const layerNames: Readonly<Record<SymbolLayer['kind'], string>> = {
  fill: 'fill',
  line: 'line',
  marker_line: 'markers on line',
  marker: 'marker',
  svg: 'SVG marker',
  text: 'letter marker',
  line_pattern: 'line pattern',
  point_pattern: 'point pattern',
  centroid: 'marker at centroid',
}

/** Name of a symbol layer, such as `SVG marker`. */
export const nameOfLayer = ({ kind }: SymbolLayer): string => layerNames[kind]

const propertyNames: Readonly<Record<string, string>> = {
  // A small denominator is a large scale.
  minScaleDenom: 'largest scale',
  maxScaleDenom: 'smallest scale',
  stroke: 'outline',
  dataDefined: 'expression of',
  dash: 'dashes',
  source: 'image',
}

/** Name of a property by its members from the top: `stroke`, `width` is `outline width`; what is in a name anyway is left out. */
export function nameOfProperty(names: readonly string[]): string {
  const shown = names.filter((name, at) => !(name === 'kind' && at > 0))
  return shown.map((name) => splitName(propertyNames[name] ?? name)).join(' ')
}

function splitName(name: string): string {
  const words = name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
  return words.replace(/^is /, '').replaceAll('color', 'colour').replaceAll('_', ' ')
}

const lengths =
  /^(width|size|distance|interval|offset|offsetAlong|averageLength|dash|dashOffset|outlineWidth|letterSpacing|displacement|minLength|gapAtLabel|gapAtFeature|repeatDistance|radius|spacing)$/

/** Whether a value is shown as a whole, and not by member: expressions, lengths in map units, images. */
export function isWhole(value: Members): boolean {
  return 'op' in value || 'mapUnits' in value || 'svg' in value || 'path' in value
}

/** Describes two different values of a property; texts that would be equal are told apart. */
export function describeValues(key: string, from: unknown, to: unknown): readonly [from: string, to: string] {
  const [old, next] = [describeValue(key, from), describeValue(key, to)]
  if (old !== next) return [old, next]
  const [before, after] = [JSON.stringify(from) ?? old, JSON.stringify(to) ?? next]
  return before !== after && before.length + after.length < 200 ? [before, after] : [old, `another ${next}`]
}

/** Describes a value of a property in a few words. */
export function describeValue(key: string, value: unknown): string {
  if (value === undefined || value === '') return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return describeNumber(key, value)
  if (typeof value === 'string')
    return /^(label|family|text|wrapCharacter)$/.test(key) ? JSON.stringify(value) : splitValue(value)
  if (Array.isArray(value)) return describeList(key, value)
  return isObject(value) ? describeObject(value) : String(value)
}

const splitValue = (value: string) => (value.startsWith('#') ? value : value.replaceAll('_', ' '))

function describeNumber(key: string, value: number): string {
  const text = String(Number(value.toPrecision(4)))
  if (/ScaleDenom$/.test(key)) return `1:${Math.round(value).toLocaleString('en-US')}`
  if (key === 'angle') return `${text}°`
  if (key === 'opacity') return `${Number((value * 100).toPrecision(4))} %`
  return lengths.test(key) ? `${text} px` : text
}

function describeList(key: string, values: readonly unknown[]): string {
  if (values.length === 0) return 'none'
  if (values.every((one) => typeof one === 'number'))
    return lengths.test(key)
      ? `${values.map((one) => describeNumber('', one)).join(' ')} px`
      : values.join(' ')
  return values.map((one) => describeValue('', one)).join(', ')
}

function describeObject(value: Members): string {
  if ('op' in value) return formatExpression(value as unknown as Expression)
  if ('mapUnits' in value) return describeMapLength(value)
  if (typeof value.svg === 'string') return `image of ${value.svg.length.toLocaleString('en-US')} characters`
  if (typeof value.path === 'string') return value.path
  if (Array.isArray(value.layers)) return describeSymbol(value as unknown as MapSymbol)
  if ('expression' in value)
    return `${describeValue('', value.expression)} ${value.isAscending ? 'ascending' : 'descending'}`
  if (typeof value.kind === 'string' && value.kind in layerNames)
    return describeLayer(value as unknown as SymbolLayer)
  if ('text' in value) return describeValue('', value.text)
  const parts = Object.entries(value).map(([key, one]) =>
    /^(color|width|size|kind)$/.test(key)
      ? describeValue(key, one)
      : `${nameOfProperty([key])} ${describeValue(key, one)}`,
  )
  const [main, rest] = [/^(#|\d)/, /^(?!#|\d)/].map((pattern) => parts.filter((part) => pattern.test(part)))
  return main === undefined || main.length === 0 ? (rest ?? []).join(', ') : main.join(' ')
}

function describeMapLength({ mapUnits, minPixels, maxPixels }: Members): string {
  const limits = [
    ...(minPixels === undefined ? [] : [`at least ${describeValue('size', minPixels)}`]),
    ...(maxPixels === undefined ? [] : [`at most ${describeValue('size', maxPixels)}`]),
  ]
  return `${describeValue('', mapUnits)} map units${limits.length === 0 ? '' : ` (${limits.join(', ')})`}`
}

/** Describes a symbol by its layers: `line #000000 3 px + line #ffffff 1 px`. */
function describeSymbol({ layers }: MapSymbol): string {
  return layers.length === 0 ? 'nothing' : layers.map(describeLayer).join(' + ')
}

function describeLayer(layer: SymbolLayer): string {
  const { kind, stroke, color, fill, size, shape } = layer as unknown as Members
  const name = kind === 'marker' ? splitName(String(shape)) : nameOfLayer(layer)
  const { color: strokeColor, width } = isObject(stroke) ? stroke : {}
  const shown = color ?? fill ?? strokeColor
  const extent = size ?? (kind === 'line' ? width : undefined)
  return [
    name,
    ...(shown === undefined ? [] : [describeValue('', shown)]),
    ...(extent === undefined ? [] : [describeValue('size', extent)]),
  ].join(' ')
}

/** Describes what a rule draws. */
export function describeRule({ symbol, labels, children }: Rule): string {
  const parts = [
    ...(symbol === undefined ? [] : [describeSymbol(symbol)]),
    ...labels.map((one) => `labels ${describeValue('', one)}`),
    ...(children.length === 0
      ? []
      : [`${children.length} ${children.length === 1 ? 'rule' : 'rules'} below it`]),
  ]
  return parts.length === 0 ? 'nothing' : parts.join(', ')
}
