import { cleanName, distinctNames, keynamesOf } from '../contract/keyname.ts'
import type { SourceField } from '../gdal/runner/vector_job.ts'
import type { PlannedField } from '../store/layer/plan_fields.ts'
import { planFields } from '../store/layer/plan_fields.ts'

/** A field whose name had to be changed. */
export interface RenamedField {
  readonly from: string
  readonly to: string
}

/**
 * Plans the fields of a layer from the fields of a source. Source names become display names.
 *
 * @param keynames keynames of the fields, if known
 */
export function nameFields(
  fields: readonly SourceField[],
  keynames: readonly string[] = keynamesOf(fields.map(({ name }) => name)),
): {
  readonly fields: PlannedField[]
  readonly renamed: RenamedField[]
} {
  const cleaned = fields.map(({ name }) => cleanName(name))
  const displayNames = distinctNames(
    cleaned.map((name, index) => (name === '' ? (keynames[index] ?? '') : name)),
    { isFree: () => true, kept: new Set(cleaned) },
  )
  const named = fields.map(({ datatype }, index) => ({
    keyname: keynames[index] ?? '',
    displayName: displayNames[index] ?? '',
    datatype,
  }))
  const renamed = fields
    .map(({ name }, index) => ({ from: name, to: keynames[index] ?? '' }))
    .filter(({ from, to }) => from !== to)
  return { fields: planFields(named), renamed }
}
