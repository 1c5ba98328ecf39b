import type { FeaturePart } from '../../model/change.ts'

/** What features have besides their values, with the name of one of each. */
export const featurePartNames: Readonly<Record<FeaturePart, string>> = {
  descriptions: 'feature description',
  attachments: 'attachment',
}

/** All parts, in the order of faults. */
export const featureParts = Object.keys(featurePartNames) as FeaturePart[]
