import { memberTable } from '../../store/classes/member_table.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import type { ApiRequest } from '../http/handler.ts'
import { visibleMembers } from '../resource/attributes.ts'

/** Labels of the values of fields that have a lookup table which the caller may read. */
export interface FieldLabels {
  /** Returns the label of a value of a field of any of the layers; undefined if it has none. */
  find(field: Pick<Layer['fields'][number], 'lookupTableId'>, value: unknown): string | undefined
}

/** Finds the labels of the values in fields of layers. */
export async function findFieldLabels(
  { context, caller }: Pick<ApiRequest, 'context' | 'caller'>,
  layers: readonly Layer[],
): Promise<FieldLabels> {
  const all = layers.flatMap(({ fields }) => fields.map(({ lookupTableId }) => lookupTableId))
  const ids = [...new Set(all)].filter((id) => id !== null)
  if (ids.length === 0) return { find: () => undefined }
  const masks = await context.permissions.findMasks(caller, ids)
  const rows = await memberTable('lookup_table').find(context.database, ids)
  const tables = new Map<number | null, Readonly<Record<string, unknown>>>()
  for (const [id, { items }] of rows) {
    // The same attribute as in the representation of the table, with the same permission.
    const { lookup_table: table } = visibleMembers('lookup_table', masks.get(id) ?? 0, {
      lookup_table: { items },
    })
    if (table?.items !== undefined) tables.set(id, table.items as typeof items)
  }
  return {
    find({ lookupTableId }, value) {
      const labels = tables.get(lookupTableId)
      if (labels === undefined || (typeof value !== 'string' && typeof value !== 'number')) return undefined
      const label = Object.hasOwn(labels, value) ? labels[value] : undefined
      return typeof label === 'string' && label !== '' ? label : undefined
    },
  }
}
