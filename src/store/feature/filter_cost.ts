import { filterLimits } from '../../contract/limits.ts'
import { problem } from '../../contract/problems.ts'
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

/** Returns the cost of an expression for a feature, in comparisons. */
function costOf(expression: FilterExpression): number {
  if (expression.kind === 'not') return costOf(expression.item)
  if (expression.kind !== 'and' && expression.kind !== 'or') return costs[expression.kind]
  return expression.items.reduce((sum, item) => sum + costOf(item), 0)
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
  const cost = expression === undefined ? 0 : costOf(expression)
  if (cost <= filterLimits.comparisons) return
  const { total } = await countFeatures()
  if (cost * total <= filterLimits.allComparisons) return
  const most = Math.max(filterLimits.comparisons, Math.floor(filterLimits.allComparisons / total))
  throw problem(
    'request/invalid',
    `The filter needs ${cost} comparisons for each of the ${total} features of the layer; the maximum is ${most}. A pattern or a geometry counts as ${costs.like}, a distance as ${costs.distance}.`,
    { hint: 'Use fewer conditions, or send several requests.' },
  )
}
