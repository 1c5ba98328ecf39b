import type { Issue } from '../core/issue.ts'
import type { Filter } from './feature_filter.ts'
import type { Rule, Style, Symbolizer } from './page_style.ts'
import { parseQml } from './qml_parse.ts'
import { readQmlSymbol } from './qml_symbol.ts'
import type { XmlElement } from './xml_read.ts'

/** Result of reading a QML file: the style, unless its renderer is not supported, and the parts not drawn. */
export interface QmlStyleResult {
  readonly style?: Style
  readonly issues: readonly Issue[]
}

/**
 * Reads the symbology of a QML file: single, categorized and graduated symbols made of simple fills, lines and markers.
 * Labels, diagrams and everything else are ignored.
 */
export function readQml(text: string, file = 'qml'): QmlStyleResult {
  const { root, issues: faults } = parseQml(text, file)
  if (root === undefined) return { issues: faults }
  const renderer = root.children.find(({ name }) => name === 'renderer-v2')
  const type = renderer && attributeOf(renderer, 'type')
  const read = type === undefined || !Object.hasOwn(readers, type) ? undefined : readers[type]
  if (renderer === undefined || read === undefined)
    return { issues: [unknown(renderer ?? root, `renderer ${type}`)] }
  const issues: Issue[] = []
  const symbols = readSymbols(renderer, issues)
  const scale = readScale(root)
  return { style: { rules: read(renderer, symbols).map((rule) => ({ ...rule, ...scale })) }, issues }
}

type Symbols = ReadonlyMap<string, readonly Symbolizer[]>
type ReadRules = (renderer: XmlElement, symbols: Symbols) => Rule[]

const readers: Readonly<Record<string, ReadRules>> = {
  singleSymbol: (_, symbols) => [{ symbolizers: symbols.get('0') ?? [] }],
  categorizedSymbol: readCategories,
  graduatedSymbol: readRanges,
}

function readSymbols(renderer: XmlElement, issues: Issue[]): Symbols {
  const symbols = childrenOf(renderer, 'symbols').flatMap((list) => childrenOf(list, 'symbol'))
  return new Map(
    symbols.map((symbol) => {
      const { symbolizers, unsupported } = readQmlSymbol(symbol)
      for (const { element, what } of unsupported) issues.push(unknown(element, what))
      return [attributeOf(symbol, 'name') ?? '', symbolizers] as const
    }),
  )
}

/** The category without a value matches all other features, so it comes last. */
function readCategories(renderer: XmlElement, symbols: Symbols): Rule[] {
  const field = attributeOf(renderer, 'attr') ?? ''
  const categories = entriesOf(renderer, 'categories', 'category').map((category) => {
    const value = attributeOf(category, 'value') ?? ''
    const rule = ruleOf(category, symbols)
    return value === '' ? rule : { ...rule, filter: equals(field, value, attributeOf(category, 'type')) }
  })
  return [...categories.filter(hasFilter), ...categories.filter((rule) => !hasFilter(rule))]
}

const hasFilter = (rule: Rule) => rule.filter !== undefined

function equals(field: string, value: string, type: string | undefined): Filter {
  const isNumber = ['integer', 'double', 'long', 'longlong', 'uint', 'ulonglong'].includes(type ?? '')
  return { op: 'eq', field, value: isNumber && Number.isFinite(Number(value)) ? Number(value) : value }
}

function readRanges(renderer: XmlElement, symbols: Symbols): Rule[] {
  const field = attributeOf(renderer, 'attr') ?? ''
  return entriesOf(renderer, 'ranges', 'range').map((range) => {
    const [lower, upper] = [attributeOf(range, 'lower'), attributeOf(range, 'upper')].map(Number)
    const filters: Filter[] = [
      { op: 'ge', field, value: lower ?? Number.NaN },
      { op: 'le', field, value: upper ?? Number.NaN },
    ]
    return { ...ruleOf(range, symbols), filter: { op: 'and', filters } }
  })
}

function entriesOf(renderer: XmlElement, list: string, name: string): XmlElement[] {
  return childrenOf(renderer, list).flatMap((element) => childrenOf(element, name))
}

/** A disabled entry draws nothing, but still matches its features before later rules do. */
function ruleOf(entry: XmlElement, symbols: Symbols): Rule {
  const isDrawn = attributeOf(entry, 'render') !== 'false'
  const label = attributeOf(entry, 'label') ?? ''
  return {
    ...(label === '' ? {} : { label }),
    symbolizers: isDrawn ? (symbols.get(attributeOf(entry, 'symbol') ?? '') ?? []) : [],
  }
}

/** QGIS names scales by size, not by denominator: its minimum scale has the larger denominator. */
function readScale(root: XmlElement): Pick<Rule, 'minScaleDenom' | 'maxScaleDenom'> {
  if (attributeOf(root, 'hasScaleBasedVisibilityFlag') !== '1') return {}
  const [largest, smallest] = [attributeOf(root, 'minScale'), attributeOf(root, 'maxScale')].map(Number)
  return {
    ...(smallest ? { minScaleDenom: smallest } : {}),
    ...(largest ? { maxScaleDenom: largest } : {}),
  }
}

function childrenOf({ children }: XmlElement, name: string): XmlElement[] {
  return children.filter((child) => child.name === name)
}

function attributeOf({ attributes }: XmlElement, name: string): string | undefined {
  return attributes.find((attribute) => attribute.name === name)?.value
}

function unknown({ span }: XmlElement, what: string): Issue {
  return { code: 'style/unknown', message: `${what} is not supported`, severity: 'warning', span }
}
