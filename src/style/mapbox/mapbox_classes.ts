import { equalityOf } from '../expression/equality_index.ts'
import { type Expression, fieldsOf, operandsOf } from '../expression/expression.ts'
import type { JsonArray, JsonNode } from '../json_read.ts'
import { describeFilter } from '../legend_entries.ts'
import { MapboxFault, pairsOf, readMapboxExpression } from './mapbox_expression.ts'
import { type MapboxLayer, textOf } from './mapbox_layer.ts'

/** Features of a layer that are drawn alike, as far as one expression decides. */
export interface MapboxClass {
  readonly label: string
  /** Absent: the features of no other class. */
  readonly filter?: Expression
  /** The layer with the values of the class in place of expressions. */
  readonly layer: MapboxLayer
}

/** Properties that divide layers into classes, by the type of the layer; those before others decide. */
const dividing: Readonly<Record<string, readonly string[]>> = {
  circle: ['circle-color', 'circle-radius', 'circle-stroke-color', 'circle-opacity'],
  line: ['line-color', 'line-width', 'line-opacity'],
  fill: ['fill-color', 'fill-outline-color', 'fill-opacity'],
}

/** Maximum number of classes of a layer, and of tests that may overlap: each class excludes those before it. */
const maxClasses = { distinct: 1000, overlapping: 32 }

/**
 * Divides a layer whose colour or size is a `step`, `match` or `case` over fields into its classes, for legends; undefined if it has no
 * classes or more than `most`. Other properties with the same classes have their values, too.
 */
export function findMapboxClasses(layer: MapboxLayer, most: number): readonly MapboxClass[] | undefined {
  const names = dividing[layer.type] ?? []
  const divisions = names.flatMap((name) => {
    const node = layer.properties.get(name)?.value
    const found = node?.kind === 'array' ? attemptDivision(node, name) : undefined
    return found === undefined ? [] : [{ name, ...found }]
  })
  const [first] = divisions
  if (first === undefined || first.classes.length > Math.min(most, maxClasses.distinct)) return undefined
  const alike = divisions.filter(({ key }) => key === first.key)
  return first.classes.map(({ label, filter }, at) => {
    const properties = new Map(layer.properties)
    for (const { name, classes } of alike) {
      const member = properties.get(name)
      const value = classes[at]?.value
      if (member === undefined || value === undefined) properties.delete(name)
      else properties.set(name, { ...member, value })
    }
    return { label, ...(filter === undefined ? {} : { filter }), layer: { ...layer, properties } }
  })
}

/** Classes that an expression has. */
interface Division {
  /** Equal for expressions with the same classes. */
  readonly key: string
  readonly classes: readonly ClassValue[]
}

/** The value of a class; absent for the default. */
interface ClassValue {
  readonly label: string
  readonly filter?: Expression
  readonly value?: JsonNode
}

/** Divides by an expression; undefined if it has no classes, or is not supported, which is reported where it is read as a whole. */
function attemptDivision(node: JsonArray, name: string): Division | undefined {
  const divide = divisions[textOf(node.items[0]) ?? '']
  if (divide === undefined) return undefined
  try {
    readMapboxExpression(node, name.endsWith('color') ? 'color' : 'number')
    const classes = divide(node.items.slice(1))
    const key = JSON.stringify(classes?.map(({ filter }) => filter ?? null))
    return classes && { key, classes }
  } catch (error) {
    if (error instanceof MapboxFault) return undefined
    throw error
  }
}

type Divide = (operands: readonly JsonNode[]) => readonly ClassValue[] | undefined

const divisions: Readonly<Record<string, Divide | undefined>> = {
  step: divideSteps,
  match: divideMatches,
  case: divideCases,
}

/** A value depends on fields alone, and not on the zoom level. */
function isOfFields(expression: Expression): boolean {
  const isOfScale = (one: Expression): boolean =>
    (one.op === 'variable' && one.name === 'map_scale') || operandsOf(one).some(isOfScale)
  return fieldsOf(expression).length > 0 && !isOfScale(expression)
}

