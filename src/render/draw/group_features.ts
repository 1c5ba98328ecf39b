import type { EvaluationContext } from '../../style/expression/expression_evaluate.ts'
import type { Displacement, PointGroups } from '../../style/point_groups.ts'
import { pixelsOf } from '../../style/scale_layer.ts'
import { colorText, findSymbolColor } from '../../style/symbol_color.ts'
import { displacePoints, maxDisplacement, type Shift } from './displacement.ts'
import type { AddWork } from './draw_work.ts'
import type { DrawnFeature } from './layer.ts'
import type { PixelGeometry } from './pixel_geometry.ts'
import type { PixelSymbol } from './pixel_symbol.ts'
import { type GroupPoint, groupPoints, type PointGroup } from './point_groups.ts'
import { type DrawScale, type PreparedStyle, prepareSymbol, type RuleSymbol } from './prepare_style.ts'

/** Points that are grouped among themselves: those of a block. */
export type GroupBlock = readonly GroupedPoint[]

/** A point, in device pixels, with the feature that it belongs to. */
export interface GroupedPoint extends GroupPoint {
  readonly context: EvaluationContext
}

/** Work of each point, in pixels. */
const pointWork = 32

/** Groups as a layer to draw. */
export interface GroupLayer {
  readonly features: readonly DrawnFeature[]
  readonly style: PreparedStyle
}

/** What is drawn in place of points. */
interface GroupPen {
  readonly groups: PointGroups
  readonly scale: DrawScale
  readonly style: PreparedStyle
  readonly symbol: RuleSymbol
  /** Symbols that are not those of the rules, by the context of their feature. */
  readonly own: Map<EvaluationContext, readonly RuleSymbol[]>
}

/**
 * Returns the groups of points of some blocks as features, with the symbols that are drawn in place of their own. Points
 * without a symbol belong to no group.
 *
 * @throws what `check` throws
 */
export function groupFeatures(
  blocks: readonly GroupBlock[],
  { groups, scale, style }: Pick<GroupPen, 'groups' | 'scale' | 'style'>,
  check: AddWork,
): GroupLayer {
  const own: GroupPen['own'] = new Map()
  const pen: GroupPen = { groups, scale, style, own, symbol: prepareSymbol(groups.symbol, 0, scale) }
  const { pixelsPerMapUnit, pixelRatio = 1 } = scale
  const distance = pixelsOf(groups.distance, pixelsPerMapUnit) * pixelRatio
  const features = blocks.flatMap((block) => {
    const drawn = style.sort(block).filter(({ context }) => style.symbolsOf(context).length > 0)
    return groupPoints(drawn, distance, () => check(pointWork)).flatMap((group) => featuresOf(group, pen))
  })
  const symbolsOf: PreparedStyle['symbolsOf'] = (context) =>
    own.get(context) ?? style.symbolsOf(context).slice(0, 1)
  return { features, style: { ...style, sort: (sorted) => sorted, symbolsOf } }
}

function featuresOf(group: PointGroup<GroupedPoint>, pen: GroupPen): DrawnFeature[] {
  const [first] = group.points
  if (first === undefined) return []
  if (group.size < 2) return [featureAt(group, first.context)]
  const cluster = { size: group.size, color: colorOf(group, pen) }
  const middle = featureAt(group, { ...first.context, cluster })
  pen.own.set(middle.context, [pen.symbol])
  const { displacement } = pen.groups
  return displacement === undefined ? [middle] : displacedFeatures(group, { ...pen, displacement, middle })
}

/** Returns the colour of the symbols of a group; empty if they differ. */
function colorOf({ points }: PointGroup<GroupedPoint>, { style }: GroupPen): string {
  const colors = new Set(
    points.map(({ context }) => {
      const [rule] = style.symbolsOf(context)
      return rule === undefined ? '' : colorText(findSymbolColor(rule.symbolFor(context)))
    }),
  )
  return colors.size === 1 ? ([...colors][0] ?? '') : ''
}

