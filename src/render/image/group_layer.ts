import type { AddWork } from '../draw/draw_work.ts'
import { type GroupBlock, groupFeatures } from '../draw/group_features.ts'
import type { DrawnFeature } from '../draw/layer.ts'
import { type PreparedStyle, prepareStyle } from '../draw/prepare_style.ts'
import type { DrawJob, FeatureJobLayer, PlacedBlock } from './draw_job.ts'

/** Features of a layer with the style that draws them. */
export interface PreparedLayer {
  readonly features: readonly DrawnFeature[]
  readonly style: PreparedStyle
}

/**
 * Groups the points of a layer; undefined if its style does not.
 *
 * @throws what `check` throws
 */
export function prepareGroups(
  { style, groups: blocks }: FeatureJobLayer,
  job: DrawJob,
  check: AddWork,
): PreparedLayer | undefined {
  const { groups } = style
  if (groups === undefined || blocks === undefined) return undefined
  const { scaleDenom, pixelsPerMapUnit, pixelRatio = 1 } = job
  const scale = { scaleDenom, pixelsPerMapUnit, pixelRatio, isExact: style.isExact === true }
  const points = blocks.map((block) => pointsOf(block, job))
  return groupFeatures(points, { groups, scale, style: prepareStyle(style, job) }, check)
}

function pointsOf(
  { block, left, top }: PlacedBlock,
  { scaleDenom, pixelRatio = 1 }: Pick<DrawJob, 'scaleDenom' | 'pixelRatio'>,
): GroupBlock {
  const { ids, positions, counts, fields, columns } = block
  return Array.from(ids, (id, at) => ({
    x: (left + (positions[2 * at] ?? 0)) * pixelRatio,
    y: (top + (positions[2 * at + 1] ?? 0)) * pixelRatio,
    count: counts[at] ?? 1,
    context: {
      id,
      scaleDenom,
      attributes: Object.fromEntries(fields.map((name, field) => [name, columns[field]?.[at]])),
    },
  }))
}
