import type { Value } from '../../style/expression/expression.ts'
import { compileExpression, type EvaluationContext } from '../../style/expression/expression_evaluate.ts'
import { compileRules, isInScale } from '../../style/match_rules.ts'
import { compileSymbol, exactSymbol } from '../../style/resolve_symbol.ts'
import { magnifySymbol } from '../../style/scale_layer.ts'
import type { Rule, SortKey, Style } from '../../style/style_model.ts'
import type { MapSymbol } from '../../style/symbol_layer.ts'
import type { PixelSymbol } from './pixel_symbol.ts'

/** Scale of an image. */
export interface DrawScale {
  readonly scaleDenom: number
  /** Pixels of 1/96 inch, not device pixels. */
  readonly pixelsPerMapUnit: number
  /** Device pixels per pixel, by which all lengths are multiplied; 1 by default. */
  readonly pixelRatio?: number
}

/** A symbol of a rule at a scale. */
export interface RuleSymbol {
  /** Position of the rule in the style, for symbol levels. */
  readonly order: number
  /** Returns the symbol for a feature; the same object for all features unless it depends on their attributes. */
  readonly symbolFor: (context: EvaluationContext) => PixelSymbol
}

/** A style, prepared for drawing at a scale. */
export interface PreparedStyle {
  readonly style: Style
  /** Lists the symbols of a feature, bottom first. */
  readonly symbolsOf: (context: EvaluationContext) => readonly RuleSymbol[]
  /** Sorts features into the order of drawing. */
  readonly sort: <F extends { readonly context: EvaluationContext }>(features: readonly F[]) => readonly F[]
}

/** Prepares a style for a scale: compiles its rules, symbols and expressions. */
export function prepareStyle(style: Style, scale: DrawScale): PreparedStyle {
  const symbols = new Map<Rule, readonly RuleSymbol[]>()
  addSymbols(style.rules, symbols, { ...scale, isExact: style.isExact === true })
  const match = isInScale(style, scale.scaleDenom) ? compileRules(style) : () => []
  return {
    style,
    symbolsOf: (context) => {
      const rules = match(context)
      const [rule] = rules
      // Most features are drawn by one rule, and need no list of their own.
      if (rules.length < 2) return (rule && symbols.get(rule)) ?? noSymbols
      return rules.flatMap((one) => symbols.get(one) ?? noSymbols)
    },
    sort: (features) => (style.order.length === 0 ? features : sortFeatures(features, style.order)),
  }
}

const noSymbols: readonly RuleSymbol[] = []

/** Scale of symbols. */
export interface SymbolScale extends DrawScale {
  readonly isExact?: boolean
}

function addSymbols(
  rules: readonly Rule[],
  into: Map<Rule, readonly RuleSymbol[]>,
  scale: SymbolScale,
): void {
  for (const rule of rules) {
    if (rule.symbol !== undefined) into.set(rule, [prepareSymbol(rule.symbol, into.size, scale)])
    addSymbols(rule.children, into, scale)
  }
}

/** Prepares a symbol at a position of a style for a scale. */
export function prepareSymbol(symbol: MapSymbol, order: number, scale: SymbolScale): RuleSymbol {
  const { pixelsPerMapUnit, pixelRatio = 1, isExact = false } = scale
  const { isConstant, resolve } = compileSymbol(symbol)
  const symbolFor = (context: EvaluationContext) => {
    const resolved = resolve({ context, pixelsPerMapUnit })
    return magnifySymbol(isExact ? exactSymbol(resolved) : resolved, pixelRatio)
  }
  if (!isConstant) return { order, symbolFor }
  const fixed = symbolFor({ attributes: {} })
  return { order, symbolFor: () => fixed }
}

function sortFeatures<F extends { readonly context: EvaluationContext }>(
  features: readonly F[],
  order: readonly SortKey[],
): readonly F[] {
  const keys = order.map((key) => ({ ...key, evaluate: compileExpression(key.expression) }))
  const rows = features.map((feature) => ({
    feature,
    values: keys.map(({ evaluate }) => evaluate(feature.context)),
  }))
  rows.sort((a, b) => {
    for (const [at, key] of keys.entries()) {
      const difference = compareKeys(a.values[at] ?? null, b.values[at] ?? null, key)
      if (difference !== 0) return difference
    }
    return 0
  })
  return rows.map(({ feature }) => feature)
}

function compareKeys(a: Value, b: Value, { isAscending, isNullFirst }: SortKey): number {
  if (a === null || b === null) {
    if (a === b) return 0
    return (a === null) === isNullFirst ? -1 : 1
  }
  const isText = typeof a === 'string' || typeof b === 'string'
  const [left, right] = isText ? [String(a), String(b)] : [Number(a), Number(b)]
  if (left === right) return 0
  return left < right === isAscending ? -1 : 1
}
