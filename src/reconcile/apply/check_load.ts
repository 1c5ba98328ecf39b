import type { Problem } from '../../core/problem.ts'
import { dataLossProblem, losesData } from '../../transfer/data_loss.ts'
import type { PreparedSource } from '../../transfer/prepare.ts'
import type { Change } from '../model/change.ts'
import { droppedFields } from '../model/layer_fields.ts'
import { lossHint, withoutDropped } from '../plan/decide_load.ts'
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
  const load = withoutDropped(source.change, droppedFields(change.edits))
  return losesData(load, data.lossFuse) ? dataLossProblem(key, load, lossHint(key)) : undefined
}
