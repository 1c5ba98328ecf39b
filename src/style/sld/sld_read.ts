import { compareIssues } from '../../core/issue.ts'
import type { BinaryOperator, Expression } from '../expression/expression.ts'
import type { Labels } from '../label_model.ts'
import { findFinite, reportPart } from '../qml/qml_element.ts'
import type { QmlStyleResult } from '../qml/qml_read.ts'
import { countElements, findExcess } from '../rule_count.ts'
import type { Rule, Style } from '../style_model.ts'
import { withOrigin } from '../style_origin.ts'
import type { MapSymbol, SymbolLayer } from '../symbol_layer.ts'
import { readXml, type XmlElement } from '../xml/xml_read.ts'
import {
  childOfSld,
  childrenOfSld,
  findSld,
  localName,
  readSldExpression,
  reportOthers,
  type SldReading,
} from './sld_element.ts'
import { readTextSymbolizer } from './sld_label.ts'
import { readLineSymbolizer, readPointSymbolizer, readPolygonSymbolizer } from './sld_symbolizer.ts'

/** Maximum length of a file, in characters. */
const maxLength = 4 * 1024 * 1024

/** Scale denominators of the standard are those of pixels of 0.28 millimetres, ours of 1/96 inch. */
const scaleFactor = 0.28 / (25.4 / 96)

const comparisons: Readonly<Record<string, BinaryOperator>> = {
  PropertyIsEqualTo: '=',
  PropertyIsNotEqualTo: '<>',
  PropertyIsLessThan: '<',
  PropertyIsLessThanOrEqualTo: '<=',
  PropertyIsGreaterThan: '>',
  PropertyIsGreaterThanOrEqualTo: '>=',
}

const literal = (character: string) => (character === '%' || character === '_' ? `\\${character}` : character)

/** Tells whether a text is a Styled Layer Descriptor, by its root element. */
export function isSld(text: string): boolean {
  const start = text.slice(0, 10_000).replaceAll(/<!--[\s\S]*?-->/g, '')
  return /^[^<]*(?:<[?!][^>]*>[^<]*)*<(?:[\w.-]+:)?StyledLayerDescriptor[\s>]/.test(start)
}

/**
 * Reads the first style of a Styled Layer Descriptor 1.0 or 1.1: rules with filters and scale limits, and symbolizers of
 * points, lines, polygons and texts. What is not drawn as it says, is a warning with its position.
 *
 * @see https://www.ogc.org/standard/sld/ and https://www.ogc.org/standard/se/
 */
export function readSld(text: string, file = 'sld'): QmlStyleResult {
  const { root, issues: faults } = readXml(text.replace(/^\uFEFF/, ''), file, { maxLength })
  if (root === undefined) return { issues: faults }
  const count = countElements(root, (element) => localName(element) === 'Rule')
  const excess = findExcess({ count, name: 'rules', span: root.span })
  if (excess !== undefined) return { issues: [excess] }
  const reading: SldReading = { issues: [] }
  const layers = root.children.filter((child) => ['NamedLayer', 'UserLayer'].includes(localName(child)))
  const styles = layers.flatMap((layer) => childrenOfSld(layer, 'UserStyle'))
  const [first, ...others] = styles
  for (const layer of layers) reportOthers(reading, layer, ['Name', 'Title', 'Description', 'UserStyle'])
  if (first === undefined) {
    const message = '<StyledLayerDescriptor> has no <UserStyle>'
    return { issues: [{ code: 'style/bad-value', message, severity: 'error', span: root.span }] }
  }
  for (const other of others) reportPart(reading, other, 'only the first <UserStyle> is drawn')
  const style = readUserStyle(reading, first)
  return { style, issues: reading.issues.toSorted(compareIssues) }
}

function readUserStyle(reading: SldReading, element: XmlElement): Style {
  reportOthers(reading, element, [
    ...['Name', 'Title', 'Abstract', 'Description', 'IsDefault', 'FeatureTypeStyle'],
  ])
  const lists = childrenOfSld(element, 'FeatureTypeStyle').map((list, pass) => readRules(reading, list, pass))
  const [only = []] = lists
  // Feature type styles are drawn one after the other; ELSE rules belong to the list that they stand in.
  const nested = lists.map((children): Rule => ({ ...emptyRule, children }))
  return {
    ...{ rules: lists.length === 1 ? only : nested, matching: 'all' },
    ...{ levels: lists.length > 1 ? 'by_feature' : 'none', order: [], opacity: 1 },
    ...{ blending: 'normal', featureBlending: 'normal', labels: [] },
  }
}

