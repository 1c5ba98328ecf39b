import type { Field } from '../../contract/classes/feature_layer.ts'
import type { FieldChange } from '../../store/layer/field_change.ts'
import type { NewField } from '../../store/layer/plan_fields.ts'
import type { Layer, LayerField } from '../../store/layer/stored_layer.ts'

/** Reads a new field. */
export function newFieldOf(field: Field): NewField {
  const { keyname, datatype, display_name: displayName } = field
  return {
    keyname,
    datatype,
    displayName,
    labelField: field.label_field,
    gridVisibility: field.grid_visibility,
    textSearch: field.text_search,
    lookupTableId: field.lookup_table === undefined ? undefined : (field.lookup_table?.id ?? null),
  }
}

/** Reads the change of a field. */
export function fieldChangeOf(field: Field): FieldChange {
  return { ...newFieldOf(field), id: field.id, isDropped: field.delete }
}

/** Lists the lookup tables of the fields of a layer. */
export function lookupTablesOf({ fields }: Layer): Set<number> {
  return new Set(fields.flatMap(({ lookupTableId }) => (lookupTableId === null ? [] : [lookupTableId])))
}

/** Encodes a field for the wire. */
export function wireField(field: LayerField): Field {
  return {
    id: field.id,
    keyname: field.keyname,
    datatype: field.datatype,
    typemod: null,
    display_name: field.displayName,
    label_field: field.labelField,
    grid_visibility: field.gridVisibility,
    text_search: field.textSearch,
    lookup_table: field.lookupTableId === null ? null : { id: field.lookupTableId },
  }
}
