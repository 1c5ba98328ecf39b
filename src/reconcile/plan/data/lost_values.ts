import type { Field } from '../../../contract/classes/feature_layer.ts'
import { dataOf } from '../../../contract/registry.ts'
import { countOf } from '../../../core/count.ts'
import type { Issue } from '../../../core/issue.ts'
import type { WantedResource } from '../../../manifest/manifest.ts'
import type { FieldValues } from '../../../transfer/count_values.ts'
import type { ActualResource } from '../../model/actual_tree.ts'
import type { Edit } from '../../model/change.ts'
import { conversionOf, droppedFieldOf } from '../../model/layer_fields.ts'
import { keynameThere } from '../fields/renamed_fields.ts'
import { issueAt } from '../issue_at.ts'
import { datatypePointer } from './declared_fields.ts'

/** Number of features with a value, by `nameValues`; null if the server cannot count them. */
export type ValueCounts = ReadonlyMap<string, number | null>

/** Key of a field in `ValueCounts`. */
export function nameValues({ id, keyname, to }: Pick<FieldValues, 'id' | 'keyname' | 'to'>): string {
  return to === undefined ? `${id}/${keyname}` : `${id}/${keyname}/${to}`
}

/**
 * Sets the number of deleted values of edits that drop fields, and that of the values that cannot be converted.
 *
 * @returns the edits, and the fields whose values are not counted yet
 */
export function tellLostValues(
  edits: readonly Edit[],
  layer: Pick<ActualResource, 'id' | 'cls' | 'members'>,
  counts: ValueCounts,
): { readonly edits: readonly Edit[]; readonly uncounted: readonly FieldValues[] } {
  const { id, cls } = layer
  const uncounted: FieldValues[] = []
  const told = edits.map((edit) => {
    const keyname = droppedFieldOf(edit)
    if (keyname === undefined) return tellUnconvertible(edit, { layer, counts, uncounted })
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

interface Counting {
  readonly layer: Pick<ActualResource, 'id' | 'cls' | 'members'>
  readonly counts: ValueCounts
  /** Receives fields whose values are not counted yet. */
  readonly uncounted: FieldValues[]
}

/** Sets the number of values that an edit of a datatype cannot convert. */
function tellUnconvertible(edit: Edit, { layer, counts, uncounted }: Counting): Edit {
  const conversion = dataOf(layer.cls)?.content === 'features' ? conversionOf(edit) : undefined
  if (conversion === undefined) return edit
  const field = { ...conversion, id: layer.id, keyname: keynameThere(layer, conversion.keyname) }
  const count = counts.get(nameValues(field))
  if (count === undefined) uncounted.push(field)
  return count ? { ...edit, unconvertible: count } : edit
}

/** Removes the number of values that cannot be converted from an edit. */
export const withoutConversion = ({ unconvertible: _, ...edit }: Edit): Edit => edit

/** Reports values that cannot be converted to the datatype of the manifest. */
export function reportUnconvertible(wanted: WantedResource, edits: readonly Edit[]): Issue[] {
  return edits.flatMap((edit): Issue[] => {
    const { pointer, unconvertible, from, to } = edit
    const conversion = conversionOf(edit)
    if (unconvertible === undefined || conversion === undefined) return []
    const values = countOf(unconvertible, 'value')
    const message = `${values} of the field "${conversion.keyname}" of "${wanted.key}" cannot be converted from ${from} to ${to}`
    return [
      issueAt(wanted, 'plan/unconvertible', message, datatypePointer(wanted, conversion.keyname) ?? pointer),
    ]
  })
}
