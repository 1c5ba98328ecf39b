import type { Queryable } from '../database/database.ts'
import type { PlannedField } from './field.ts'
import type { LayerField } from './layer.ts'

/** A field as it is to stand: with an id it changes the one there is, without it is new. Order is the list's. */
export type FieldRow = PlannedField & { readonly id?: number | undefined }

/**
 * Writes the rows of all fields of a layer, in order: those with an id are changed, those without are new, and rows
 * that the list does not name are deleted. Columns are not touched. Takes three statements, however many fields.
 */
export async function writeFields(
  tx: Queryable,
  layerId: number,
  fields: readonly FieldRow[],
): Promise<void> {
  const rows = JSON.stringify(fields.map((field, position) => ({ ...toRow(field), position })))
  const recordset = `jsonb_to_recordset($2::jsonb) as f (id int, position int, keyname text, "displayName" text,
    datatype text, "columnName" text, "labelField" boolean, "gridVisibility" boolean, "textSearch" boolean,
    "lookupTableId" int)`
  await tx.query(
    `delete from layer_field
      where layer_id = $1::int and id not in (select f.id from ${recordset} where f.id is not null)`,
    [layerId, rows],
  )
  await tx.query(
    `update layer_field l
        set position = f.position, keyname = f.keyname, display_name = f."displayName", datatype = f.datatype,
            column_name = f."columnName", label_field = f."labelField", grid_visibility = f."gridVisibility",
            text_search = f."textSearch", lookup_table_id = f."lookupTableId"
       from ${recordset} where l.id = f.id and l.layer_id = $1::int`,
    [layerId, rows],
  )
  await tx.query(
    `insert into layer_field (layer_id, position, keyname, display_name, datatype, column_name, label_field,
                              grid_visibility, text_search, lookup_table_id)
     select $1::int, f.position, f.keyname, f."displayName", f.datatype, f."columnName", f."labelField",
            f."gridVisibility", f."textSearch", f."lookupTableId"
       from ${recordset} where f.id is null order by f.position`,
    [layerId, rows],
  )
}

function toRow(field: FieldRow): Omit<LayerField, 'id'> & { readonly id: number | null } {
  const { id, keyname, datatype, columnName } = field
  return {
    id: id ?? null,
    keyname,
    datatype,
    columnName,
    displayName: field.displayName ?? keyname,
    labelField: field.labelField ?? false,
    gridVisibility: field.gridVisibility ?? true,
    textSearch: field.textSearch ?? true,
    lookupTableId: field.lookupTableId ?? null,
  }
}
