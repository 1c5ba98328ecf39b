import { filterLimits } from '../../contract/limits.ts'
import { problem } from '../../contract/problems.ts'
import { countPositions } from '../../geo/geometry.ts'
import type { FilterExpression } from './filter_expression.ts'

/** Cost of a condition for a feature, in comparisons. */
const costs: Readonly<Record<Exclude<FilterExpression['kind'], 'and' | 'or' | 'not'>, number>> = {
  compare: 1,
  between: 2,
  like: 10,
  null: 1,
  'no-geometry': 1,
  ids: 1,
  spatial: 10,
  distance: 20,
}

/** Cost of a comparison without regard to case, which converts the value of every feature. */
const foldedCost = 10

/** Cost of a position of a geometry, for all features together: each geometry is read and indexed once. */
const positionCost = 40

/** Returns the cost of an expression for a feature, in comparisons. */
function costOf(expression: FilterExpression): number {
  if (expression.kind === 'compare' && !expression.matchCase) return foldedCost
  if (expression.kind === 'not') return costOf(expression.item)
  if (expression.kind !== 'and' && expression.kind !== 'or') return costs[expression.kind]
  return expression.items.reduce((sum, item) => sum + costOf(item), 0)
}

/** Counts the positions of the geometries of an expression. */
function positionsOf(expression: FilterExpression): number {
  if (expression.kind === 'not') return positionsOf(expression.item)
  if ('geometry' in expression) return countPositions(expression.geometry)
  return 'items' in expression ? expression.items.reduce((sum, item) => sum + positionsOf(item), 0) : 0
}

/**
 * Checks that a filter with many conditions does not have to be compared with too many features.
 *
 * @param countFeatures counts the features of the layer; only called for filters with many conditions
 * @throws {Problem} request/invalid
 */
export async function checkFilterCost(
  expression: FilterExpression | undefined,
  countFeatures: () => Promise<{ readonly total: number }>,
): Promise<void> {
  if (expression === undefined || costOf(expression) <= filterLimits.comparisons) return
  const { total } = await countFeatures()
  const cost = costOf(expression) + Math.ceil((positionCost * positionsOf(expression)) / Math.max(1, total))
  if (cost * total <= filterLimits.allComparisons) return
  const most = Math.max(filterLimits.comparisons, Math.floor(filterLimits.allComparisons / total))
  throw problem(
    'request/invalid',
    `The filter needs ${cost} comparisons for each of the ${total} features of the layer; the maximum is ${most}. A pattern, a geometry or a comparison without regard to case counts as ${costs.like}, a distance as ${costs.distance}, and each position of a geometry as ${positionCost} for all features together.`,
    { hint: 'Use fewer conditions, or send several requests.' },
  )
}
