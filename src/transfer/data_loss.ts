import { problem } from '../contract/problems.ts'
import type { AnswerOf } from '../contract/route.ts'
import type { batchRoutes } from '../contract/routes/batch.ts'
import { countOf } from '../core/count.ts'
import type { Problem } from '../core/problem.ts'

/** Data of a layer before and after a load. */
export interface DataChange {
  /** Features that the layer has. */
  readonly before: number
  /** Features that it is going to have. */
  readonly after: number
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
 * Tells whether a load would lose data: more features than the fuse allows, all values of a field, or attachments and
 * descriptions of features. Pure.
 */
export function losesData(change: DataChange, fuse: number): boolean {
  const { before, after, lostFields, lostAttachments, lostDescriptions } = change
  const isPastFuse = before - after > before * fuse
  return before > 0 && (isPastFuse || lostFields.length + lostAttachments + lostDescriptions > 0)
}

/** Says what a load would lose: `100 → 3 features, field lanes (100 values), 2 attachments`. */
export function describeDataLoss(change: DataChange): string {
  const { before, after, lostFields, lostAttachments, lostDescriptions } = change
  const fields = lostFields.map(
    ({ keyname, valueCount }) =>
      keyname + (valueCount === undefined ? '' : ` (${countOf(valueCount, 'value')})`),
  )
  return [
    ...(after < before ? [`${before} → ${after} features`] : []),
    ...(fields.length > 0 ? [`${fields.length === 1 ? 'field' : 'fields'} ${fields.join(', ')}`] : []),
    ...(lostAttachments > 0 ? [countOf(lostAttachments, 'attachment')] : []),
    ...(lostDescriptions > 0 ? [countOf(lostDescriptions, 'feature description')] : []),
  ].join(', ')
}

/** Makes the refusal of a load. */
export function dataLossProblem(layer: string, change: DataChange, hint: string): Problem {
  const { before, after } = change
  const message = `"${layer}" would lose data: ${describeDataLoss(change)}. Nothing was loaded.`
  return problem('data/loss', message, { hint, data: { layer, before, after, ...lossFacts(change) } })
}

/**
 * Makes the refusal of a load into a server that tells nothing of a source before it has replaced the data.
 *
 * @param before features that the layer has; null where they cannot be counted
 */
export function blindLoadProblem(layer: string, before: number | null, hint: string): Problem {
  const message = `${describeBlindLoad(layer, before)}. Nothing was loaded.`
  return problem('data/loss', message, { hint, data: { layer, before } })
}

/** Says why it is not known what a load would lose. */
export function describeBlindLoad(layer: string, before: number | null): string {
  const features = before === null ? 'an unknown number of features' : `${countOf(before, 'feature')}`
  return `"${layer}" may lose data: it has ${features}, and this server does not count a source before it loads it`
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
