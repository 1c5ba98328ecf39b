import { countOf, pluralOf } from '../../../core/count.ts'
import type { Issue } from '../../../core/issue.ts'
import type { WantedResource } from '../../../manifest/manifest.ts'
import type { ActualResource } from '../../model/actual_tree.ts'
import type { Edit } from '../../model/change.ts'
import { hasRecordedEntry, withoutEntries } from '../../model/entries.ts'
import { droppedFieldOf } from '../../model/layer_fields.ts'
import { findRecorded } from '../../model/owned_fields.ts'
import type { PlanOptions } from '../../model/plan_input.ts'
import { isEdited } from '../data/decide_load.ts'
import type { DiffContext } from '../diff.ts'
import { issueAt } from '../issue_at.ts'
import { isAsAnyRecorded } from '../match/former_keys.ts'

/** The layer of a block, and what is allowed. */
export interface ForeignFieldsInput {
  readonly actual: ActualResource
  readonly edits: readonly Edit[]
  readonly context: Pick<DiffContext, 'manifestId' | 'names' | 'former'>
  readonly options: Pick<PlanOptions, 'allowLoss'>
}

/**
 * Reports the fields that a list of fields drops with their values, and that this manifest has neither listed nor loaded: they belong
 * to others.
 */
export function reportForeignFields(wanted: WantedResource, input: ForeignFieldsInput): Issue[] {
  const { key, data, records } = wanted
  // An undo compares with the fields of its apply.
  if (input.options.allowLoss.has(key) || data?.allowLoss === true || records !== undefined) return []
  const lost = input.edits.flatMap((edit) => {
    const keyname = edit.loses === undefined ? undefined : droppedFieldOf(edit)
    return keyname === undefined || isOwn(keyname, input) ? [] : [describe(keyname, edit)]
  })
  if (lost.length === 0) return []
  const fields = `${pluralOf('field', lost.length)} ${lost.join(', ')}`
  const message = `"${key}" would lose data that this manifest did not set: ${fields}`
  const hint = `To keep them, list the fields, or write them into the manifest with landform pull. To delete them, use --allow-loss ${key}.`
  return [{ ...issueAt(wanted, 'data/loss', message, '/feature_layer/fields'), hint }]
}

function describe(keyname: string, { lostValues }: Edit): string {
  return lostValues === undefined ? keyname : `${keyname} (${countOf(lostValues, 'value')})`
}

const list = 'feature_layer.fields'

/** Tells whether the manifest once listed a field, or loaded its values. */
function isOwn(keyname: string, { actual, context }: ForeignFieldsInput): boolean {
  const { manifestId, names, former } = context
  const digest = findRecorded(actual, manifestId, names.principals)?.fields.get(list)
  // Before the first list, the fields are those of the source, unless the data were edited.
  if (digest === undefined) return actual.source !== undefined && !isEdited(actual)
  const isListed = hasRecordedEntry(digest, keyname)
  if (isListed !== undefined) return isListed
  const whole = withoutEntries(digest)
  const owned = new Map()
  return (
    whole !== '' && isAsAnyRecorded({ name: list, digest: whole }, actual, { names, former, owned }) === true
  )
}
