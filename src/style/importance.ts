import type { Expression } from './expression/expression.ts'
import { boundOf } from './rule_bound.ts'
import type { Rule, Style } from './style_model.ts'
import { listSymbols } from './style_symbols.ts'
import type { MapSymbol, SymbolLayer } from './symbol_layer.ts'

/** The field by which features are kept where they are denser than pixels. */
export interface ImportantField {
  readonly name: string
  /** Whether high values are important, and not low ones. */
  readonly isHighFirst: boolean
}

/**
 * Finds the field that tells which features of a style are important: the first key of its order of drawing, because
 * features drawn later cover others; else the field that sets the size of a marker, because large ones cover others; else the
 * field whose value decides at which scales features are drawn, which size their markers have, or whether they have labels.
 * Undefined if the style has none of them, or computes the value in another way than by changing its sign.
 */
export function findImportantField({ order, rules, labels }: Style): ImportantField | undefined {
  const [key] = order
  if (key !== undefined) return fieldOf(key.expression, key.isAscending)
  return listSymbols(rules)
    .flatMap(({ layers }) => layers.flatMap(sizeOf))
    .map((size) => fieldOf(size, true))
    .concat(findScaledField(rules), findSizedField(rules), findLabelledField(rules, labels))
    .find((field) => field !== undefined)
}

/** Finds the field of which rules with the highest limit of scales draw the highest, or the lowest, values. */
function findScaledField(rules: readonly Rule[]): ImportantField | undefined {
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
function findSizedField(rules: readonly Rule[]): ImportantField | undefined {
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

function markerSize({ layers }: MapSymbol): number {
  const sizes = layers.map((layer) => ('size' in layer && typeof layer.size === 'number' ? layer.size : 0))
  return Math.max(0, ...sizes)
}

/** Finds the field whose high, or low, values have labels. */
function findLabelledField(rules: readonly Rule[], labels: Style['labels']): ImportantField | undefined {
  for (const { filter } of [...labels, ...rules.flatMap((rule) => rule.labels)]) {
    const bound = filter && boundOf(filter)
    if (bound !== undefined) return { name: bound.name, isHighFirst: bound.operator.startsWith('>') }
  }
  return undefined
}

function fieldOf(expression: Expression, isHighFirst: boolean): ImportantField | undefined {
  if (expression.op === 'field') return { name: expression.name, isHighFirst }
  return expression.op === 'negate' ? fieldOf(expression.operand, !isHighFirst) : undefined
}

function sizeOf(layer: SymbolLayer): Expression[] {
  const size = 'size' in layer ? layer.dataDefined?.size : undefined
  return size === undefined ? [] : [size]
}
