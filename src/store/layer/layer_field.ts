import type { Queryable } from '../../database/database.ts'
import type { PlannedField } from './plan_fields.ts'
import type { LayerField } from './stored_layer.ts'

/** A field to write: with an id it replaces the existing field, without one it is new. */
export type FieldRow = PlannedField & { readonly id?: number | undefined }

const recordset = `jsonb_to_recordset($1::jsonb) as f ("layerId" int, id int, position int, keyname text,
  "displayName" text, datatype text, "columnName" text, "labelField" boolean, "gridVisibility" boolean,
  "textSearch" boolean, "lookupTableId" int, "foreignName" text, "foreignType" text)`

const toRows = (layerId: number, fields: readonly FieldRow[]) =>
  fields.map((field, position) => ({ layerId, ...toRow(field), position }))

/** Inserts the fields of new layers, in order, by layer. One statement. */
export async function insertFields(
  tx: Queryable,
  layers: ReadonlyMap<number, readonly FieldRow[]>,
): Promise<void> {
  const rows = [...layers].flatMap(([layerId, fields]) => toRows(layerId, fields))
  if (rows.length > 0) await tx.query(insertSql, [JSON.stringify(rows)])
}

const insertSql = `
  insert into layer_field (layer_id, position, keyname, display_name, datatype, column_name, label_field,
                           grid_visibility, text_search, lookup_table_id, foreign_name, foreign_type)
  select f."layerId", f.position, f.keyname, f."displayName", f.datatype, f."columnName", f."labelField",
         f."gridVisibility", f."textSearch", f."lookupTableId", f."foreignName", f."foreignType"
    from ${recordset} where f.id is null order by f."layerId", f.position`

/**
 * Replaces the fields of a layer, in order: updates those with an id, inserts those without, and deletes all others.
 * Does not change the columns of the table. Takes three statements, regardless of the number of fields.
 */
export async function writeFields(
  tx: Queryable,
  layerId: number,
  fields: readonly FieldRow[],
): Promise<void> {
  const rows = JSON.stringify(toRows(layerId, fields))
  await tx.query(
    `delete from layer_field
      where layer_id = $2::int and id not in (select f.id from ${recordset} where f.id is not null)`,
    [rows, layerId],
  )
  await tx.query(
    `update layer_field l
        set position = f.position, keyname = f.keyname, display_name = f."displayName", datatype = f.datatype,
            column_name = f."columnName", label_field = f."labelField", grid_visibility = f."gridVisibility",
            text_search = f."textSearch", lookup_table_id = f."lookupTableId",
            foreign_name = f."foreignName", foreign_type = f."foreignType"
       from ${recordset} where l.id = f.id and l.layer_id = $2::int`,
    [rows, layerId],
  )
  await tx.query(insertSql, [rows])
}

/** A row of `layer_field`, without layer and position. */
interface Row extends Omit<LayerField, 'id' | 'foreign'> {
  readonly id: number | null
  readonly foreignName: string | null
  readonly foreignType: string | null
}

function toRow(field: FieldRow): Row {
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
    foreignName: field.foreign?.name ?? null,
    foreignType: field.foreign?.type ?? null,
  }
}
