import type { Color } from '../color.ts'
import { findCssColor } from '../css_color.ts'
import type { Expression, Value } from '../expression/expression.ts'
import { compileExpression } from '../expression/expression_evaluate.ts'
import { findNumber } from '../expression/expression_value.ts'
import type { JsonMember, JsonNode, JsonObject } from '../json_read.ts'
import { type QmlReading, reportPart } from '../qml/qml_element.ts'
import { findQtColor } from '../qt_color.ts'
import { MapboxFault, readMapboxExpression, type ValueKind } from './mapbox_expression.ts'

/** Issues of a style. */
export type MapboxReading = Pick<QmlReading, 'issues'>

/** A layer of a style, with its members and their positions. */
export interface MapboxLayer {
  readonly reading: MapboxReading
  readonly node: JsonObject
  readonly id: string
  readonly type: string
  /** Members of `layout` and `paint`. */
  readonly properties: ReadonlyMap<string, JsonMember>
  /** Names of the properties that were read. */
  readonly used: Set<string>
}

/** A property: a fixed value, and an expression that replaces it where it has a value. */
export interface MapboxProperty<T> {
  readonly fixed: T
  readonly expression?: Expression
}

/** Returns a layer, with the properties of both of its groups. */
export function openLayer(reading: MapboxReading, node: JsonObject): MapboxLayer {
  const groups = ['layout', 'paint'].flatMap((name) => {
    const group = node.members.get(name)?.value
    return group?.kind === 'object' ? [...group.members] : []
  })
  const [id, type] = ['id', 'type'].map((name) => textOf(node.members.get(name)?.value) ?? '')
  return { reading, node, id: id ?? '', type: type ?? '', properties: new Map(groups), used: new Set() }
}

/** Returns the text of a value; undefined for others. */
export function textOf(node: JsonNode | undefined): string | undefined {
  return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined
}

/** Reports a part of a layer. */
export function reportLayer(layer: MapboxLayer, node: Pick<JsonNode, 'span'>, message: string): void {
  reportPart(layer.reading, node, `layer ${JSON.stringify(layer.id)}: ${message}`)
}

/** Returns the value of a property, which counts as read. */
export function propertyOf(layer: MapboxLayer, name: string): JsonNode | undefined {
  layer.used.add(name)
  return layer.properties.get(name)?.value
}

/** Largest size that may be drawn, in pixels. */
const mostDrawn = 1e9

/** Reads a number. */
export function numberOf(layer: MapboxLayer, name: string, byDefault: number): MapboxProperty<number> {
  const node = propertyOf(layer, name)
  if (node === undefined) return { fixed: byDefault }
  if (node.kind !== 'scalar')
    return expressionOf(layer, { node, name, kind: 'number', byDefault, parse: parseNumber })
  const isNumber = typeof node.value === 'number' && Number.isFinite(node.value)
  if (!isNumber) reportLayer(layer, node, `${name} is not a finite number; the default is drawn`)
  else if (Math.abs(Number(node.value)) > mostDrawn)
    reportLayer(layer, node, `${name} is too large to be drawn`)
  return { fixed: isNumber ? Number(node.value) : byDefault }
}

/** Reads a number that no expression may define. */
export function fixedNumberOf(layer: MapboxLayer, name: string, byDefault: number): number {
  const node = propertyOf(layer, name)
  if (node === undefined || node.kind === 'scalar') return numberOf(layer, name, byDefault).fixed
  reportLayer(layer, node, `${name} is drawn with a fixed value only; the default is drawn`)
  return byDefault
}

/** Reads a colour. */
export function colorOf(layer: MapboxLayer, name: string, byDefault: Color): MapboxProperty<Color> {
  const node = propertyOf(layer, name)
  if (node === undefined) return { fixed: byDefault }
  if (node.kind !== 'scalar')
    return expressionOf(layer, { node, name, kind: 'color', byDefault, parse: parseColor })
  const color = findCssColor(textOf(node) ?? '')
  if (color === undefined) reportLayer(layer, node, `${name} is not a colour of CSS; the default is drawn`)
  return { fixed: color ?? byDefault }
}

