import type { Field } from '../../../contract/classes/feature_layer.ts'
import { dataOf } from '../../../contract/registry.ts'
import { countOf } from '../../../core/count.ts'
import type { FieldValues } from '../../../transfer/count_values.ts'
import type { ActualResource } from '../../model/actual_tree.ts'
import type { Edit } from '../../model/change.ts'
import { droppedFieldOf } from '../../model/layer_fields.ts'

/** Number of features with a value, by `nameValues`; null if the server cannot count them. */
export type ValueCounts = ReadonlyMap<string, number | null>

/** Key of a field in `ValueCounts`. */
export function nameValues({ id, keyname }: Pick<FieldValues, 'id' | 'keyname'>): string {
  return `${id}/${keyname}`
}

/**
 * Sets the number of deleted values of edits that drop fields.
 *
 * @returns the edits, and the fields whose values are not counted yet
 */
export function tellLostValues(
  edits: readonly Edit[],
  { id, cls }: Pick<ActualResource, 'id' | 'cls'>,
  counts: ValueCounts,
): { readonly edits: readonly Edit[]; readonly uncounted: readonly FieldValues[] } {
  const uncounted: FieldValues[] = []
  const told = edits.map((edit) => {
    const keyname = droppedFieldOf(edit)
    if (keyname === undefined) return edit
    const { loses, ...rest } = edit
    // The values of other layers are in an external database.
    if (dataOf(cls)?.content !== 'features') return rest
    const count = counts.get(nameValues({ id, keyname }))
    const { datatype } = (edit.from ?? {}) as Partial<Field>
    if (count === undefined) uncounted.push({ id, keyname, datatype })
    if (typeof count !== 'number') return edit
    return {
      ...rest,
      ...(count === 0 ? {} : { loses: `deletes ${countOf(count, 'value')}` }),
      lostValues: count,
    }
  })
  return { edits: told, uncounted }
}
