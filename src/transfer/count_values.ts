import type { Api } from '../api/api.ts'
import { supportsRoute } from '../api/detect_server.ts'
import type { Datatype } from '../contract/geometry.ts'
import { isProblem } from '../core/problem.ts'
import type { LostField } from './data_loss.ts'

/** A field of a layer whose values must be counted. */
export interface FieldValues {
  /** Id of the layer. */
  readonly id: number
  readonly keyname: string
  readonly datatype: Datatype | undefined
  /** Datatype that the values are to be converted to: only those that cannot be converted are counted. */
  readonly to?: Datatype
}

/**
 * Counts the features with a value in a field, where an empty string is not a value; undefined if the server rejects the
 * filter.
 */
export async function countValues(
  api: Api,
  { id, keyname, datatype, to }: FieldValues,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  if (to !== undefined) return countUnconvertible(api, { id, field: keyname, datatype: to }, signal)
  const filter =
    datatype === 'STRING'
      ? ([`fld_${keyname}__ne`, ''] as const)
      : ([`fld_${keyname}__isnull`, 'no'] as const)
  try {
    return (await api.call('feature.count', { params: { id }, more: [filter], signal })).filtered_count
  } catch (error) {
    if (isProblem(error) && (error.status ?? 0) >= 400 && (error.status ?? 0) < 500) return undefined
    throw error
  }
}

async function countUnconvertible(
  api: Api,
  { id, ...query }: { readonly id: number; readonly field: string; readonly datatype: Datatype },
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  if (!(await supportsRoute(api, 'feature.conversion', signal))) return undefined
  try {
    return (await api.call('feature.conversion', { params: { id }, query, signal })).count
  } catch (error) {
    if (isProblem(error) && (error.status ?? 0) >= 400 && (error.status ?? 0) < 500) return undefined
    throw error
  }
}

/** Fields of a layer, and what its source has of them. */
export interface FilledSource {
  /** Id of the layer. */
  readonly id: number
  readonly fields: readonly Omit<FieldValues, 'id'>[]
  /** Number of features of the source. */
  readonly after: number
  /** Keynames of the fields that have a value in the source. */
  readonly filledFields: readonly string[]
}

/** Finds the fields with values for which the source has no values; none for a source without features. */
export async function findLostFields(
  { id, fields, after, filledFields }: FilledSource,
  count: (field: FieldValues) => Promise<number | undefined>,
): Promise<LostField[]> {
  const missing = after === 0 ? [] : fields.filter(({ keyname }) => !filledFields.includes(keyname))
  const lostFields: LostField[] = []
  for (const { keyname, datatype } of missing) {
    const valueCount = await count({ id, keyname, datatype })
    if (valueCount !== 0) lostFields.push({ keyname, valueCount })
  }
  return lostFields
}