const emptyRule: Rule = { isElse: false, isDrawn: true, labels: [], children: [] }

function readRules(reading: SldReading, list: XmlElement, pass: number): Rule[] {
  reportOthers(reading, list, [
    ...['Name', 'Title', 'Abstract', 'Description', 'FeatureTypeName', 'SemanticTypeIdentifier', 'Rule'],
  ])
  return childrenOfSld(list, 'Rule').flatMap((element) => readRule(reading, element, pass) ?? [])
}

const symbolTypes: Readonly<Record<string, MapSymbol['type']>> = {
  ...{ line: 'line', marker_line: 'line', fill: 'fill', line_pattern: 'fill', point_pattern: 'fill' },
}

/** Reads a rule; undefined, with an issue, if its filter is not supported. */
function readRule(reading: SldReading, element: XmlElement, pass: number): Rule | undefined {
  reportOthers(reading, element, [
    ...['Name', 'Title', 'Abstract', 'Description', 'Filter', 'ElseFilter', 'LegendGraphic'],
    ...['MinScaleDenominator', 'MaxScaleDenominator', ...Object.keys(readers), 'TextSymbolizer'],
  ])
  const container = childOfSld(element, 'Filter')
  const [condition, ...more] = container?.children ?? []
  const filter = more.length > 0 ? undefined : condition && readSldFilter(reading, condition)
  // QGIS writes an empty filter for what SLD does not have.
  if (container !== undefined && filter === undefined) {
    reportPart(reading, element, 'the rule is not drawn: its filter is not supported')
    return undefined
  }
  const layers = element.children.flatMap((child) => readSymbolizer(reading, child, pass))
  const labels = childrenOfSld(element, 'TextSymbolizer').flatMap((one) =>
    readTextSymbolizer(reading, one).map((part) => withOrigin(part, one.span)),
  )
  const rule: Rule = {
    ...emptyRule,
    ...titleOf(element),
    ...(filter === undefined ? {} : { filter }),
    isElse: childOfSld(element, 'ElseFilter') !== undefined,
    ...limitOf(reading, childOfSld(element, 'MinScaleDenominator'), 'minScaleDenom'),
    ...limitOf(reading, childOfSld(element, 'MaxScaleDenominator'), 'maxScaleDenom'),
    ...symbolPart(layers, labels),
    labels,
  }
  return withOrigin(rule, element.span)
}

function readSymbolizer(reading: SldReading, element: XmlElement, pass: number): SymbolLayer[] {
  const layers = readers[localName(element)]?.(reading, element, pass) ?? []
  return layers.map((layer) => withOrigin(layer, element.span))
}

type ReadSymbolizer = (reading: SldReading, element: XmlElement, pass: number) => SymbolLayer[]

const readers: Readonly<Record<string, ReadSymbolizer>> = {
  PointSymbolizer: (reading, element, pass) => readPointSymbolizer(reading, { element, pass }),
  LineSymbolizer: (reading, element, pass) => readLineSymbolizer(reading, { element, pass }),
  PolygonSymbolizer: (reading, element, pass) => readPolygonSymbolizer(reading, { element, pass }),
}

/** Rules with labels only have a symbol without layers, so that their features count as drawn. */
function symbolPart(
  layers: readonly SymbolLayer[],
  labels: readonly Labels[],
): { readonly symbol?: MapSymbol } {
  if (layers.length === 0 && labels.length === 0) return {}
  const types = layers.map(({ kind }) => symbolTypes[kind])
  const type = (['fill', 'line'] as const).find((one) => types.includes(one)) ?? 'marker'
  return { symbol: { type, opacity: 1, layers } }
}

function titleOf(element: XmlElement): { readonly label?: string } {
  const title = childOfSld(element, 'Title') ?? findSld(element, 'Description', 'Title')
  const label = title?.text || childOfSld(element, 'Name')?.text || ''
  return label === '' ? {} : { label }
}

function limitOf(
  reading: SldReading,
  element: XmlElement | undefined,
  property: 'minScaleDenom' | 'maxScaleDenom',
): Pick<Rule, 'minScaleDenom' | 'maxScaleDenom'> {
  const value = element && findFinite(element.text)
  if (element !== undefined && value === undefined)
    reportPart(reading, element, `<${localName(element)}> is not a number, and does not limit the rule`)
  return value === undefined ? {} : { [property]: value * scaleFactor }
}

