import type { Expression } from './expression/expression.ts'
import { numberFunction } from './expression/expression_functions.ts'
import type { Labels } from './label_model.ts'
import type { Rule, Style } from './style_model.ts'
import { findOrigin, withOrigin } from './style_origin.ts'
import type { Anchor, MapSymbol, Offset, SimpleLine, SymbolLayer } from './symbol_layer.ts'

/** A rule for languages without nesting: it applies to all features that match its filter. */
export interface FlatRule {
  readonly label: string
  /** Absent: all features. */
  readonly filter?: Expression
  /** Filters of the rules of which none may match. */
  readonly unless: readonly Expression[]
  readonly minScaleDenom?: number
  readonly maxScaleDenom?: number
  readonly symbol?: MapSymbol
  readonly labels: readonly Labels[]
}

interface Outer {
  readonly filters: readonly Expression[]
  readonly unless: readonly Expression[]
  readonly min: number
  readonly max: number
}

/** Lists the enabled rules of a style, each with the filters and scale limits of those above it. */
export function flattenRules(style: Style): FlatRule[] {
  const { minScaleDenom: min = 0, maxScaleDenom: max = Number.POSITIVE_INFINITY } = style
  const outer = { filters: [], unless: [], min, max }
  return style.matching === 'first' ? flattenFirst(style.rules, outer) : flattenAll(style.rules, outer)
}

/** Of rules of which only the first applies, each excludes those before it. */
function flattenFirst(rules: readonly Rule[], outer: Outer): FlatRule[] {
  return rules.flatMap((rule, at) => {
    if (!rule.isDrawn) return []
    return scalesOf(rule, rules.slice(0, at)).map(({ min, max, before }) => {
      const unless = before.flatMap(({ filter }) =>
        filter === undefined ? [] : exclude(filter, rule.filter),
      )
      const limits = { min: Math.max(outer.min, min), max: Math.min(outer.max, max) }
      return flatRule(rule, { ...outer, ...limits, unless: [...outer.unless, ...unless] })
    })
  })
}

/** Scales at which the same rules before a rule take features. */
interface ScaleRange {
  readonly min: number
  readonly max: number
  readonly before: readonly Rule[]
}

const infinity = Number.POSITIVE_INFINITY

/** Splits the scales of a rule where others before it begin and end, without those where one before it takes all features. */
function scalesOf({ minScaleDenom: min = 0, maxScaleDenom: max = infinity }: Rule, before: readonly Rule[]) {
  const limits = before.flatMap((one) => [one.minScaleDenom ?? 0, one.maxScaleDenom ?? infinity])
  const bounds = [min, ...limits.filter((one) => one > min && one < max), max]
  const ends = [...new Set(bounds)].toSorted((a, b) => a - b)
  const ranges: ScaleRange[] = []
  for (const [at, end] of ends.slice(1).entries()) {
    const start = ends[at] ?? 0
    const active = before.filter(
      (one) => (one.minScaleDenom ?? 0) <= start && start < (one.maxScaleDenom ?? infinity),
    )
    if (active.some(({ filter }) => filter === undefined)) continue
    const last = ranges.at(-1)
    const isSame = last?.max === start && last.before.length === active.length
    if (isSame && last.before.every((one, index) => one === active[index]))
      ranges[ranges.length - 1] = { ...last, max: end }
    else ranges.push({ min: start, max: end, before: active })
  }
  return ranges
}

/** Returns what must not match so that a filter before another one does not apply; empty if both never match. */
function exclude(before: Expression, filter: Expression | undefined): Expression[] {
  if (filter === undefined || !haveOneOperand(before, filter)) return [before]
  if (before.op === 'in' && filter.op === 'in') return before.isNegated || filter.isNegated ? [before] : []
  const [first, second] = [boundsOf(before), boundsOf(filter)]
  if (first === undefined || second === undefined || before.op !== 'between') return [before]
  if (first.upper < second.lower || second.upper < first.lower) return []
  const touch = first.upper === second.lower ? before.upper : before.lower
  const isTouching = first.upper === second.lower || second.upper === first.lower
  return [isTouching ? { op: 'binary', operator: '=', left: before.operand, right: touch } : before]
}

function haveOneOperand(a: Expression, b: Expression): boolean {
  return 'operand' in a && 'operand' in b && JSON.stringify(a.operand) === JSON.stringify(b.operand)
}

function boundsOf(range: Expression): { readonly lower: number; readonly upper: number } | undefined {
  if (range.op !== 'between' || range.isNegated) return undefined
  const [lower, upper] = [range.lower, range.upper].map((bound) =>
    bound.op === 'literal' ? bound.value : null,
  )
  return typeof lower === 'number' && typeof upper === 'number' ? { lower, upper } : undefined
}

function flattenAll(rules: readonly Rule[], outer: Outer): FlatRule[] {
  const others = rules.flatMap(({ filter, isElse }) => (isElse || filter === undefined ? [] : [filter]))
  return rules.flatMap((rule) => {
    if (!rule.isDrawn) return []
    const own = { ...outer, unless: [...outer.unless, ...(rule.isElse ? others : [])] }
    const flat = flatRule(rule, own)
    const inner: Outer = {
      filters: [...outer.filters, ...(rule.filter === undefined ? [] : [rule.filter])],
      unless: own.unless,
      min: flat.minScaleDenom ?? 0,
      max: flat.maxScaleDenom ?? Number.POSITIVE_INFINITY,
    }
    const isEmpty = (rule.symbol?.layers.length ?? 0) === 0 && rule.labels.length === 0
    return [...(isEmpty ? [] : [flat]), ...flattenAll(rule.children, inner)]
  })
}

