import { findLookupLabels, type LookupKey } from '../../store/classes/lookup_labels.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import type { ApiRequest } from '../http/handler.ts'
import { visibleMembers } from '../resource/attributes.ts'

type Field = Pick<Layer['fields'][number], 'lookupTableId'>

/** A value of a field. */
export type FieldValue = readonly [field: Field, value: unknown]

/** Labels of values of fields that have a lookup table which the caller may read. */
export interface FieldLabels {
  /** Returns the label of a value; undefined if it has none. */
  find(field: Field, value: unknown): string | undefined
}

/** Finds the labels of values of fields. */
export type FindFieldLabels = (values: readonly FieldValue[]) => Promise<FieldLabels>

/** Prepares to find the labels of values in fields of layers. */
export async function openFieldLabels(
  { context, caller }: Pick<ApiRequest, 'context' | 'caller'>,
  layers: readonly Layer[],
): Promise<FindFieldLabels> {
  const all = layers.flatMap(({ fields }) => fields.map(({ lookupTableId }) => lookupTableId))
  const ids = [...new Set(all)].filter((id) => id !== null)
  const masks = ids.length === 0 ? new Map() : await context.permissions.findMasks(caller, ids)
  const readable = new Set(ids.filter((id) => areItemsVisible(masks.get(id) ?? 0)))
  const keyOf = ([{ lookupTableId: table }, value]: FieldValue): LookupKey[] =>
    table !== null && readable.has(table) && (typeof value === 'string' || typeof value === 'number')
      ? [{ table, key: String(value) }]
      : []
  return async (values) => {
    const keys = new Map(values.flatMap(keyOf).map((key) => [nameOf(key), key]))
    const found = await findLookupLabels(context.database, [...keys.values()])
    const labels = new Map(found.map((one) => [nameOf(one), one.label]))
    return {
      find(field, value) {
        const [key] = keyOf([field, value])
        const label = key && labels.get(nameOf(key))
        return label === '' ? undefined : label
      },
    }
  }
}

const nameOf = ({ table, key }: LookupKey) => `${table} ${key}`

/** Tells whether the items of a table are visible, with the same permission as in the representation of the table. */
export function areItemsVisible(mask: number): boolean {
  return (
    visibleMembers('lookup_table', mask, { lookup_table: { items: {} } }).lookup_table?.items !== undefined
  )
}