/**
 * Reads a filter as an expression; undefined, with an issue, if a part of it is not supported.
 *
 * @see https://www.ogc.org/standard/filter/ Filter Encoding 1.1, clauses 9 to 11
 */
function readSldFilter(reading: SldReading, element: XmlElement): Expression | undefined {
  const name = localName(element)
  if (name === 'And' || name === 'Or') {
    const operands = readAll(reading, element.children)
    return operands && { op: name === 'And' ? 'and' : 'or', operands }
  }
  const [first] = element.children
  if (name === 'Not' && first !== undefined) {
    const operand = readSldFilter(reading, first)
    return operand && { op: 'not', operand }
  }
  return name.startsWith('PropertyIs') ? readComparison(reading, element) : refuse(reading, element)
}

function readComparison(reading: SldReading, element: XmlElement): Expression | undefined {
  const name = localName(element)
  const [first, second] = element.children
  const left = first && readSldExpression(reading, first)
  if (left === undefined) return refuse(reading, element)
  if (name === 'PropertyIsNull')
    return { op: 'binary', operator: 'is', left, right: { op: 'literal', value: null } }
  if (name === 'PropertyIsLike') {
    const isPattern = second !== undefined && localName(second) === 'Literal' && left.op !== 'literal'
    return isPattern ? readLike(element, left) : refuse(reading, element)
  }
  if (name === 'PropertyIsBetween') return readBetween(reading, element, left)
  const operator = Object.hasOwn(comparisons, name) ? comparisons[name] : undefined
  if (operator === undefined || second === undefined) return refuse(reading, element)
  const right = readSldExpression(reading, second)
  if (right === undefined) return undefined
  const ignoresCase = matchesCase(element) ? undefined : ignoreCase(left, right)
  return { op: 'binary', operator, ...(ignoresCase ?? { left, right }) }
}

const matchesCase = ({ attributes }: Pick<XmlElement, 'attributes'>) =>
  !attributes.some(({ name, value }) => name.toLowerCase() === 'matchcase' && value.trim() === 'false')

/** Compares strings as those of small letters; numbers remain numbers. */
function ignoreCase(...operands: readonly [Expression, Expression]) {
  if (!operands.some(isWord)) return undefined
  const [left, right] = operands.map((one): Expression => ({ op: 'call', name: 'lower', operands: [one] }))
  return left && right && { left, right }
}

const isWord = (one: Expression) => one.op === 'literal' && findFinite(String(one.value)) === undefined

function readAll(reading: SldReading, elements: readonly XmlElement[]): Expression[] | undefined {
  const operands = elements.map((one) => readSldFilter(reading, one))
  const found = operands.filter((one) => one !== undefined)
  return found.length === operands.length && found.length > 0 ? found : undefined
}

function refuse(reading: SldReading, element: XmlElement): undefined {
  reportPart(reading, element, `<${localName(element)}> is not supported in filters`)
  return undefined
}

function readBetween(reading: SldReading, element: XmlElement, operand: Expression): Expression | undefined {
  const [lower, upper] = ['LowerBoundary', 'UpperBoundary'].map((name) => {
    const [bound] = childOfSld(element, name)?.children ?? []
    return bound === undefined ? undefined : readSldExpression(reading, bound)
  })
  if (lower === undefined || upper === undefined) return refuse(reading, element)
  return { op: 'between', operand, lower, upper, isNegated: false }
}

/** Converts the wildcards of a pattern to those of `LIKE`. */
function readLike({ attributes, children }: XmlElement, left: Expression): Expression {
  const attribute = (name: string) => attributes.find((one) => one.name.toLowerCase() === name)?.value
  const any = attribute('wildcard') ?? '%'
  const one = attribute('singlechar') ?? '_'
  const escapeCharacter = attribute('escapechar') ?? attribute('escape') ?? '\\'
  let pattern = ''
  const text = [...(children[1]?.text ?? '')]
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (character === escapeCharacter && at + 1 < text.length) {
      at += 1
      pattern += literal(text[at] ?? '')
    } else if (character === any) pattern += '%'
    else pattern += character === one ? '_' : literal(character)
  }
  const operator = matchesCase({ attributes }) ? 'like' : 'ilike'
  return { op: 'binary', operator, left, right: { op: 'literal', value: pattern } }
}
