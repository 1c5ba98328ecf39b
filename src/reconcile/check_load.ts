import { joinPointer } from '../core/pointer.ts'
import type { Problem } from '../core/problem.ts'
import { type DataChange, dataLossProblem, losesData } from '../transfer/data_loss.ts'
import type { PreparedSource } from '../transfer/prepare.ts'
import type { Change } from './change.ts'
import { lossHint } from './source.ts'
import { stale } from './stale.ts'

/**
 * Checks a source that the server has read against what the plan allows. Pure.
 *
 * @returns why it must not be loaded: data/loss, or apply/stale where the data were edited since the plan was made
 */
export function checkLoad(change: Change, source: PreparedSource): Problem | undefined {
  const { data, key } = change
  if (data === undefined || source.change === undefined) return undefined
  if (source.dataVersion !== undefined && source.dataVersion !== data.version - 1)
    return stale(change, 'changed')
  if (data.lossFuse === undefined) return undefined
  const load = withoutDropped(change, source.change)
  return losesData(load, data.lossFuse) ? dataLossProblem(key, load, lossHint(key)) : undefined
}

/** Fields that the plan drops are lost on purpose. */
function withoutDropped({ edits }: Change, load: DataChange): DataChange {
  const dropped = new Set(edits.filter(({ to }) => to === undefined).map(({ pointer }) => pointer))
  const lostFields = load.lostFields.filter(
    ({ keyname }) => !dropped.has(joinPointer('/feature_layer/fields', keyname)),
  )
  return { ...load, lostFields }
}
