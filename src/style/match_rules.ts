import { indexEqualities } from './expression/equality_index.ts'
import { compileFilter, type EvaluationContext } from './expression/expression_evaluate.ts'
import type { Rule, Style } from './style_model.ts'

/** Returns the rules that draw a feature at `context.scaleDenom`, bottom first. Without a scale, limits do not apply. */
export type MatchRules = (context: EvaluationContext) => readonly Rule[]

/** Compiles the rules of a style. Long lists of rules that compare one value with constants are searched in constant time. */
export function compileRules({ rules, matching }: Pick<Style, 'rules' | 'matching'>): MatchRules {
  const [only, ...others] = rules
  if (only !== undefined && others.length === 0 && isForAll(only)) return matchOne(only)
  return matching === 'first' ? matchFirst(rules) : matchAll(rules)
}

/** Reports whether a rule draws all features, if it is in scale. */
function isForAll({ filter, isElse, children }: Rule): boolean {
  return filter === undefined && !isElse && children.length === 0
}

function matchOne(rule: Rule): MatchRules {
  const drawn = rule.isDrawn && rule.symbol !== undefined ? [rule] : []
  return ({ scaleDenom }) => (isInScale(rule, scaleDenom) ? drawn : [])
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

function matchFirst(rules: readonly Rule[]): MatchRules {
  const tests = rules.map(testOf)
  const { others, find } = indexEqualities(rules.map(({ filter }) => filter))
  return (context) => {
    const first = findInOrder(others, find(context), (at) => tests[at]?.(context) === true)
    const rule = first === undefined ? undefined : rules[first]
    return rule?.isDrawn ? [rule] : []
  }
}

/** Returns the first position of two ascending lists that satisfies a condition. */
function findInOrder(
  some: readonly number[],
  others: readonly number[],
  matches: (at: number) => boolean,
): number | undefined {
  let one = 0
  let other = 0
  while (one < some.length || other < others.length) {
    const a = some[one] ?? Number.POSITIVE_INFINITY
    const b = others[other] ?? Number.POSITIVE_INFINITY
    if (a < b) one += 1
    else other += 1
    const at = Math.min(a, b)
    if (matches(at)) return at
  }
  return undefined
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
  const collectPlain = collectEach(rules.filter(({ isElse }) => !isElse))
  const collectOthers = collectEach(rules.filter(({ isElse }) => isElse))
  return (context, isActive, drawn) =>
    collectPlain(context, isActive, drawn) || collectOthers(context, isActive, drawn)
}

function collectEach(rules: readonly Rule[]): Collect {
  const parts = rules.map(collectRule)
  const { others, find } = indexEqualities(rules.map(({ filter }) => filter))
  return (context, isActive, drawn) => {
    let isTaken = false
    findInOrder(others, find(context), (at) => {
      if (parts[at]?.(context, isActive, drawn) === true) isTaken = true
      return false
    })
    return isTaken
  }
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