interface DisplacementPen extends GroupPen {
  readonly displacement: Displacement
  readonly middle: DrawnFeature
}

/** Returns lines, the middle and the points of a group, bottom first. */
function displacedFeatures(group: PointGroup<GroupedPoint>, pen: DisplacementPen): DrawnFeature[] {
  const { displacement, middle, scale, style, own } = pen
  const { pixelsPerMapUnit, pixelRatio = 1 } = scale
  const contexts = group.points.flatMap(({ context, count }) =>
    Array.from({ length: Math.min(count, maxRepeated) }, (): EvaluationContext => {
      const { cluster } = middle.context
      return cluster === undefined ? context : { ...context, cluster }
    }),
  )
  const sizes = contexts.map((context) => sizeOf(style.symbolsOf(context)[0]?.symbolFor(context)))
  const places = displacePoints(
    displacement.placement,
    {
      count: group.size,
      diagonal: Math.SQRT2 * Math.max(0, ...sizes),
      centreDiagonal: Math.SQRT2 * sizeOf(pen.symbol.symbolFor(middle.context)),
      spacing: pixelsOf(displacement.spacing, pixelsPerMapUnit) * pixelRatio,
    },
    maxDisplacement * pixelRatio,
  )
  const lines = linesOf(group, displacement, places)
  if (lines.length > 0 && displacement.line !== undefined) {
    const symbol = lineSymbol(
      pixelsOf(displacement.line.width, pixelsPerMapUnit) * pixelRatio,
      displacement.line.color,
    )
    for (const { context } of lines) own.set(context, [{ order: 0, symbolFor: () => symbol }])
  }
  const points = places.positions.flatMap(([dx, dy], at) => {
    const context = contexts[at]
    return context === undefined ? [] : [featureAt({ x: group.x + dx, y: group.y + dy }, context)]
  })
  return [...lines, middle, ...points]
}

/** Maximum number of features of one place that are drawn one by one. */
const maxRepeated = 1000

/** Returns the size of the largest marker of a symbol, in pixels. */
function sizeOf(symbol: PixelSymbol | undefined): number {
  const sizes = symbol?.layers.map((layer) => ('size' in layer ? layer.size : 0)) ?? []
  return Math.max(0, ...sizes)
}

function linesOf(
  group: GroupPoint | PointGroup<GroupedPoint>,
  { line }: Displacement,
  { radius, lines }: ReturnType<typeof displacePoints>,
): DrawnFeature[] {
  if (line === undefined) return []
  if (radius !== undefined) return [lineFeature(group, circle(radius))]
  return lines.map((ends) => lineFeature(group, ends))
}

/** Corners of a circle, in which the difference to it is not seen. */
const circleCorners = 128

function circle(radius: number): Shift[] {
  return Array.from({ length: circleCorners + 1 }, (_, at): Shift => {
    const angle = ((at % circleCorners) * 2 * Math.PI) / circleCorners
    return [radius * Math.cos(angle), radius * Math.sin(angle)]
  })
}

function lineFeature(
  { x, y }: { readonly x: number; readonly y: number },
  shifts: readonly Shift[],
): DrawnFeature {
  const line = Float64Array.from(shifts.flatMap(([dx, dy]) => [x + dx, y + dy]))
  return { geometry: { family: 'LINESTRING', parts: [[line]] }, context: { attributes: {} } }
}

function lineSymbol(width: number, color: NonNullable<Displacement['line']>['color']): PixelSymbol {
  const dashes = { dash: [], isDashRelative: false, dashOffset: 0 } as const
  const stroke = { color, width, ...dashes, join: 'bevel', cap: 'square' } as const
  return {
    type: 'line',
    opacity: 1,
    layers: [{ kind: 'line', pass: 0, stroke, offset: 0, rings: 'all' }],
  }
}

function featureAt(
  { x, y }: { readonly x: number; readonly y: number },
  context: EvaluationContext,
): DrawnFeature {
  const geometry: PixelGeometry = { family: 'POINT', parts: [[Float64Array.of(x, y)]] }
  return { geometry, context }
}
