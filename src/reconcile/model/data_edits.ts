import type { ResourceContents } from '../../api/read_contents.ts'
import { joinWords, pluralOf } from '../../core/count.ts'
import type { EditedData } from './change.ts'

/** Maximum number of features that a description names. */
const maxNamed = 10

/** Finds the features that were edited after a version of the data; undefined if none is known. */
export function findEditedFeatures(
  changes: ResourceContents['changed_features'] = [],
  version: number,
): EditedData['features'] {
  const later = changes.filter(({ since }) => since >= version)
  const ids = [...new Set(later.flatMap(({ features }) => features))].sort((a, b) => a - b)
  return ids.length === 0 ? undefined : { ids, complete: later.at(-1)?.since === version }
}

/** Describes edits of data: ` once since the last load (features 3 and 5), last by ann at 2026-01-02 03:04:05 UTC`. */
export function describeEdits({ changes, ...edited }: EditedData): string {
  const times = changes === undefined ? '' : ` ${changes === 1 ? 'once' : `${changes} times`}`
  return `${times} since the last load${describeEdited(edited)}`
}

/** Describes what was edited last: ` (features 3 and 5), last by ann at 2026-01-02 03:04:05 UTC`. */
export function describeEdited({ last, features }: Omit<EditedData, 'changes'>): string {
  const who = last?.by == null ? '' : ` by ${last.by}`
  const write = last === undefined ? '' : `, last${who} at ${last.at.replace('T', ' ')} UTC`
  return `${describeFeatures(features)}${write}`
}

function describeFeatures(features: EditedData['features']): string {
  if (features === undefined) return ''
  const { ids, complete } = features
  const named = ids.slice(0, maxNamed).map(String)
  const all = complete && ids.length <= maxNamed ? named : [...named, 'others']
  return ` (${pluralOf('feature', all.length)} ${joinWords(all)})`
}
