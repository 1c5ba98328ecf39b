import { problem } from '../contract/problems.ts'
import type { AnswerOf } from '../contract/route.ts'
import type { batchRoutes } from '../contract/routes/batch.ts'
import type { Problem } from '../core/problem.ts'

/** Data of a layer before and after a load. */
export interface DataChange {
  /** Features that the layer has. */
  readonly before: number
  /** Features that it is going to have; undefined where the server does not count them before it replaces the data. */
  readonly after: number | undefined
  /** Fields of the layer with values, for which the source has none. */
  readonly lostFields: readonly LostField[]
  /** Attachments and descriptions of features that would be deleted. */
  readonly lostAttachments: number
  readonly lostDescriptions: number
}

/** A field that would lose its values. */
export interface LostField {
  readonly keyname: string
  /** Features that have a value in it; undefined where it is not known. */
  readonly valueCount: number | undefined
}

/** What a load may lose. */
export interface LossLimits {
  /** Largest part of the features, from 0 to 1. */
  readonly fuse: number
  /** How to allow more. */
  readonly hint: string
}

/** Part of the features that a load may take away unless more is allowed. */
export const defaultLossFuse = 0.1

/**
 * Tells whether a load would lose data: more features than the fuse allows, all values of a field, or what features have
 * beside. Where it is not known how many features come, all of them count as lost. Pure.
 */
export function losesData(change: DataChange, fuse: number): boolean {
  const { before, after = 0, lostFields, lostAttachments, lostDescriptions } = change
  const isPastFuse = before - after > before * fuse
  return before > 0 && (isPastFuse || lostFields.length + lostAttachments + lostDescriptions > 0)
}

/** Says what a load would lose: `100 → 3 features, all values of lanes (100), 2 attachments`. */
export function describeDataLoss(change: DataChange): string {
  const { before, after, lostFields, lostAttachments, lostDescriptions } = change
  const fields = lostFields.map(
    ({ keyname, valueCount }) => keyname + (valueCount === undefined ? '' : ` (${valueCount})`),
  )
  return [
    ...(after === before ? [] : [`${before} → ${after ?? 'unknown'} features`]),
    ...(fields.length > 0 ? [`all values of ${fields.join(', ')}`] : []),
    ...(lostAttachments > 0 ? [`${lostAttachments} attachments`] : []),
    ...(lostDescriptions > 0 ? [`${lostDescriptions} descriptions of features`] : []),
  ].join(', ')
}

/** Makes the refusal of a load. */
export function dataLossProblem(layer: string, change: DataChange, hint: string): Problem {
  const { before, after } = change
  const message =
    after === undefined
      ? `"${layer}" may lose data: it has ${before} features, and this server does not count a source before it loads it.`
      : `"${layer}" would lose data: ${describeDataLoss(change)}.`
  return problem('data/loss', `${message} Nothing was loaded.`, {
    hint,
    data: { layer, before, after, ...lossFacts(change) },
  })
}

/** Gives what a load would lose besides features, as events have it. */
export function lossFacts({ lostFields, lostAttachments, lostDescriptions }: DataChange) {
  return {
    lost_fields: lostFields.map(({ keyname, valueCount }) => ({ keyname, value_count: valueCount })),
    lost_attachments: lostAttachments,
    lost_descriptions: lostDescriptions,
  }
}

/**
 * Refuses a load that would lose more than is allowed.
 *
 * @throws {Problem} data/loss
 */
export function refuseDataLoss(layer: string, change: DataChange, { fuse, hint }: LossLimits): void {
  if (losesData(change, fuse)) throw dataLossProblem(layer, change, hint)
}

/** Reads what a prepared source would replace; undefined where it is for a new layer. */
export function dataChangeOf({ feature_count: after, replaces }: PreparedAnswer): DataChange | undefined {
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
