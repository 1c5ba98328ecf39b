import type { SkippedFeatures } from '../contract/bodies/import_report.ts'
import type { GeometryType } from '../contract/geometry.ts'
import { problem } from '../contract/problems.ts'
import type { AnswerOf } from '../contract/route.ts'
import type { batchRoutes } from '../contract/routes/batch.ts'
import { countOf, pluralOf, showNumber } from '../core/count.ts'
import type { Problem } from '../core/problem.ts'
import type { KeyFaults } from './count_keys.ts'
import type { SourceContentField } from './read_source.ts'
import type { FeatureDifference } from './sync/feature_difference.ts'
import type { UnconvertibleField } from './unconvertible_values.ts'

/** Data of a layer before and after a load. */
export interface DataChange {
  /** Current number of features. */
  readonly before: number
  /** Number of features after the load. */
  readonly after: number
  /** Fields with values for which the source has no values. */
  readonly lostFields: readonly LostField[]
  /** Number of attachments that would be deleted. */
  readonly lostAttachments: number
  /** Number of feature descriptions that would be deleted. */
  readonly lostDescriptions: number
  /** Fields of the source that have values, if it was read on this machine. */
  readonly filledFields?: readonly string[]
  /** Fields of the source, if it was read on this machine and is loaded as a whole. */
  readonly sourceFields?: readonly SourceContentField[]
  /** How the fields that the block lists differ from those of the source, if it was read on this machine. */
  readonly listedFields?: ListedFields
  /** Geometry type of the source, if it was read on this machine and is loaded as a whole. */
  readonly sourceGeometry?: GeometryType | undefined
  /** Fields of the source with values that cannot be converted to the datatypes of the layer, if it was read on this machine. */
  readonly unconvertible?: readonly UnconvertibleField[]
  /** Faults of the keys of descriptions and attachments, if the source was read on this machine, and has values of their datatype. */
  readonly keyFaults?: KeyFaults
  /** Invalid features that the load skips, if the source was read on this machine. */
  readonly skipped?: SkippedFeatures
  /** Differences by key, if the load changes only the features that differ. */
  readonly difference?: FeatureDifference
}

/** How a list of fields differs from the fields of a source. Keynames. */
export interface ListedFields {
  /** Fields of the source that are not listed, and not loaded. */
  readonly leftOut: readonly string[]
  /** Listed fields that the source does not have. */
  readonly lacking: readonly string[]
}

/** A field that would lose its values. */
export interface LostField {
  readonly keyname: string
  /** Number of features with a value; undefined if unknown. */
  readonly valueCount: number | undefined
}

/** Limit of the loss of features by a load. */
export interface LossLimits {
  /** Maximum fraction of the features, from 0 to 1. */
  readonly fuse: number
  /** How to allow a larger loss. */
  readonly hint: string
}

/** Fraction of the features that a load may remove by default. */
export const defaultLossFuse = 0.1

/**
 * Returns whether a load would lose data: more features than the fuse allows, all values of a field, or attachments or
 * descriptions of features.
 */
export function losesData(change: DataChange, fuse: number): boolean {
  const { before, after, lostFields, lostAttachments, lostDescriptions, difference } = change
  const isPastFuse = (difference?.removed ?? before - after) > before * fuse
  return before > 0 && (isPastFuse || lostFields.length + lostAttachments + lostDescriptions > 0)
}

/** Describes what a load would lose: `100 → 3 features, field lanes (100 values), 2 attachments`. */
export function describeDataLoss(change: DataChange): string {
  const { before, after, lostFields, lostAttachments, lostDescriptions, difference } = change
  const fields = lostFields.map(
    ({ keyname, valueCount }) =>
      keyname + (valueCount === undefined ? '' : ` (${countOf(valueCount, 'value')})`),
  )
  return [
    ...(difference === undefined && after < before
      ? [`${showNumber(before)} → ${showNumber(after)} features`]
      : []),
    ...(difference?.removed ? [`${showNumber(difference.removed)} of ${countOf(before, 'feature')}`] : []),
    ...(fields.length > 0 ? [`${pluralOf('field', fields.length)} ${fields.join(', ')}`] : []),
    ...(lostAttachments > 0 ? [countOf(lostAttachments, 'attachment')] : []),
    ...(lostDescriptions > 0 ? [countOf(lostDescriptions, 'feature description')] : []),
  ].join(', ')
}

/** Creates the problem of a load that would lose data. */
export function dataLossProblem(layer: string, change: DataChange, hint: string): Problem {
  const { before, after } = change
  const message = `"${layer}" would lose data: ${describeDataLoss(change)}. Nothing was loaded.`
  return problem('data/loss', message, { hint, data: { layer, before, after, ...lossFacts(change) } })
}

/**
 * Creates the problem of a load into a server that cannot report the contents of a source before replacing the data.
 *
 * @param before number of features of the layer; null if they cannot be counted
 */
export function blindLoadProblem(layer: string, before: number | null, hint: string): Problem {
  const message = `${describeBlindLoad(layer, before)}. Nothing was loaded.`
  return problem('data/loss', message, { hint, data: { layer, before } })
}

/** Explains why the loss of a load is unknown. */
export function describeBlindLoad(layer: string, before: number | null): string {
  const features = before === null ? 'an unknown number of features' : countOf(before, 'feature')
  return `"${layer}" may lose data: it has ${features}, and this server cannot count the features of a source before loading it`
}

/** Returns the losses of a load other than features, as in events. */
export function lossFacts({ lostFields, lostAttachments, lostDescriptions }: DataChange) {
  return {
    lost_fields: lostFields.map(({ keyname, valueCount }) => ({ keyname, value_count: valueCount })),
    lost_attachments: lostAttachments,
    lost_descriptions: lostDescriptions,
  }
}

/**
 * Makes sure that a load does not lose more than is allowed.
 *
 * @throws {Problem} data/loss
 */
export function refuseDataLoss(layer: string, change: DataChange, { fuse, hint }: LossLimits): void {
  if (losesData(change, fuse)) throw dataLossProblem(layer, change, hint)
}

/** Returns the data change of a prepared source; undefined for a new layer. */
export function dataChangeOf({ feature_count: after = 0, replaces }: PreparedAnswer): DataChange | undefined {
  if (replaces === undefined) return undefined
  const { feature_count, lost_fields, lost_attachments, lost_descriptions } = replaces
  return {
    before: feature_count,
    after,
    lostFields: lost_fields.map(({ keyname, value_count: valueCount }) => ({ keyname, valueCount })),
    lostAttachments: lost_attachments,
    lostDescriptions: lost_descriptions,
  }
}

type PreparedAnswer = AnswerOf<(typeof batchRoutes)['source.prepare']>
