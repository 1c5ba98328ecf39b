import { type Color, channelsOf } from '../color.ts'
import { findCssColor } from '../css_color.ts'
import { type BinaryOperator, type Expression, operandsOf, type Value } from '../expression/expression.ts'
import type { JsonArray, JsonNode } from '../json_read.ts'
import { colorText } from '../symbol_color.ts'
import { interpolateStops, type Stop, stepStops, zoomLevel } from './mapbox_stops.ts'

/** A part of an expression that is not supported. */
export class MapboxFault extends Error {
  readonly node: JsonNode

  constructor(node: JsonNode, message: string) {
    super(message)
    this.node = node
  }
}

/** What the value of an expression is for. Colours are texts as symbols read them. */
export type ValueKind = 'value' | 'number' | 'color'

const literal = (value: Value): Expression => ({ op: 'literal', value })
const call = (name: string, ...operands: readonly Expression[]): Expression => ({
  op: 'call',
  name,
  operands,
})
const isNull = (operand: Expression): Expression => binary('is', operand, literal(null))

function binary(operator: BinaryOperator, left: Expression, right: Expression): Expression {
  return { op: 'binary', operator, left, right }
}

/** Text of a value; empty for null, as in Mapbox GL. */
const asText = (operand: Expression) =>
  operand.op === 'literal'
    ? literal(textOf(operand.value))
    : call('coalesce', call('to_string', operand), literal(''))

const textOf = (value: Value) => (value === null ? '' : String(value))

/**
 * Reads an expression of Mapbox GL, or a function with stops of older styles.
 *
 * @throws {MapboxFault} on parts that are not supported
 */
export function readMapboxExpression(node: JsonNode, kind: ValueKind = 'value'): Expression {
  if (node.kind === 'scalar')
    return literal(kind === 'color' && node.value !== null ? colorValue(node) : node.value)
  if (node.kind === 'object') return limited(node, readFunction(node, kind))
  const [head] = node.items
  const name = head?.kind === 'scalar' && typeof head.value === 'string' ? head.value : undefined
  const read = name !== undefined && Object.hasOwn(readers, name) ? readers[name] : undefined
  if (read === undefined)
    throw new MapboxFault(node, `the expression ${JSON.stringify(name ?? null)} is not supported`)
  return limited(node, read({ node, name: name ?? '', operands: node.items.slice(1), kind }))
}

/** Maximum number of parts of an expression: interpolation repeats its input for every stop. */
const maxParts = 20_000

const knownParts = new WeakMap<Expression, number>()

function partsOf(expression: Expression): number {
  const known = knownParts.get(expression)
  if (known !== undefined) return known
  const parts = operandsOf(expression).reduce((sum, operand) => sum + partsOf(operand), 1)
  knownParts.set(expression, parts)
  return parts
}

function limited(node: JsonNode, expression: Expression): Expression {
  if (partsOf(expression) > maxParts) throw new MapboxFault(node, 'the expression is too large')
  return expression
}

function colorValue(node: JsonNode): string {
  const color =
    node.kind === 'scalar' && typeof node.value === 'string' ? findCssColor(node.value) : undefined
  if (color === undefined) throw new MapboxFault(node, 'the colour is not one of CSS')
  return colorText(color)
}

interface Operation {
  readonly node: JsonArray
  readonly name: string
  readonly operands: readonly JsonNode[]
  readonly kind: ValueKind
}

type Read = (operation: Operation) => Expression

function operandAt({ node, name, operands }: Operation, at: number): JsonNode {
  const operand = operands[at]
  if (operand === undefined) throw new MapboxFault(node, `the expression "${name}" has too few operands`)
  return operand
}

const valueAt = (operation: Operation, at: number, kind: ValueKind = 'value') =>
  readMapboxExpression(operandAt(operation, at), kind)

const comparisons: Readonly<Record<string, BinaryOperator>> = {
  // Comparisons of equality are never null, as in Mapbox GL.
  ...{ '==': 'is', '!=': 'is not', '<': '<', '<=': '<=', '>': '>', '>=': '>=' },
}

const functions: Readonly<Record<string, string>> = {
  ...{ upcase: 'upper', downcase: 'lower', length: 'length', abs: 'abs', floor: 'floor', ceil: 'ceil' },
  ...{ round: 'round', sqrt: 'sqrt', ln: 'ln', log10: 'log10', sin: 'sin', cos: 'cos', tan: 'tan' },
  ...{ min: 'min', max: 'max' },
}

