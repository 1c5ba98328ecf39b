import type { Color } from '../../style/color.ts'
import {
  compileExpression,
  compileFilter,
  type Evaluate,
  type EvaluationContext,
} from '../../style/expression/expression_evaluate.ts'
import { findNumber, isSelected, textOf } from '../../style/expression/expression_value.ts'
import type {
  LabelBuffer,
  LabelCallout,
  LabelPlacement,
  LabelProperty,
  Labels,
} from '../../style/label_model.ts'
import { compileRules, isInScale } from '../../style/match_rules.ts'
import { findQtColor } from '../../style/qt_color.ts'
import { compileSymbol, compileValues } from '../../style/resolve_symbol.ts'
import { pixelsOf } from '../../style/scale_layer.ts'
import type { Rule, Style } from '../../style/style_model.ts'
import type { Length } from '../../style/symbol_layer.ts'
import { layoutLines } from './label_text.ts'
import type { LabelFace } from './placed_label.ts'

/** A label of a feature, with all lengths in pixels and all expressions applied. */
export interface LabelSpec {
  /** At least one; none is empty. */
  readonly lines: readonly string[]
  readonly face: LabelFace
  readonly color: Color
  readonly buffer?: LabelBuffer<number>
  readonly placement: LabelPlacement<number>
  readonly offset: readonly [x: number, y: number]
  /** In degrees, clockwise. */
  readonly angle: number
  readonly priority: number
  readonly showsAll: boolean
  readonly isOnAllParts: boolean
  /** Whether lines with the same label that meet have one label together. */
  readonly mergesLines: boolean
  /** Distance of labels along a line; 0 for one label. */
  readonly repeatDistance: number
  readonly lineHeight: number
  readonly alignment: Labels['alignment']
  /** Whether lines have whole heights, as in QGIS. @default false */
  readonly hasWholePixels?: boolean
  /** Whether labels are as high as their letters, as in MapServer. @default false */
  readonly hasInkHeight?: boolean
  /** Line from the label to its feature. */
  readonly callout?: LabelCallout<number>
  /** Radius of the markers at a point, which labels around it do not cover. @default 0 */
  readonly markerRadius?: number
}

/** Scale of labels. */
export interface LabelScale {
  readonly scaleDenom: number
  readonly pixelsPerMapUnit: number
}

/** Returns the labels of a feature. */
export type FindLabels = (context: EvaluationContext) => readonly LabelSpec[]

/** Bounds of fonts, buffers and distances, in pixels. */
const limits = { size: 400, buffer: 50, spacing: 50, length: 4096 }

/** Reports whether a style has labels at a scale; at any scale if it is missing. */
export function hasLabels(style: Style, scaleDenom?: number): boolean {
  if (!isInScale(style, scaleDenom)) return false
  const inScale = (labels: readonly Labels[]) => labels.some((one) => isInScale(one, scaleDenom))
  const ofRules = (rules: readonly Rule[]): boolean =>
    rules.some(({ labels, children }) => inScale(labels) || ofRules(children))
  return inScale(style.labels) || ofRules(style.rules)
}

/** Compiles the labels of a style for a scale. Features that no rule draws have none, unless the style has no rules. */
export function compileLabels(style: Style, scale: LabelScale): FindLabels {
  if (!hasLabels(style, scale.scaleDenom)) return () => []
  const match = compileRules(style)
  const ofStyle = compileAll(style.labels, scale)
  const ofRules = new Map<Rule, readonly FindLabels[]>()
  const addRules = (rules: readonly Rule[]): void => {
    for (const rule of rules) {
      if (rule.labels.length > 0) ofRules.set(rule, compileAll(rule.labels, scale))
      addRules(rule.children)
    }
  }
  addRules(style.rules)
  const isPlain = style.rules.length === 0
  return (context) => {
    const rules = match(context)
    const found = isPlain || rules.length > 0 ? ofStyle : []
    const all = [...found, ...rules.flatMap((rule) => ofRules.get(rule) ?? [])]
    return all.flatMap((find) => find(context))
  }
}

function compileAll(labels: readonly Labels[], scale: LabelScale): readonly FindLabels[] {
  return labels.filter((one) => isInScale(one, scale.scaleDenom)).map((one) => compileOne(one, scale))
}