/** Features without a value are drawn by default. */
function divideSteps([input, first, ...stops]: readonly JsonNode[]): readonly ClassValue[] | undefined {
  const operand = input && readMapboxExpression(input)
  if (operand === undefined || !isOfFields(operand)) return undefined
  const pairs = pairsOf(stops)
  const bounds = pairs.map(([at]) => (at.kind === 'scalar' ? Number(at.value) : Number.NaN))
  if (!bounds.every((bound, at) => bound > (bounds[at - 1] ?? Number.NEGATIVE_INFINITY))) return undefined
  const values = [first, ...pairs.map(([, value]) => value)]
  const classes = values.map((value, at): ClassValue => {
    const [from, to] = [bounds[at - 1], bounds[at]]
    const tests = [
      ...(from === undefined ? [] : [compare('>=', operand, from)]),
      ...(to === undefined ? [] : [compare('<', operand, to)]),
    ]
    const [only] = tests
    const filter: Expression = only && tests.length === 1 ? only : { op: 'and', operands: tests }
    return { label: rangeLabel(from, to), filter, ...(value === undefined ? {} : { value }) }
  })
  return isNeverNull(operand) ? classes : [...classes, { label: 'no value' }]
}

const compare = (operator: '>=' | '<', left: Expression, bound: number): Expression => ({
  ...{ op: 'binary', operator, left },
  right: { op: 'literal', value: bound },
})

function rangeLabel(from: number | undefined, to: number | undefined): string {
  if (from === undefined) return `< ${to}`
  return to === undefined ? `≥ ${from}` : `${from} – ${to}`
}

function isNeverNull(expression: Expression): boolean {
  const last =
    expression.op === 'call' && expression.name === 'coalesce' ? expression.operands.at(-1) : undefined
  return last?.op === 'literal' && last.value !== null
}

const others = 'other values'

function divideMatches([input, ...operands]: readonly JsonNode[]): readonly ClassValue[] | undefined {
  const operand = input && readMapboxExpression(input)
  if (operand === undefined || !isOfFields(operand)) return undefined
  const classes = pairsOf(operands.slice(0, -1)).map(([label, value]) => {
    const items = (label.kind === 'array' ? label.items : [label]).map((one) => readMapboxExpression(one))
    const filter = { op: 'in', operand, items, isNegated: false } as const
    return { label: items.map(textOfLiteral).join(', '), filter, value }
  })
  const all = classes.flatMap(({ filter }) => filter.items.map(textOfLiteral))
  if (new Set(all).size !== all.length) return undefined
  return [...classes, { label: others, ...asValue(operands.at(-1)) }]
}

const textOfLiteral = (one: Expression) => (one.op === 'literal' ? String(one.value) : '')

const asValue = (value: JsonNode | undefined) => (value === undefined ? {} : { value })

/** The first test that is true decides. */
function divideCases(operands: readonly JsonNode[]): readonly ClassValue[] | undefined {
  const branches = pairsOf(operands.slice(0, -1)).map(([test, value]) => ({
    test: readMapboxExpression(test),
    value,
  }))
  const tests = branches.map(({ test }) => test)
  if (!tests.every(isOfFields)) return undefined
  const isDistinct = areDistinct(tests)
  if (!isDistinct && tests.length > maxClasses.overlapping) return undefined
  const classes = branches.map(({ test, value }, at) => {
    const before = isDistinct ? [] : tests.slice(0, at).map(isNotTrue)
    const filter: Expression = before.length === 0 ? test : { op: 'and', operands: [test, ...before] }
    return { label: describeFilter(asEquality(test)), filter, value }
  })
  return [...classes, { label: others, ...asValue(operands.at(-1)) }]
}

/** Tells whether all tests compare one value with different constants. */
function areDistinct(tests: readonly Expression[]): boolean {
  const found = tests.map((test) => equalityOf(asEquality(test)))
  const operands = new Set(found.map((one) => JSON.stringify(one?.operand)))
  const values = found.flatMap((one) => one?.values ?? [])
  const isComplete = found.every((one) => one !== undefined)
  return isComplete && operands.size === 1 && new Set(values.map(String)).size === values.length
}

/** A comparison with a constant that is never null; where it is false, so is that which may be null. */
function asEquality(test: Expression): Expression {
  const isConstant = test.op === 'binary' && test.operator === 'is' && test.right.op === 'literal'
  return isConstant && test.right.value !== null ? { ...test, operator: '=' } : test
}

const isNotTrue = (test: Expression): Expression => ({
  op: 'not',
  operand: { op: 'call', name: 'coalesce', operands: [test, { op: 'literal', value: false }] },
})