const readers: Readonly<Record<string, Read>> = {
  get: readGet,
  has: (operation) => ({ op: 'not', operand: isNull(readGet(operation)) }),
  '!has': (operation) => isNull(readGet(operation)),
  id: () => ({ op: 'variable', name: 'id' }),
  zoom: () => zoomLevel,
  literal: (operation) => readMapboxExpression(scalarAt(operation, 0), operation.kind),
  '!': (operation) => ({ op: 'not', operand: valueAt(operation, 0) }),
  all: (operation) => joinTests('and', operation),
  any: (operation) => joinTests('or', operation),
  // Comparisons of older styles are false where there is no value.
  none: (operation) => ({ op: 'not', operand: call('coalesce', joinTests('or', operation), literal(false)) }),
  in: readIn,
  '!in': (operation) => ({ op: 'not', operand: readIn(operation) }),
  ...mapAll(comparisons, readComparison),
  ...mapAll(functions, ({ name, operands }) =>
    call(functions[name] ?? name, ...operands.map((one) => readMapboxExpression(one))),
  ),
  case: readCase,
  match: readMatch,
  coalesce: ({ operands, kind }) =>
    call('coalesce', ...operands.map((one) => readMapboxExpression(one, kind))),
  step: (operation) => {
    const { kind, operands } = operation
    const first = { at: Number.NEGATIVE_INFINITY, value: valueAt(operation, 1, kind) }
    return stepStops(valueAt(operation, 0), [first, ...stopsOf(operands.slice(2), kind)])
  },
  interpolate: readInterpolate,
  concat: ({ operands }) => joinTexts(operands.map((one) => readMapboxExpression(one))),
  format: readFormat,
  'to-string': (operation) => asText(valueAt(operation, 0)),
  'to-number': readToNumber,
  'to-color': (operation) => valueAt(operation, 0, operation.kind),
  string: (operation) => valueAt(operation, 0, operation.kind),
  number: (operation) => valueAt(operation, 0),
  rgb: readRgb,
  rgba: readRgb,
  ...mapAll({ '+': '+', '-': '-', '*': '*', '/': '/', '%': '%', '^': '^' }, readArithmetic),
}

function mapAll(table: Readonly<Record<string, unknown>>, read: Read): Readonly<Record<string, Read>> {
  return Object.fromEntries(Object.keys(table).map((name) => [name, read]))
}

function scalarAt(operation: Operation, at: number): JsonNode {
  const operand = operandAt(operation, at)
  if (operand.kind !== 'scalar')
    throw new MapboxFault(operand, `"${operation.name}" is supported for strings and numbers only`)
  return operand
}

function readGet(operation: Operation): Expression {
  const node = scalarAt(operation, 0)
  const name = node.kind === 'scalar' ? node.value : null
  if (typeof name !== 'string' || operation.operands.length > 1 || name === '$type')
    throw new MapboxFault(operation.node, `"${operation.name}" is supported for fields of the feature only`)
  return name === '$id' ? { op: 'variable', name: 'id' } : { op: 'field', name }
}

function joinTests(op: 'and' | 'or', { operands }: Operation): Expression {
  const tests = operands.map((one) => readMapboxExpression(one))
  const [only] = tests
  if (only === undefined) return literal(op === 'and')
  return tests.length === 1 ? only : { op, operands: tests }
}

/** Filters of older styles compare a field by its name. */
function readComparison(operation: Operation): Expression {
  const { operands, name } = operation
  const [first, second] = [operandAt(operation, 0), operandAt(operation, 1)]
  const isOld = isText(first) && second.kind === 'scalar'
  const left = isOld ? readGet(operationOf(operation, [first])) : readMapboxExpression(first)
  if (operands.length > 2) throw new MapboxFault(operation.node, 'collators are not supported')
  return binary(comparisons[name] ?? 'is', left, readMapboxExpression(second))
}

const operationOf = (operation: Operation, operands: readonly JsonNode[]): Operation => ({
  ...operation,
  operands,
})

const isText = (node: JsonNode) => node.kind === 'scalar' && typeof node.value === 'string'

