import { equalityOf } from './expression/equality_index.ts'
import type { Expression } from './expression/expression.ts'
import { trendOf } from './expression/trend.ts'
import { boundOf, unwrapText } from './rule_bound.ts'
import type { Rule, Style } from './style_model.ts'
import { listSymbols } from './style_symbols.ts'
import type { MapSymbol, SymbolLayer } from './symbol_layer.ts'

/** The field by which features are kept where they are denser than pixels. */
export type ImportantField = OrderedField | SizedValues

/** A field whose high, or low, values are important. */
export interface OrderedField {
  readonly name: string
  /** Whether high values are important, and not low ones. */
  readonly isHighFirst: boolean
}

/** A field whose values choose among markers: the largest are important. */
export interface SizedValues {
  readonly name: string
  readonly sizes: readonly ValueSize[]
  /** Size of the marker of other values, in pixels; 0 without one. */
  readonly otherSize: number
}

/** Size of the marker of a value, in pixels. */
export type ValueSize = readonly [value: string | number, size: number]

/**
 * Finds the field that tells which features of a style are important. That is the field which sets the size of a marker, by its
 * number or by classes, because large markers are seen from afar, and around small ones that cover them. Without one, it is the
 * first key of the order of drawing, because features drawn later cover others; else the field whose value decides at which
 * scales features are drawn, or whether they have labels. Undefined if the style has none of them.
 */
export function findImportantField({ order, rules, labels }: Style): ImportantField | undefined {
  const [key] = order
  const sizes = listSymbols(rules).flatMap(({ layers }) => layers.flatMap(sizeOf))
  return (
    sizes.map((size) => fieldOf(size, true)).find((field) => field !== undefined) ??
    findSizedField(rules) ??
    findSizedValues(rules) ??
    (key && fieldOf(key.expression, key.isAscending)) ??
    findScaledField(rules) ??
    findLabelledField(rules, labels)
  )
}

/** Finds the field of which rules with the highest limit of scales draw the highest, or the lowest, values. */
function findScaledField(rules: readonly Rule[]): OrderedField | undefined {
  const bounded = rules.flatMap(({ filter, maxScaleDenom = Number.POSITIVE_INFINITY }) => {
    const bound = filter && boundOf(filter)
    return bound === undefined ? [] : [{ ...bound, maxScaleDenom }]
  })
  const [first, ...others] = bounded.toSorted((a, b) => b.maxScaleDenom - a.maxScaleDenom)
  const last = others.at(-1)
  if (first === undefined || last === undefined || last.maxScaleDenom === first.maxScaleDenom)
    return undefined
  if (others.some(({ name }) => name !== first.name)) return undefined
  return { name: first.name, isHighFirst: first.value > last.value }
}

/** Finds the field whose highest, or lowest, values have the largest markers. */
function findSizedField(rules: readonly Rule[]): OrderedField | undefined {
  const sized = rules.flatMap(({ filter, symbol }) => {
    const bound = filter && boundOf(filter)
    return bound === undefined || symbol === undefined ? [] : [{ ...bound, size: markerSize(symbol) }]
  })
  const upper = ({ operator }: { readonly operator: string }) => Number(operator.startsWith('<'))
  const [first, ...others] = sized.toSorted((a, b) => a.value - b.value || upper(b) - upper(a))
  const last = others.at(-1)
  if (first === undefined || last === undefined || last.size === first.size) return undefined
  const isHighFirst = last.size > first.size
  let size = first.size
  for (const other of others) {
    if (other.name !== first.name || (isHighFirst ? other.size < size : other.size > size)) return undefined
    size = other.size
  }
  return { name: first.name, isHighFirst }
}

/** Maximum number of values whose sizes are compared. */
const maxValues = 200

/** Finds the field of categories that have markers of different sizes. */
function findSizedValues(rules: readonly Rule[]): SizedValues | undefined {
  const sizes: ValueSize[] = []
  let name: string | undefined
  let otherSize: number | undefined
  for (const { filter, symbol, children } of rules) {
    if (children.length > 0) return undefined
    const size = symbol === undefined ? 0 : markerSize(symbol)
    if (filter === undefined) {
      otherSize = Math.max(otherSize ?? 0, size)
      continue
    }
    const { operand, values = [] } = equalityOf(filter) ?? {}
    const field = operand && unwrapText(operand)
    if (field?.op !== 'field' || (name ?? field.name) !== field.name) return undefined
    name = field.name
    for (const value of values) sizes.push([value, size])
  }
  const [first, ...others] = sizes.map(([, size]) => size).concat(otherSize ?? [])
  if (name === undefined || sizes.length > maxValues || others.every((size) => size === first))
    return undefined
  return { name, sizes, otherSize: otherSize ?? 0 }
}

function markerSize({ layers }: MapSymbol): number {
  const sizes = layers.map((layer) => ('size' in layer && typeof layer.size === 'number' ? layer.size : 0))
  return Math.max(0, ...sizes)
}

/** Finds the field whose high, or low, values have labels. */
function findLabelledField(rules: readonly Rule[], labels: Style['labels']): OrderedField | undefined {
  for (const { filter } of [...labels, ...rules.flatMap((rule) => rule.labels)]) {
    const bound = filter && boundOf(filter)
    if (bound !== undefined) return { name: bound.name, isHighFirst: bound.operator.startsWith('>') }
  }
  return undefined
}

function fieldOf(expression: Expression, isHighFirst: boolean): OrderedField | undefined {
  const trend = trendOf(expression)
  return trend && { name: trend.name, isHighFirst: trend.isRising === isHighFirst }
}

function sizeOf(layer: SymbolLayer): Expression[] {
  const size = 'size' in layer ? layer.dataDefined?.size : undefined
  return size === undefined ? [] : [size]
}