function flatRule(rule: Rule, { filters, unless, min, max }: Outer): FlatRule {
  const operands = [...filters, ...(rule.filter === undefined ? [] : [rule.filter])]
  const [only] = operands
  const filter: Expression | undefined = operands.length > 1 ? { op: 'and', operands } : only
  const minScaleDenom = Math.max(min, rule.minScaleDenom ?? 0)
  const maxScaleDenom = Math.min(max, rule.maxScaleDenom ?? Number.POSITIVE_INFINITY)
  const flat: FlatRule = {
    label: rule.label ?? '',
    ...(filter === undefined ? {} : { filter }),
    unless,
    ...(minScaleDenom > 0 ? { minScaleDenom } : {}),
    ...(Number.isFinite(maxScaleDenom) ? { maxScaleDenom } : {}),
    ...(rule.symbol === undefined ? {} : { symbol: rule.symbol }),
    labels: rule.labels,
  }
  return withOrigin(flat, findOrigin(rule, rule.symbol))
}

/** A part of a style that another language cannot say. */
export class UntranslatedPart extends Error {}

/** Result of writing a style in another language. */
export interface WrittenStyle {
  readonly text: string
  /** Parts that are missing in the text, each with the number and the name of its rule, and where it was read if that is known. */
  readonly untranslated: readonly string[]
}

/** A rule with its number, and the part of it that is written. */
interface PlaceOfRule {
  readonly number: number
  readonly rule: FlatRule
  readonly part?: SymbolLayer | Labels
}

/** Collects the parts of rules that another language cannot say. */
export class Untranslated {
  readonly parts: string[] = []

  /** Reports a part that is left out of what is written. */
  note(place: PlaceOfRule, message: string): void {
    this.attempt(place, () => {
      throw new UntranslatedPart(message)
    })
  }

  /** Returns what a function writes; undefined, after recording the part, if it throws `UntranslatedPart`. */
  attempt<T>({ number, rule, part }: PlaceOfRule, write: () => T): T | undefined {
    try {
      return write()
    } catch (error) {
      if (!(error instanceof UntranslatedPart)) throw error
      const name = rule.label === '' ? '' : ` "${rule.label}"`
      const origin = findOrigin(part, part && rule.symbol, rule)
      const place = origin === undefined ? '' : ` (line ${origin.line}, column ${origin.column})`
      this.parts.push(`rule ${number}${name}${place}: ${error.message}`)
      return undefined
    }
  }
}

/** A rule with its number in the style. */
export type NumberedRule = readonly [rule: FlatRule, number: number]

/** Lists the rules of each pass of a style, from bottom to top: those with layers in it, and labels in the first one. */
export function listPasses(style: Style): NumberedRule[][] {
  const rules = flattenRules(style).map((rule, at): NumberedRule => [rule, at + 1])
  const passes = new Set(rules.flatMap(([{ symbol }]) => symbol?.layers.map(({ pass }) => pass) ?? []))
  if (style.levels === 'none' || passes.size < 2) return [rules]
  return [...passes]
    .toSorted((a, b) => a - b)
    .map((pass, at) =>
      rules.flatMap(([rule, number]): NumberedRule[] => {
        const layers = rule.symbol?.layers.filter((layer) => layer.pass === pass) ?? []
        const labels = at === 0 ? rule.labels : []
        if (layers.length === 0 && labels.length === 0) return []
        const symbol = rule.symbol && { symbol: { ...rule.symbol, layers } }
        return [[withOrigin({ ...rule, ...symbol, labels }, findOrigin(rule)), number]]
      }),
    )
}

/** Reports the parts of a style as a whole that other languages do not have. */
export function reportStyle({ parts }: Untranslated, style: Style): void {
  if (style.blending !== 'normal' || style.featureBlending !== 'normal')
    parts.push('blend modes are left out')
  if (style.heatmap !== undefined) parts.push('the heatmap is left out')
  if (style.groups !== undefined) parts.push('points are not grouped')
  if (style.order.length > 0) parts.push('the order of features is left out')
}

/** @throws {UntranslatedPart} for markers and fills beside their geometry */
export function refuseOffset(name: string, { offset, anchor }: { offset: Offset; anchor?: Anchor }): void {
  const isShifted = offset.some((one) => one !== 0)
  const isCentred = anchor === undefined || (anchor.x === 'center' && anchor.y === 'center')
  if (isShifted || !isCentred) throw new UntranslatedPart(`a ${name} with an offset is left out`)
}

/** @throws {UntranslatedPart} for lines along some rings of polygons only */
export function refuseRings({ rings }: SimpleLine): void {
  if (rings !== 'all') throw new UntranslatedPart(`a line on ${rings} rings only is left out`)
}

/** @throws {UntranslatedPart} for labels of some features or scales of their rule only */
export function refuseLimits({ filter, minScaleDenom, maxScaleDenom }: Labels): void {
  if (filter !== undefined) throw new UntranslatedPart('labels with a filter of their own are left out')
  if (minScaleDenom !== undefined || maxScaleDenom !== undefined)
    throw new UntranslatedPart('labels with scale limits of their own are left out')
}

const transparentCalls = ['to_string', 'to_real', numberFunction]

/** Returns the value inside of conversions, which other languages do themselves: to strings and numbers, and of null to an empty string or 0. */
export function unwrapConversion(expression: Expression): Expression {
  const isConversion =
    expression.op === 'call' &&
    (transparentCalls.includes(expression.name) ||
      (expression.name === 'coalesce' && expression.operands.slice(1).every(isEmpty)))
  const [inner] = isConversion ? expression.operands : []
  return inner === undefined ? expression : unwrapConversion(inner)
}

const isEmpty = (operand: Expression) =>
  operand.op === 'literal' && (operand.value === '' || operand.value === 0)
