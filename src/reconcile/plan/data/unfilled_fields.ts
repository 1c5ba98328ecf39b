import { countOf, joinWords, pluralOf } from '../../../core/count.ts'
import type { Issue } from '../../../core/issue.ts'
import { joinPointer } from '../../../core/pointer.ts'
import type { WantedResource } from '../../../manifest/manifest.ts'
import type { UnfilledFields } from '../../model/change.ts'
import { issueAt } from '../issue_at.ts'

/** A layer that keeps its data, and the fields that the plan adds to it. */
export interface KeptLayer {
  readonly wanted: WantedResource
  /** Keynames. */
  readonly added: ReadonlySet<string>
  /** Number of features; undefined if not yet requested, null if the server cannot count them. */
  readonly count: number | null | undefined
}

/** What keeping the data means for the fields that the plan adds. */
export interface KeptData {
  readonly issues: readonly Issue[]
  readonly unfilled?: UnfilledFields
  /** The features must be counted before the plan is final. */
  readonly uncounted?: true
}

/** Tells which added fields stay without values, because only a load of the source would set them. */
export function keepData({ wanted, added, count }: KeptLayer): KeptData {
  if (added.size === 0 || count === 0) return { issues: [] }
  if (count === undefined) return { issues: [], uncounted: true }
  const unfilled = { keynames: [...added], features: count }
  return { issues: [reportUnfilled(wanted, unfilled)], unfilled }
}

function reportUnfilled(wanted: WantedResource, unfilled: UnfilledFields): Issue {
  const { key, data, members } = wanted
  const fields = (members.feature_layer?.fields ?? []) as readonly { readonly keyname: string }[]
  const index = fields.findIndex(({ keyname }) => keyname === unfilled.keynames[0])
  const pointer = index < 0 ? '/data' : joinPointer('/feature_layer/fields', index)
  const why = data?.mode === 'seed' ? 'mode: seed does not load the source again' : 'the source is not loaded'
  const message = `${describeUnfilled(unfilled)} in "${key}": ${why}`
  const hint = `To load the source again, which replaces the data with their edits, use --overwrite-data ${key}. Else set the values on the server.`
  return { ...issueAt(wanted, 'plan/no-values', message, pointer), severity: 'warning', hint }
}

/** Describes fields without values: `the field lanes is added without values for 3 features`. */
export function describeUnfilled({ keynames, features }: UnfilledFields): string {
  const verb = keynames.length === 1 ? 'is' : 'are'
  const count = features === null ? 'all features' : countOf(features, 'feature')
  return `the ${pluralOf('field', keynames.length)} ${joinWords(keynames)} ${verb} added without values for ${count}`
}