function compileOne(labels: Labels, { pixelsPerMapUnit }: LabelScale): FindLabels {
  const text = compileExpression(labels.text)
  const isLabelled = labels.filter === undefined ? () => true : compileFilter(labels.filter)
  const values = compileValues(labels.dataDefined)
  const px = (length: Length) => bounded(pixelsOf(length, pixelsPerMapUnit), -limits.length, limits.length)
  const layout = { ...labels, capitalization: labels.font.capitalization }
  const fixed = {
    placement: placementIn(labels.placement, px),
    offset: [px(labels.offset[0]), px(labels.offset[1])],
    showsAll: labels.showsAll,
    isOnAllParts: labels.isOnAllParts ?? false,
    mergesLines: labels.mergesLines ?? false,
    repeatDistance: Math.max(0, px(labels.repeatDistance ?? 0)),
    lineHeight: bounded(labels.lineHeight, 0.1, 10),
    alignment: labels.alignment,
    hasWholePixels: labels.hasWholePixels ?? false,
    hasInkHeight: labels.hasInkHeight ?? false,
  } as const
  const { callout } = labels
  const calloutFor = callout === undefined ? undefined : compileCallout(callout, { px, pixelsPerMapUnit })
  const resolve = (defined: Values) => resolveSpec(labels, defined, px)
  const constant = labels.dataDefined === undefined ? resolve(new Map()) : undefined
  return (context) => {
    if (!isLabelled(context)) return []
    const lines = linesOf(text, context, layout)
    if (lines.length === 0) return []
    const resolved = labels.dataDefined === undefined ? constant : resolve(values(context))
    if (resolved === undefined) return []
    return [{ ...fixed, ...resolved, lines, ...(calloutFor ? { callout: calloutFor(context) } : {}) }]
  }
}

interface CalloutScale {
  readonly px: (length: Length) => number
  readonly pixelsPerMapUnit: number
}

function compileCallout(
  { line, minLength, gapAtLabel, gapAtFeature, ...callout }: LabelCallout,
  { px, pixelsPerMapUnit }: CalloutScale,
): (context: EvaluationContext) => LabelCallout<number> {
  const { isConstant, resolve } = compileSymbol(line)
  const lengths = { minLength: px(minLength), gapAtLabel: px(gapAtLabel), gapAtFeature: px(gapAtFeature) }
  const calloutFor = (context: EvaluationContext) => ({
    ...{ ...callout, ...lengths },
    line: resolve({ context, pixelsPerMapUnit }),
  })
  const constant = isConstant ? calloutFor({ attributes: {} }) : undefined
  return (context) => constant ?? calloutFor(context)
}

type Values = ReturnType<ReturnType<typeof compileValues<LabelProperty>>>

/** Applies the values of expressions; undefined if there is nothing to draw. */
function resolveSpec(labels: Labels, defined: Values, px: (length: Length) => number) {
  const { capitalization: _, ...font } = labels.font
  const number = (name: 'angle' | 'priority', otherwise: number) =>
    findNumber(defined.get(name) ?? null) ?? otherwise
  const length = (name: 'size' | 'bufferSize', otherwise: Length) =>
    px(lengthFrom(defined.get(name), otherwise))
  const exact = length('size', font.size)
  const size = labels.hasWholePixels === true ? Math.round(exact) : exact
  if (!(exact > 0) || !isSelected(defined.get('isDrawn') ?? true)) return undefined
  const color = (name: 'color' | 'bufferColor', otherwise: Color) => colorFrom(defined.get(name), otherwise)
  const { buffer } = labels
  const bufferSize = buffer && bounded(length('bufferSize', buffer.size), 0, limits.buffer)
  const letterSpacing = bounded(font.letterSpacing, -limits.spacing, limits.spacing)
  return {
    face: { ...font, letterSpacing, size: bounded(size, 1, limits.size) },
    color: color('color', labels.color),
    ...(buffer && bufferSize
      ? { buffer: { size: bufferSize, color: color('bufferColor', buffer.color) } }
      : {}),
    angle: number('angle', labels.angle) % 360,
    priority: number('priority', labels.priority),
  }
}

function linesOf(
  text: Evaluate,
  context: EvaluationContext,
  layout: Parameters<typeof layoutLines>[1],
): readonly string[] {
  const value = text(context)
  return value === null ? [] : layoutLines(textOf(value), layout)
}

function placementIn(placement: LabelPlacement, px: (length: Length) => number): LabelPlacement<number> {
  return 'distance' in placement ? { ...placement, distance: px(placement.distance) } : placement
}

function lengthFrom(value: unknown, length: Length): Length {
  const number = typeof value === 'number' || typeof value === 'string' ? findNumber(value) : undefined
  if (number === undefined || !Number.isFinite(number)) return length
  return typeof length === 'number' ? Math.max(0, number) : { ...length, mapUnits: Math.max(0, number) }
}

function colorFrom(value: unknown, color: Color): Color {
  return (typeof value === 'string' ? findQtColor(value) : undefined) ?? color
}

/** Returns a number within bounds; the lower bound for values that are not numbers. */
function bounded(value: number, least: number, most: number): number {
  return value >= least ? Math.min(value, most) : least
}