function readIn(operation: Operation): Expression {
  const [first, second] = [operandAt(operation, 0), operandAt(operation, 1)]
  const isOld = isText(first) && second.kind === 'scalar'
  const list = isOld ? operation.operands.slice(1) : literalItems(second)
  if (list === undefined) throw new MapboxFault(second, '"in" is supported for literal lists only')
  const operand = isOld ? readGet(operationOf(operation, [first])) : readMapboxExpression(first)
  const items = list.map((one) => readMapboxExpression(one))
  return { op: 'in', operand, items, isNegated: false }
}

function literalItems(node: JsonNode): readonly JsonNode[] | undefined {
  if (node.kind !== 'array') return undefined
  const [head, list] = node.items
  const isLiteral = head?.kind === 'scalar' && head.value === 'literal'
  return isLiteral && list?.kind === 'array' ? list.items : undefined
}

function readCase({ node, operands, kind }: Operation): Expression {
  const last = operands.at(-1)
  if (last === undefined || operands.length % 2 === 0) throw new MapboxFault(node, '"case" has no fallback')
  const branches = pairsOf(operands.slice(0, -1)).map(([test, result]) => ({
    when: readMapboxExpression(test),
    result: readMapboxExpression(result, kind),
  }))
  return { op: 'case', branches, otherwise: readMapboxExpression(last, kind) }
}

function readMatch(operation: Operation): Expression {
  const { node, operands, kind } = operation
  const last = operands.at(-1)
  if (last === undefined || operands.length % 2 !== 0) throw new MapboxFault(node, '"match" has no fallback')
  const operand = valueAt(operation, 0)
  const branches = pairsOf(operands.slice(1, -1)).map(([label, result]) => {
    const labels = label.kind === 'array' ? label.items : [label]
    const items = labels.map((one) => readMapboxExpression(one))
    return {
      when: { op: 'in', operand, items, isNegated: false } as const,
      result: readMapboxExpression(result, kind),
    }
  })
  return { op: 'case', branches, otherwise: readMapboxExpression(last, kind) }
}

/** Returns the pairs of a list of operands, such as stops and their values. */
export function pairsOf(nodes: readonly JsonNode[]): [JsonNode, JsonNode][] {
  return nodes.flatMap((node, at) => {
    const next = nodes[at + 1]
    return at % 2 === 0 && next !== undefined ? [[node, next] as [JsonNode, JsonNode]] : []
  })
}

function stopsOf(nodes: readonly JsonNode[], kind: ValueKind): Stop[] {
  return pairsOf(nodes).map(([at, value]) => {
    const number = at.kind === 'scalar' && typeof at.value === 'number' ? at.value : undefined
    if (number === undefined) throw new MapboxFault(at, 'a stop is not a number')
    return { at: number, value: readMapboxExpression(value, kind) }
  })
}

function readInterpolate(operation: Operation): Expression {
  const { node, operands, kind } = operation
  const type = operandAt(operation, 0)
  const [name, base] = type.kind === 'array' ? type.items : []
  const isExponential = name?.kind === 'scalar' && name.value === 'exponential'
  const isLinear = name?.kind === 'scalar' && name.value === 'linear'
  const factor = isExponential && base?.kind === 'scalar' ? Number(base.value) : 1
  if (!(isLinear || isExponential) || !(factor > 0))
    throw new MapboxFault(type, 'only linear and exponential interpolation is supported')
  const stops = stopsOf(operands.slice(2), kind)
  if (stops.length === 0) throw new MapboxFault(node, '"interpolate" has no stops')
  return interpolate(node, { input: valueAt(operation, 1), stops, base: factor, kind })
}

interface Interpolation {
  readonly input: Expression
  readonly stops: readonly Stop[]
  readonly base: number
  readonly kind: ValueKind
}

function interpolate(node: JsonNode, { input, stops, base, kind }: Interpolation): Expression {
  if (kind !== 'color') return interpolateStops(input, stops, base)
  const colors = stops.map(({ value }) =>
    value.op === 'literal' ? String(value.value).split(',').map(Number) : [],
  )
  if (colors.some((channels) => channels.length < 4))
    throw new MapboxFault(node, 'colours are interpolated between constants only')
  const channels = [0, 1, 2, 3].map((at): Expression => {
    const values = stops.map((stop, index) => ({ ...stop, value: literal(colors[index]?.[at] ?? 0) }))
    return call('to_string', call('round', interpolateStops(input, values, base)))
  })
  const operands = channels.flatMap((one, at) => (at === 0 ? [one] : [literal(','), one]))
  return { op: '||', operands }
}

