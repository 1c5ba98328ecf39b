import type { Expression } from './expression/expression.ts'
import {
  compileExpression,
  compileFilter,
  type Evaluate,
  type EvaluationContext,
} from './expression/expression_evaluate.ts'
import { textOf } from './expression/expression_value.ts'
import type { Rule, Style } from './style_model.ts'

/** Returns the rules that draw a feature at `context.scaleDenom`, bottom first. Without a scale, limits do not apply. */
export type MatchRules = (context: EvaluationContext) => readonly Rule[]

/** Compiles the rules of a style. A long list of categories of one value is searched in constant time. */
export function compileRules({ rules, matching }: Pick<Style, 'rules' | 'matching'>): MatchRules {
  return matching === 'first' ? matchFirst(rules) : matchAll(rules)
}

/** Size of a pixel of 1/96 inch in metres: scale denominators of styles are those of such pixels, as in QGIS. */
const pixelMetres = 0.0254 / 96

/** Returns the scale denominator, for the limits of styles and `@map_scale`, of a resolution in metres per pixel. */
export function scaleDenomOf(resolution: number): number {
  return resolution / pixelMetres
}

/** Returns the resolution in metres per pixel of a scale denominator. */
export function resolutionOf(scaleDenom: number): number {
  return scaleDenom * pixelMetres
}

/** Reports whether a rule, style or label is drawn at a scale `1 : scaleDenom`. */
export function isInScale(
  { minScaleDenom = 0, maxScaleDenom = Number.POSITIVE_INFINITY }: ScaleLimits,
  scaleDenom: number | undefined,
): boolean {
  return scaleDenom === undefined || (scaleDenom >= minScaleDenom && scaleDenom < maxScaleDenom)
}

interface ScaleLimits {
  readonly minScaleDenom?: number
  readonly maxScaleDenom?: number
}

/** Rules in their order: one with its own filter, or several that compare the same value with strings. */
type Step =
  | { readonly kind: 'test'; readonly rule: Rule; readonly matches: (context: EvaluationContext) => boolean }
  | {
      readonly kind: 'lookup'
      readonly key: string
      readonly value: Evaluate
      readonly rules: Map<string, Rule>
    }

function matchFirst(rules: readonly Rule[]): MatchRules {
  const steps = stepsOf(rules)
  return (context) => {
    for (const step of steps) {
      const rule =
        step.kind === 'lookup' ? lookUp(step, context) : step.matches(context) ? step.rule : undefined
      if (rule !== undefined) return rule.isDrawn ? [rule] : []
    }
    return []
  }
}

function lookUp({ value, rules }: Step & { kind: 'lookup' }, context: EvaluationContext): Rule | undefined {
  const found = value(context)
  return found === null ? undefined : rules.get(textOf(found))
}

function stepsOf(rules: readonly Rule[]): Step[] {
  const steps: Step[] = []
  for (const rule of rules) {
    const category = categoryOf(rule)
    const last = steps.at(-1)
    if (category === undefined) steps.push({ kind: 'test', rule, matches: testOf(rule) })
    else if (last?.kind === 'lookup' && last.key === category.key)
      addCategory(last.rules, category.items, rule)
    else steps.push(lookupOf(category, rule))
  }
  return steps
}

interface Category {
  readonly key: string
  readonly operand: Expression
  readonly items: readonly string[]
}

function lookupOf({ key, operand, items }: Category, rule: Rule): Step {
  const rules = new Map<string, Rule>()
  addCategory(rules, items, rule)
  return { kind: 'lookup', key, value: compileExpression(operand), rules }
}

function addCategory(rules: Map<string, Rule>, items: readonly string[], rule: Rule): void {
  for (const item of items) if (!rules.has(item)) rules.set(item, rule)
}

/** Returns the value and strings of a rule that compares a string with a list at every scale. */
function categoryOf({ filter, minScaleDenom, maxScaleDenom }: Rule): Category | undefined {
  if (filter?.op !== 'in' || filter.isNegated || minScaleDenom !== undefined || maxScaleDenom !== undefined)
    return undefined
  const items = filter.items.flatMap((item) =>
    item.op === 'literal' && typeof item.value === 'string' ? [item.value] : [],
  )
  const isText = items.length === filter.items.length && isTextual(filter.operand)
  return isText ? { key: JSON.stringify(filter.operand), operand: filter.operand, items } : undefined
}

/** Reports whether a value is always a string or null, so that its comparison with strings is exact. */
function isTextual(expression: Expression): boolean {
  if (expression.op === 'literal') return typeof expression.value === 'string'
  if (expression.op !== 'call') return false
  return (
    expression.name === 'to_string' ||
    (expression.name === 'coalesce' && expression.operands.every(isTextual))
  )
}

function testOf(rule: Rule): (context: EvaluationContext) => boolean {
  const matches = rule.filter === undefined ? () => true : compileFilter(rule.filter)
  return (context) => isInScale(rule, context.scaleDenom) && matches(context)
}

/** Collects the rules that draw a feature; returns whether the feature is taken from ELSE rules. */
type Collect = (context: EvaluationContext, isActive: boolean, drawn: Rule[]) => boolean

function matchAll(rules: readonly Rule[]): MatchRules {
  const collect = collectList(rules)
  return (context) => {
    const drawn: Rule[] = []
    collect(context, true, drawn)
    return drawn
  }
}

function collectList(rules: readonly Rule[]): Collect {
  const plain = rules.filter(({ isElse }) => !isElse).map(collectRule)
  const others = rules.filter(({ isElse }) => isElse).map(collectRule)
  const collectEach = (parts: readonly Collect[]): Collect => {
    return (context, isActive, drawn) => {
      let isTaken = false
      for (const part of parts) if (part(context, isActive, drawn)) isTaken = true
      return isTaken
    }
  }
  const [collectPlain, collectOthers] = [collectEach(plain), collectEach(others)]
  return (context, isActive, drawn) =>
    collectPlain(context, isActive, drawn) || collectOthers(context, isActive, drawn)
}

/**
 * A rule that matches takes the feature from ELSE rules if it has a symbol or is disabled, even where it is not drawn, or
 * if one of its children takes it. QGIS 3.22 does so.
 */
function collectRule(rule: Rule): Collect {
  const matches = rule.filter === undefined ? () => true : compileFilter(rule.filter)
  const collectChildren = collectList(rule.children)
  return (context, isParentActive, drawn) => {
    if (!matches(context)) return false
    const isActive = isParentActive && rule.isDrawn && isInScale(rule, context.scaleDenom)
    if (isActive && rule.symbol !== undefined) drawn.push(rule)
    const isTaken = collectChildren(context, isActive, drawn)
    return isTaken || !rule.isDrawn || rule.symbol !== undefined
  }
}
