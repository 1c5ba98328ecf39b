import type { Expression } from './expression/expression.ts'
import { boundOf } from './rule_bound.ts'
import type { Rule, Style } from './style_model.ts'
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
 * field whose value decides at which scales features are drawn. Undefined if the style has none of them, or computes the value
 * in another way than by changing its sign.
 */
export function findImportantField({ order, rules }: Style): ImportantField | undefined {
  const [key] = order
  if (key !== undefined) return fieldOf(key.expression, key.isAscending)
  return listSymbols(rules)
    .flatMap(({ layers }) => layers.flatMap(sizeOf))
    .map((size) => fieldOf(size, true))
    .concat(findScaledField(rules))
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

function fieldOf(expression: Expression, isHighFirst: boolean): ImportantField | undefined {
  if (expression.op === 'field') return { name: expression.name, isHighFirst }
  return expression.op === 'negate' ? fieldOf(expression.operand, !isHighFirst) : undefined
}

function sizeOf(layer: SymbolLayer): Expression[] {
  const size = 'size' in layer ? layer.dataDefined?.size : undefined
  return size === undefined ? [] : [size]
}

function listSymbols(rules: readonly Rule[]): MapSymbol[] {
  return rules.flatMap(({ symbol, children }) => [
    ...(symbol === undefined ? [] : [symbol]),
    ...listSymbols(children),
  ])
}
