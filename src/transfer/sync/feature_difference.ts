import type { FeatureState } from '../../api/read_extensions.ts'
import type { GeometryType } from '../../contract/geometry.ts'
import { countOf, joinWords, showNumber } from '../../core/count.ts'
import { type ExtensionCounts, listExtensionCounts } from '../../core/extension_counts.ts'
import type { SourceField } from '../../gdal/runner/vector_job.ts'
import type { FeaturePatch } from './feature_patch.ts'

/** Difference between the features of a source and those of a layer, by key. */
export interface FeatureDifference {
  /** Number of features that only the source has. */
  readonly added: number
  /** Number of features with other values or another geometry. */
  readonly changed: number
  /** Number of features that only the layer has. */
  readonly removed: number
  /** Descriptions and attachments of the features that only the layer has, which are deleted with them. */
  readonly removedExtensions: ExtensionCounts
  /** Features of the layer with a description or attachments; absent if no feature is removed. */
  readonly states?: readonly FeatureState[]
  readonly unchanged: number
  /** Features without a row that are not removed, because rows are bad; absent if there are none. */
  readonly kept?: KeptFeatures
  /** Fields of the source that the layer does not have, by keyname. */
  readonly newFields: readonly SourceField[]
  /** Keynames of the fields of the layer that the source does not have. */
  readonly missingFields: readonly string[]
  /** Geometry type of the source, if it is more general than that of the layer. */
  readonly geometryType?: GeometryType
  /** The first features of each kind. */
  readonly examples: readonly FeatureExample[]
  /** Changes that make the layer equal to the source. */
  readonly patch: FeaturePatch
}

/** Features that a synchronization keeps because of bad rows. */
export interface KeptFeatures {
  readonly count: number
  /** Number of bad rows whose keys are unknown: any feature without a row may be that of one of them. */
  readonly unreadKeys: number
}

/** A feature that a synchronization changes. */
export interface FeatureExample {
  readonly kind: 'added' | 'changed' | 'removed'
  /** Values of the key fields. */
  readonly key: readonly unknown[]
  /** Changed fields; empty unless the kind is `changed`. */
  readonly edits: readonly ValueEdit[]
  /** Whether the geometry changes. */
  readonly movesGeometry: boolean
}

/** A field of a feature with another value. */
export interface ValueEdit {
  readonly keyname: string
  readonly from: unknown
  readonly to: unknown
}

/** Maximum number of examples of each kind. */
export const maxExamples = 3

/** Counts the versions that a synchronization adds to the data: the server counts changes of the table and of its features as one each. */
export function countVersions(
  { patch, geometryType }: Pick<FeatureDifference, 'patch' | 'geometryType'>,
  dropsFields: boolean,
): number {
  const changesTable = geometryType !== undefined || dropsFields
  return (changesTable ? 1 : 0) + (patch.count > 0 ? 1 : 0)
}

/** Returns the counts of a difference, as in events. */
export function differenceFacts(difference: FeatureDifference) {
  const { added, changed, removed, removedExtensions, kept, unchanged, examples } = difference
  return {
    added,
    changed,
    removed,
    removed_attachments: removedExtensions.attachments,
    removed_descriptions: removedExtensions.descriptions,
    kept: kept?.count ?? 0,
    unchanged,
    examples: examples.map(({ kind, key, edits, movesGeometry }) => ({
      kind,
      key,
      ...(kind === 'changed' ? { edits, geometry: movesGeometry } : {}),
    })),
  }
}

/** Describes the counts of a difference: `2 features added, 1 feature removed with 3 attachments, 197 unchanged`. */
export function describeDifference(difference: FeatureDifference): string {
  const { added, changed, removed, removedExtensions, kept, unchanged } = difference
  const parts = Object.entries({ added, changed }).flatMap(([word, count]) =>
    count === 0 ? [] : [`${countOf(count, 'feature')} ${word}`],
  )
  if (removed > 0) parts.push(describeRemoved(removed, removedExtensions))
  if (kept !== undefined) parts.push(describeKept(kept))
  if (unchanged > 0 || parts.length === 0) parts.push(`${showNumber(unchanged)} unchanged`)
  return parts.join(', ')
}

/** Describes kept features: `1 feature kept whose row is bad`. */
export function describeKept({ count, unreadKeys }: KeptFeatures): string {
  const kept = `${countOf(count, 'feature')} kept`
  if (unreadKeys === 0) return `${kept} whose ${count === 1 ? 'row is' : 'rows are'} bad`
  return `${kept}, since ${unreadKeys === 1 ? 'the key of 1 bad row is' : `the keys of ${showNumber(unreadKeys)} bad rows are`} unknown`
}

/** Describes removed features: `3 features removed with 2 attachments and 1 description`. */
export function describeRemoved(count: number, extensions: ExtensionCounts): string {
  const parts = listExtensionCounts(extensions)
  return `${countOf(count, 'feature')} removed${parts.length === 0 ? '' : ` with ${joinWords(parts)}`}`
}
