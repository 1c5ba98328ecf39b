import type { Expression, Value } from '../../style/expression.ts'
import { compileExpression, compileFilter, type EvaluationContext } from '../../style/expression_evaluate.ts'
import type { Rule, SortKey, Style } from '../../style/style_model.ts'
import type { MapSymbol } from '../../style/symbol_layer.ts'
import { isDataDefined, type PixelSymbol, resolveSymbol } from './symbol_values.ts'

/** Scale of an image. */
export interface DrawScale {
  readonly scaleDenom: number
  readonly pixelsPerMapUnit: number
}

/** A symbol of a rule at a scale. */
export interface RuleSymbol {
  /** Position among the rules, for symbol levels. */
  readonly order: number
  /** Returns the symbol for a feature; the same object for all features unless it is data-defined. */
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

/** Prepares a style for a scale: drops rules outside of it, and compiles expressions. */
export function prepareStyle(style: Style, scale: DrawScale): PreparedStyle {
  const counter = { rules: 0 }
  const rules = isInScale(style, scale.scaleDenom) ? prepareRules(style, { scale, counter }) : []
  return {
    style,
    symbolsOf: (context) => findSymbols(rules, context, style.matching),
    sort: (features) => (style.order.length === 0 ? features : sortFeatures(features, style.order)),
  }
}

/** Returns whether a rule or style is drawn at a scale. */
export function isInScale(
  {
    minScaleDenom = 0,
    maxScaleDenom = Number.POSITIVE_INFINITY,
  }: Pick<Rule, 'minScaleDenom' | 'maxScaleDenom'>,
  scaleDenom: number,
): boolean {
  return scaleDenom >= minScaleDenom && scaleDenom < maxScaleDenom
}

interface PreparedRule {
  readonly matches: (context: EvaluationContext) => boolean
  readonly isElse: boolean
  readonly isDrawn: boolean
  readonly symbol: RuleSymbol | undefined
  readonly children: readonly PreparedRule[]
}

interface Preparation {
  readonly scale: DrawScale
  readonly counter: { rules: number }
}

function prepareRules(
  { rules, matching }: Pick<Style, 'rules' | 'matching'>,
  preparation: Preparation,
): PreparedRule[] {
  const shown = rules.filter(
    (rule) => isInScale(rule, preparation.scale.scaleDenom) && (rule.isDrawn || matching === 'first'),
  )
  return shown.map((rule) => {
    const symbol = rule.symbol && prepareSymbol(rule.symbol, preparation)
    return {
      matches: rule.filter === undefined ? () => true : compileFilter(rule.filter),
      isElse: rule.isElse,
      isDrawn: rule.isDrawn,
      symbol,
      children: prepareRules({ rules: rule.children, matching }, preparation),
    }
  })
}

function prepareSymbol(symbol: MapSymbol, { scale, counter }: Preparation): RuleSymbol {
  counter.rules += 1
  const order = counter.rules
  if (!isDataDefined(symbol)) {
    const fixed = resolveSymbol(symbol, scale)
    return { order, symbolFor: () => fixed }
  }
  const compiled = new Map<Expression, (context: EvaluationContext) => Value>()
  const evaluate = (expression: Expression, context: EvaluationContext) => {
    const known = compiled.get(expression) ?? compileExpression(expression)
    compiled.set(expression, known)
    return known(context)
  }
  const symbolFor = (context: EvaluationContext) =>
    resolveSymbol(symbol, { ...scale, evaluate: (expression) => evaluate(expression, context) })
  return { order, symbolFor }
}

function findSymbols(
  rules: readonly PreparedRule[],
  context: EvaluationContext,
  matching: Style['matching'],
): readonly RuleSymbol[] {
  const regular = rules.filter(({ isElse }) => !isElse)
  if (matching === 'first') {
    const found = regular.find(({ matches }) => matches(context)) ?? rules.find(({ isElse }) => isElse)
    return found?.isDrawn === true && found.symbol !== undefined ? [found.symbol] : []
  }
  const matched = regular.filter(({ matches }) => matches(context))
  const applied = matched.length > 0 ? matched : rules.filter(({ isElse }) => isElse)
  return applied.flatMap(({ symbol, children }) => [
    ...(symbol === undefined ? [] : [symbol]),
    ...findSymbols(children, context, matching),
  ])
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
