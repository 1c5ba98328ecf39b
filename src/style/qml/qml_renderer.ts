import type { Expression } from '../expression/expression.ts'
import { textOf } from '../expression/expression_value.ts'
import type { Rule, SortKey, Style } from '../style_model.ts'
import { withOrigin } from '../style_origin.ts'
import type { MapSymbol } from '../symbol_layer.ts'
import type { XmlElement } from '../xml/xml_read.ts'
import {
  attributeOf,
  childrenNamed,
  entryOf,
  findFinite,
  numberAttribute,
  type QmlReading,
  readExpression,
  readFieldOrExpression,
  reportPart,
} from './qml_element.ts'
import { readHeatmap } from './qml_heatmap.ts'
import { groupRenderers, groupVariables, readPointGroups } from './qml_point_groups.ts'
import { readQmlSymbol } from './qml_symbol.ts'

/** Part of a style that a renderer determines. */
export type RendererStyle = Pick<Style, 'rules' | 'matching' | 'levels' | 'order' | 'heatmap' | 'groups'>

/** Reads a renderer. A renderer that is not supported draws nothing, and is reported. */
export function readRenderer(reading: QmlReading, renderer: XmlElement): RendererStyle {
  const type = attributeOf(renderer, 'type') ?? ''
  if (type === 'heatmapRenderer') return readDensity(reading, renderer)
  const single = groupRenderers.has(type) ? childrenNamed(renderer, 'renderer-v2')[0] : undefined
  if (single !== undefined) return readGroups(reading, renderer, single)
  const read = entryOf(readers, type)
  if (read === undefined) {
    reportPart(reading, renderer, `renderer ${type} is not drawn`)
    return noRules
  }
  reportRenderer(reading, renderer)
  const symbols = readSymbols(reading, renderer)
  const rules = read({ reading, renderer, symbols })
  const order = attributeOf(renderer, 'enableorderby') === '1' ? readOrder(reading, renderer) : []
  if (type === 'RuleRenderer') return { rules, matching: 'all', levels: 'by_feature', order }
  const levels = attributeOf(renderer, 'symbollevels') === '1' ? 'by_symbol' : 'none'
  return { rules, matching: 'first', levels, order }
}

/** Reads a renderer that groups points. Its points have the symbols of another renderer, without symbol levels. */
function readGroups(reading: QmlReading, renderer: XmlElement, single: XmlElement): RendererStyle {
  const type = attributeOf(single, 'type') ?? ''
  if (type === 'heatmapRenderer' || groupRenderers.has(type)) {
    reportPart(reading, single, `renderer ${type} is not drawn for the points of groups`)
    return noRules
  }
  reportRenderer(reading, renderer)
  const drawn = readRenderer({ ...reading, variables: groupVariables }, single)
  const order = attributeOf(renderer, 'enableorderby') === '1' ? readOrder(reading, renderer) : []
  return { ...drawn, order, levels: 'none', groups: readPointGroups(reading, renderer) }
}

const noRules = { rules: [], matching: 'first', levels: 'none', order: [] } as const

function readDensity(reading: QmlReading, renderer: XmlElement): RendererStyle {
  reportRenderer(reading, renderer)
  const heatmap = readHeatmap(reading, renderer)
  return { ...noRules, ...(heatmap === undefined ? {} : { heatmap }) }
}

type Symbols = ReadonlyMap<string, MapSymbol>

interface Renderer {
  readonly reading: QmlReading
  readonly renderer: XmlElement
  readonly symbols: Symbols
}

const readers: Readonly<Record<string, (renderer: Renderer) => Rule[]>> = {
  singleSymbol: ({ symbols }) => [{ ...emptyRule, ...symbolOf(symbols, '0') }],
  categorizedSymbol: readCategories,
  graduatedSymbol: readRanges,
  RuleRenderer: readRules,
  nullSymbol: () => [],
}

