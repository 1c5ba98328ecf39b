import type { Expression } from '../expression/expression.ts'
import { findQtColor } from '../qt_color.ts'
import type { DataDefined } from '../symbol_layer.ts'
import type { XmlElement } from '../xml/xml_read.ts'
import {
  attributeOf,
  childNamed,
  childrenNamed,
  findFinite,
  type QmlReading,
  readExpression,
  readFinite,
  reportPart,
} from './qml_element.ts'

/** Properties that expressions may define. */
export interface DefinedProperties<P extends string> {
  /** Names in QML, and those of the model. */
  readonly properties: Readonly<Record<string, P>>
  /** Factors from the unit of a length to pixels. */
  readonly factors?: Readonly<Partial<Record<P, number>>>
  /** Name of the symbol layer or other part, for issues. */
  readonly owner: string
}

/** Reads the data-defined properties of an element; reports those that are not supported. */
export function readDataDefined<P extends string>(
  reading: QmlReading,
  element: XmlElement,
  { properties, factors, owner }: DefinedProperties<P>,
): { readonly dataDefined?: DataDefined<P> } {
  const defined: Partial<Record<P, Expression>> = {}
  for (const property of activeProperties(element)) {
    const name = attributeOf(property, 'name') ?? ''
    const target = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (target === undefined) {
      reportPart(reading, property, `data-defined property ${name} of ${owner} is ignored`)
      continue
    }
    const expression = readProperty(reading, property, `data-defined property ${name} of ${owner} is ignored`)
    const found = { name: `${name} of ${owner}`, expression }
    if (colorProperties.includes(target)) reportNoColor(reading, property, found)
    else reportConstant(reading, property, found)
    if (expression !== undefined) defined[target] = scaleBy(expression, factors?.[target])
  }
  return Object.keys(defined).length === 0 ? {} : { dataDefined: defined as DataDefined<P> }
}

/** Properties of symbol layers and labels that are colours. */
const colorProperties: readonly string[] = ['fill', 'color', 'stroke.color', 'outline', 'bufferColor']

interface DefinedBy {
  readonly name: string
  readonly expression: Expression | undefined
}

/** Reports constants among the values of an expression that are no colours. */
function reportNoColor(reading: QmlReading, property: XmlElement, { name, expression }: DefinedBy): void {
  const texts = (expression === undefined ? [] : resultsOf(expression)).flatMap((result) =>
    result.op === 'literal' && result.value !== null ? [String(result.value)] : [],
  )
  for (const text of new Set(texts))
    if (text !== '' && findQtColor(text) === undefined)
      reportPart(reading, property, `data-defined property ${name}: "${text.slice(0, 80)}" is not a colour`)
}

/** Lists the expressions whose value may be that of an expression. */
function resultsOf(expression: Expression): Expression[] {
  if (expression.op === 'case')
    return [
      ...expression.branches.map(({ result }) => result),
      expression.otherwise ?? literal(null),
    ].flatMap(resultsOf)
  if (expression.op !== 'call') return [expression]
  if (expression.name === 'if') return expression.operands.slice(1).flatMap(resultsOf)
  return expression.name === 'coalesce' ? expression.operands.flatMap(resultsOf) : [expression]
}

/** Reports a constant that is a number which can never be drawn. */
function reportConstant(reading: QmlReading, property: XmlElement, { name, expression }: DefinedBy): void {
  const value = expression?.op === 'literal' ? expression.value : undefined
  const number = typeof value === 'string' ? findFinite(value) : value
  if (typeof number === 'number')
    readFinite(reading, { at: property, name: `data-defined property ${name}`, text: String(number) })
}

function activeProperties(element: XmlElement): XmlElement[] {
  const lists = [
    ...childrenNamed(element, 'data_defined_properties'),
    ...childrenNamed(element, 'dd_properties'),
  ]
  return lists
    .flatMap((list) => childrenNamed(list, 'Option'))
    .flatMap((map) =>
      childrenNamed(map, 'Option').filter((option) => attributeOf(option, 'name') === 'properties'),
    )
    .flatMap((map) => childrenNamed(map, 'Option'))
    .filter((property) => optionValue(property, 'active') === 'true')
}

function optionValue(property: XmlElement, name: string): string | undefined {
  const option = childrenNamed(property, 'Option').find((one) => attributeOf(one, 'name') === name)
  return option && attributeOf(option, 'value')
}

/** Reads a static value (type 1), field (2) or expression (3), with its transformer. */
function readProperty(reading: QmlReading, property: XmlElement, effect: string): Expression | undefined {
  const expression = readSource(reading, property, effect)
  const transformer = childrenNamed(property, 'Option').find(
    (one) => attributeOf(one, 'name') === 'transformer',
  )
  if (expression === undefined || transformer === undefined) return expression
  const transformed = transform(expression, transformer)
  if (transformed === undefined)
    reportPart(reading, transformer, `${effect}: its transformation is not supported`)
  return transformed
}

function readSource(reading: QmlReading, property: XmlElement, effect: string): Expression | undefined {
  const type = optionValue(property, 'type')
  if (type === '1') return { op: 'literal', value: optionValue(property, 'val') ?? null }
  if (type === '2') return { op: 'field', name: optionValue(property, 'field') ?? '' }
  const option = childrenNamed(property, 'Option').find((one) => attributeOf(one, 'name') === 'expression')
  const text = option && attributeOf(option, 'value')
  if (type === '3' && option !== undefined && text !== undefined)
    return readExpression(reading, { element: option, attribute: 'value', text, effect })
  reportPart(reading, property, `${effect}: its type is not supported`)
  return undefined
}

/** Exponents of the scale types of size transformers: linear, area and Flannery; others have their own. */
const exponents: Readonly<Record<string, number>> = { 0: 1, 1: 0.5, 2: 0.57 }

/** Transforms a number (type 0) or size (type 1); undefined for colour ramps and curves. */
function transform(value: Expression, transformer: XmlElement): Expression | undefined {
  const type = optionValue(transformer, 't')
  const details = childrenNamed(transformer, 'Option').find((one) => attributeOf(one, 'name') === 'd')
  if ((type !== '0' && type !== '1') || details === undefined || hasCurve(details)) return undefined
  const number = (name: string, byDefault: number) => findFinite(optionValue(details, name)) ?? byDefault
  const [low, high, none] =
    type === '1' ? ['minSize', 'maxSize', 'nullSize'] : ['minOutput', 'maxOutput', 'nullOutput']
  const exponent =
    (type === '1' ? exponents[optionValue(details, 'scaleType') ?? ''] : undefined) ?? number('exponent', 1)
  const operands = [
    number('minValue', 0),
    number('maxValue', 1),
    number(low ?? '', 0),
    number(high ?? '', 1),
    exponent,
  ]
  const scaled: Expression = { op: 'call', name: 'scale_exp', operands: [value, ...operands.map(literal)] }
  return { op: 'call', name: 'coalesce', operands: [scaled, literal(number(none ?? '', 0))] }
}

function hasCurve(details: XmlElement): boolean {
  const curve = childrenNamed(details, 'Option').find((one) => attributeOf(one, 'name') === 'curve')
  return curve !== undefined && childNamed(curve, 'Option') !== undefined
}

const literal = (value: number | null): Expression => ({ op: 'literal', value })

function scaleBy(expression: Expression, factor = 1): Expression {
  return factor === 1 ? expression : { op: 'binary', operator: '*', left: expression, right: literal(factor) }
}
