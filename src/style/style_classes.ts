import type { EvaluationContext } from './expression/expression_evaluate.ts'
import { legendEntries } from './legend_entries.ts'
import { compileRules, isInScale } from './match_rules.ts'
import type { Rule, Style } from './style_model.ts'

/** Returns the symbols that draw a feature, as positions in the legend of the style such as `0` or `0,3`; null if none does. */
export type FindClass = (context: EvaluationContext) => string | null

/** Compiles the rules of a style to a function that finds the symbols of features. */
export function compileClasses(style: Style): FindClass {
  const positions = new Map<Rule, number>(legendEntries(style).map(({ rule, index }) => [rule, index]))
  const match = compileRules(style)
  return (context) => {
    if (!isInScale(style, context.scaleDenom)) return null
    const found = match(context).flatMap((rule) => positions.get(rule) ?? [])
    return found.length === 0 ? null : found.join()
  }
}
