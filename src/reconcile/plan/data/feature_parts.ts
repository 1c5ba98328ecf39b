import type { ReadExtensions } from '../../../api/read_extensions.ts'
import type { FeaturePart } from '../../model/change.ts'

/** What features have besides their values, with the name of one of each. */
export const featurePartNames: Readonly<Record<FeaturePart, string>> = {
  descriptions: 'feature description',
  attachments: 'attachment',
}

/** All parts, in the order of faults. */
export const featureParts = Object.keys(featurePartNames) as FeaturePart[]

/** Counts the descriptions, and the attachments, of features. */
export function countParts(there: readonly ReadExtensions[]): Record<FeaturePart, number> {
  return {
    descriptions: there.filter(({ description }) => description !== null).length,
    attachments: there.reduce((sum, { attachments }) => sum + attachments.length, 0),
  }
}