const emptyRule: Rule = { isElse: false, isDrawn: true, labels: [], children: [] }

function symbolOf(symbols: Symbols, name: string | undefined): { readonly symbol?: MapSymbol } {
  const symbol = name === undefined ? undefined : symbols.get(name)
  return symbol === undefined ? {} : { symbol }
}

function reportRenderer(reading: QmlReading, renderer: XmlElement): void {
  const scale = numberAttribute(renderer, 'referencescale')
  if (scale !== undefined && scale > 0) reportPart(reading, renderer, `reference scale ${scale} is ignored`)
  for (const effect of childrenNamed(renderer, 'effect'))
    if (attributeOf(effect, 'enabled') === '1')
      reportPart(reading, effect, 'draw effects of the layer are not drawn')
  for (const name of ['rotation', 'sizescale'])
    for (const part of childrenNamed(renderer, name))
      if ((attributeOf(part, 'field') ?? '') !== '')
        reportPart(reading, part, `<${name}> of older versions is ignored`)
}

function readSymbols(reading: QmlReading, renderer: XmlElement): Symbols {
  const symbols = childrenNamed(renderer, 'symbols').flatMap((list) => childrenNamed(list, 'symbol'))
  return new Map(symbols.map((symbol) => [attributeOf(symbol, 'name') ?? '', readQmlSymbol(reading, symbol)]))
}

function readOrder(reading: QmlReading, renderer: XmlElement): SortKey[] {
  const clauses = childrenNamed(renderer, 'orderby').flatMap((list) => childrenNamed(list, 'orderByClause'))
  return clauses.flatMap((element) => {
    const effect = 'the order of features is ignored'
    const expression = readExpression(reading, { element, attribute: '', text: element.text, effect })
    if (expression === undefined) return []
    const isAscending = attributeOf(element, 'asc') !== '0'
    return { expression, isAscending, isNullFirst: attributeOf(element, 'nullsFirst') === '1' }
  })
}

/** Reads the value that categories and ranges compare; undefined, with an issue, if it is not supported. */
function readClassifier({ reading, renderer }: Renderer, entries: string): Expression | undefined {
  const text = attributeOf(renderer, 'attr') ?? ''
  const effect = `${entries} are not drawn`
  return readFieldOrExpression(reading, { element: renderer, attribute: 'attr', text, effect })
}

/** Entries of a list, with their values. */
interface Category {
  readonly element: XmlElement
  readonly values: readonly string[]
}

/**
 * QGIS compares values as strings. The last category with a value applies. Null values, and those of no category, belong
 * to the category whose value is empty, which comes last.
 */
function readCategories(context: Renderer): Rule[] {
  const { renderer, symbols } = context
  const elements = entriesOf(renderer, 'categories', 'category')
  const value = readClassifier(context, 'categories')
  if (value === undefined) return []
  const operand: Expression = { op: 'call', name: 'to_string', operands: [value] }
  const categories = dropRepeated(elements.map((element) => ({ element, values: valuesOf(element) })))
  const named = categories.map(({ element, values }): Rule => {
    const items = values.filter((one) => one !== '').map((one) => ({ op: 'literal', value: one }) as const)
    return { ...entryRule(element, symbols), filter: { op: 'in', operand, items, isNegated: false } }
  })
  const others = categories.filter(({ values }) => values.includes(''))
  const isNamed = (_: Rule, index: number) => categories[index]?.values.some((one) => one !== '') === true
  return [...named.filter(isNamed), ...others.map(({ element }) => entryRule(element, symbols))]
}

function dropRepeated(categories: readonly Category[]): Category[] {
  const last = new Map(
    categories.flatMap(({ values }, index) => values.map((value) => [value, index] as const)),
  )
  return categories.map(({ element, values }, index) => ({
    element,
    values: [...new Set(values)].filter((value) => last.get(value) === index),
  }))
}

