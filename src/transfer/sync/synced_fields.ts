import type { Field } from '../../contract/classes/feature_layer.ts'
import type { FeatureDifference } from './feature_difference.ts'

/** Fields that a synchronization adds to a layer and drops from it. */
export interface SyncedFields {
  readonly added: readonly Pick<Field, 'keyname' | 'datatype'>[]
  readonly dropped: readonly Field[]
  /** Field list of the request. */
  readonly fields: readonly Readonly<Record<string, unknown>>[]
}

/**
 * Returns the fields that make a layer equal to its source, as a load of all features does: new fields are added, and
 * fields that the source does not have are dropped. Undefined if the fields stay as they are.
 */
export function listSyncedFields(
  { newFields, missingFields }: FeatureDifference,
  standing: readonly Field[],
): SyncedFields | undefined {
  if (newFields.length + missingFields.length === 0) return undefined
  const missing = new Set(missingFields)
  const added = newFields.map(({ name, datatype }) => ({ keyname: name, datatype }))
  const kept = standing.map(({ id, keyname, datatype }) =>
    missing.has(keyname) ? { id, keyname, datatype, delete: true } : { id, keyname, datatype },
  )
  return {
    added,
    dropped: standing.filter(({ keyname }) => missing.has(keyname)),
    fields: [...kept, ...added],
  }
}