/** Reads a function of older styles: stops over the zoom level or a field. */
function readFunction(node: JsonNode & { readonly kind: 'object' }, kind: ValueKind): Expression {
  const member = (name: string) => node.members.get(name)?.value
  const [list, property, base, type] = ['stops', 'property', 'base', 'type'].map(member)
  if (list?.kind !== 'array') throw new MapboxFault(node, 'a function without stops is not supported')
  const pairs = list.items.flatMap((one) => (one.kind === 'array' ? one.items.slice(0, 2) : []))
  const name = property?.kind === 'scalar' ? String(property.value) : undefined
  const input: Expression = name === undefined ? zoomLevel : { op: 'field', name }
  for (const [name, { span }] of node.members)
    if (!knownMembers.has(name))
      throw new MapboxFault({ ...node, span }, `member "${name}" of a function is not supported`)
  const otherwise = member('default')
  // Without a value of the field, and outside of its categories.
  const rest = otherwise === undefined ? literal(null) : readMapboxExpression(otherwise, kind)
  const kindOfStops = type?.kind === 'scalar' ? type.value : kind === 'value' ? 'interval' : 'exponential'
  if (kindOfStops === 'categorical') {
    const branches = pairsOf(pairs).map(([at, value]) => ({
      when: binary('is', input, readMapboxExpression(at)),
      result: readMapboxExpression(value, kind),
    }))
    return { op: 'case', branches, otherwise: rest }
  }
  const stops = stopsOf(pairs, kind)
  if (stops.length === 0) throw new MapboxFault(node, 'a function without stops is not supported')
  if (kindOfStops === 'interval') return withDefault(stepStops(input, stops), rest)
  if (kindOfStops !== 'exponential')
    throw new MapboxFault(node, `functions of type ${String(kindOfStops)} are not supported`)
  const factor = base?.kind === 'scalar' ? Number(base.value) : 1
  return withDefault(interpolate(node, { input, stops, base: factor > 0 ? factor : 1, kind }), rest)
}

const knownMembers = new Set(['stops', 'property', 'base', 'type', 'default'])

const withDefault = (value: Expression, rest: Expression): Expression =>
  rest.op === 'literal' && rest.value === null ? value : call('coalesce', value, rest)

function joinTexts(parts: readonly Expression[]): Expression {
  const texts = parts.map((part) => (part.op === 'literal' ? part : asText(part)))
  const [only] = texts
  if (only === undefined) return literal('')
  return texts.length === 1 ? only : { op: '||', operands: texts }
}

/** Sections of formatted text are joined; their formats are not supported. */
function readFormat({ operands }: Operation): Expression {
  const formatted = operands.find((one) => one.kind === 'object' && one.members.size > 0)
  if (formatted !== undefined)
    throw new MapboxFault(formatted, 'formats of sections of text are not supported')
  return joinTexts(operands.filter((one) => one.kind !== 'object').map((one) => readMapboxExpression(one)))
}

/** Null is 0, and what is not a number is the first fallback that is one. */
function readToNumber(operation: Operation): Expression {
  const [value, ...others] = operation.operands.map((one) => readMapboxExpression(one))
  if (value === undefined) throw new MapboxFault(operation.node, '"to-number" has no operand')
  const number = call('to_real', value)
  const [fallback] = others
  // A fallback below all numbers makes comparisons of what is not a number false, as null does.
  if (fallback?.op === 'literal' && Number(fallback.value) <= Number.MIN_SAFE_INTEGER) return number
  return call('coalesce', number, ...(others.length === 0 ? [literal(0)] : others))
}

function readRgb(operation: Operation): Expression {
  const values = operation.operands.map((one) => (one.kind === 'scalar' ? one.value : undefined))
  const color: Color | undefined = values.every((value) => typeof value === 'number')
    ? findCssColor(`rgba(${values.join()})`)
    : undefined
  if (color === undefined)
    throw new MapboxFault(operation.node, `"${operation.name}" is supported for numbers only`)
  return literal(channelsOf(color).join(','))
}

function readArithmetic(operation: Operation): Expression {
  const [first, ...others] = operation.operands.map((one) => readMapboxExpression(one))
  if (first === undefined) throw new MapboxFault(operation.node, `"${operation.name}" has no operands`)
  if (others.length === 0 && operation.name === '-') return { op: 'negate', operand: first }
  return others.reduce((left, right) => binary(operation.name as BinaryOperator, left, right), first)
}