/** Values of a category as strings: one, or a list. */
function valuesOf(category: XmlElement): string[] {
  const list = childrenNamed(category, 'val')
  return (list.length === 0 ? [category] : list).map((element) => {
    const value = attributeOf(element, 'value') ?? ''
    const type = attributeOf(element, 'type') ?? 'string'
    if (type === 'NULL') return ''
    const number = ['double', 'float'].includes(type) ? findFinite(value) : undefined
    return number === undefined ? value : textOf(number)
  })
}

/** Both bounds of a range are inclusive, and the first range applies. Null values have none. */
function readRanges(context: Renderer): Rule[] {
  const { renderer, symbols, reading } = context
  const value = readClassifier(context, 'ranges')
  if (value === undefined) return []
  const operand: Expression = { op: 'call', name: 'to_real', operands: [value] }
  return entriesOf(renderer, 'ranges', 'range').flatMap((range) => {
    const [lower, upper] = ['lower', 'upper'].map((name) => numberAttribute(range, name))
    if (lower === undefined || upper === undefined) {
      reportPart(reading, range, `range ${nameOf(range)} is not drawn: its bounds are not numbers`)
      return []
    }
    const bounds = { lower: { op: 'literal', value: lower }, upper: { op: 'literal', value: upper } } as const
    return {
      ...entryRule(range, symbols),
      filter: { op: 'between', operand, ...bounds, isNegated: false } as const,
    }
  })
}

const nameOf = (entry: XmlElement) => JSON.stringify(attributeOf(entry, 'label') ?? '')

function entriesOf(renderer: XmlElement, list: string, name: string): XmlElement[] {
  return childrenNamed(renderer, list).flatMap((element) => childrenNamed(element, name))
}

/** Rule of a category or range. One that is not rendered still takes its features. */
function entryRule(entry: XmlElement, symbols: Symbols): Rule {
  return {
    ...emptyRule,
    ...labelOf(entry),
    isDrawn: attributeOf(entry, 'render') !== 'false',
    ...symbolOf(symbols, attributeOf(entry, 'symbol')),
  }
}

function labelOf(entry: XmlElement): { readonly label?: string } {
  const label = attributeOf(entry, 'label') ?? ''
  return label === '' ? {} : { label }
}

function readRules({ reading, renderer, symbols }: Renderer): Rule[] {
  const [root] = childrenNamed(renderer, 'rules')
  return root === undefined ? [] : readChildRules(reading, root, symbols)
}

function readChildRules(reading: QmlReading, parent: XmlElement, symbols: Symbols): Rule[] {
  return childrenNamed(parent, 'rule').flatMap((element) => readRule(reading, element, symbols) ?? [])
}

/** Reads a rule; undefined, with an issue, if its filter is not supported. */
function readRule(reading: QmlReading, element: XmlElement, symbols: Symbols): Rule | undefined {
  const text = (attributeOf(element, 'filter') ?? '').trim()
  const isElse = text.toUpperCase() === 'ELSE'
  const effect = `rule ${nameOf(element)} is not drawn`
  const hasFilter = text !== '' && !isElse
  const filter = hasFilter
    ? readExpression(reading, { element, attribute: 'filter', text, effect })
    : undefined
  if (hasFilter && filter === undefined) return undefined
  const [least, most] = ['scalemindenom', 'scalemaxdenom'].map((name) => numberAttribute(element, name) ?? 0)
  const rule: Rule = {
    ...emptyRule,
    ...labelOf(element),
    ...(filter === undefined ? {} : { filter }),
    isElse,
    ...(least ? { minScaleDenom: least } : {}),
    ...(most ? { maxScaleDenom: most } : {}),
    isDrawn: attributeOf(element, 'checkstate') !== '0',
    ...symbolOf(symbols, attributeOf(element, 'symbol')),
    children: readChildRules(reading, element, symbols),
  }
  return withOrigin(rule, element.span)
}