/** Reads one of some words. */
export function wordOf<W extends string>(layer: MapboxLayer, name: string, words: readonly [W, ...W[]]): W {
  const node = propertyOf(layer, name)
  const word = words.find((one) => one === textOf(node))
  if (node !== undefined && word === undefined)
    reportLayer(layer, node, `${name} is not one of ${words.join(', ')}; ${words[0]} is drawn`)
  return word ?? words[0]
}

/** Reads a list of numbers that no expression may define. */
export function numbersOf(layer: MapboxLayer, name: string): readonly number[] {
  const node = propertyOf(layer, name)
  if (node === undefined) return []
  const items = node.kind === 'array' ? node.items : []
  const numbers = items.map((one) =>
    one.kind === 'scalar' && typeof one.value === 'number' ? one.value : Number.NaN,
  )
  if (numbers.length > 0 && numbers.every((one) => Number.isFinite(one) && Math.abs(one) <= mostDrawn))
    return numbers
  reportLayer(layer, node, `${name} is not a list of numbers that can be drawn; it is left out`)
  return []
}

function parseNumber(value: Value): number | undefined {
  const number = findNumber(value)
  return number !== undefined && Math.abs(number) <= mostDrawn ? number : undefined
}

const parseColor = (value: Value) => (typeof value === 'string' ? findQtColor(value) : undefined)

interface Source<T> {
  readonly node: JsonNode
  readonly name: string
  readonly kind: ValueKind
  readonly byDefault: T
  /** Reads a value of the expression. */
  readonly parse: (value: Value) => T | undefined
}

/** Reads an expression. The fixed value is what it falls back to without a feature, such as the last value of `match`. */
function expressionOf<T>(
  layer: MapboxLayer,
  { node, name, kind, byDefault, parse }: Source<T>,
): MapboxProperty<T> {
  const expression = attempt(layer, name, () => readMapboxExpression(node, kind))
  if (expression === undefined) return { fixed: byDefault }
  return { fixed: parse(compileExpression(expression)({ attributes: {} })) ?? byDefault, expression }
}

/** Returns what a function reads; undefined, with an issue, if it is not supported. */
export function attempt<T>(layer: MapboxLayer, name: string, read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof MapboxFault)) throw error
    reportLayer(layer, error.node, `${name} is not drawn: ${error.message}`)
    return undefined
  }
}

/** Properties that change nothing on a flat map of one layer. */
const neutral = new Set([
  ...['visibility', 'line-miter-limit', 'line-round-limit', 'circle-pitch-scale', 'circle-pitch-alignment'],
  ...['text-pitch-alignment', 'text-padding', 'text-max-angle', 'text-optional', 'symbol-avoid-edges'],
  ...['fill-translate-anchor', 'line-translate-anchor', 'circle-translate-anchor', 'text-translate-anchor'],
])

/** Values of properties that change nothing on a flat map of one layer. */
const neutralValues: Readonly<Record<string, readonly unknown[]>> = {
  'fill-antialias': [true],
  'text-halo-blur': [0],
  'text-ignore-placement': [false],
  'text-keep-upright': [true],
  'text-rotation-alignment': ['auto'],
  'symbol-z-order': ['auto', 'viewport-y'],
}

function isNeutral(layer: MapboxLayer, name: string, { value }: JsonMember): boolean {
  if (neutral.has(name)) return true
  const scalar = value.kind === 'scalar' ? value.value : undefined
  // Labels turn with lines, and with nothing else.
  const isLine = textOf(layer.properties.get('symbol-placement')?.value)?.startsWith('line') === true
  if (name === 'text-rotation-alignment' && scalar === (isLine ? 'map' : 'viewport')) return true
  return Object.hasOwn(neutralValues, name) && neutralValues[name]?.includes(scalar) === true
}

/** Reports the properties of a layer that are not drawn. */
export function reportUnused(layer: MapboxLayer): void {
  for (const [name, member] of layer.properties)
    if (!layer.used.has(name) && !isNeutral(layer, name, member))
      reportLayer(layer, { span: member.span }, `${name} is not drawn`)
}
