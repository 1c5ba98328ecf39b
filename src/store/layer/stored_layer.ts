import type { Datatype, GeometryType } from '../../contract/geometry.ts'
import type { Queryable } from '../../database/database.ts'
import { type ChangedLayer, changesSql, mergeOldChanges } from './layer_change.ts'

/** A field of a layer, with the column of its values. */
export interface LayerField {
  readonly id: number
  readonly keyname: string
  readonly displayName: string
  readonly datatype: Datatype
  readonly columnName: string
  readonly labelField: boolean
  readonly gridVisibility: boolean
  readonly textSearch: boolean
  readonly lookupTableId: number | null
  /** The column of a table in another database; null for a local table. */
  readonly foreign?: ForeignColumn | null
}

/** A column of a table in another database. */
export interface ForeignColumn {
  readonly name: string
  /** PostgreSQL type without modifiers. */
  readonly type: string
}

/** A table in another database. */
export interface ForeignTable {
  /** Resource id of the connection. */
  readonly connectionId: number
  readonly schema: string
  readonly table: string
  readonly idColumn: string
  readonly geomColumn: string
  readonly idType: 'integer' | 'bigint'
  /** Whether the column may contain other geometry types than the layer. Such rows are not features of the layer. */
  readonly isMixed: boolean
  /** Whether the id may be null. Such rows are not features. */
  readonly isIdNull: boolean
}

/** A layer and the location of its features. */
export interface Layer {
  readonly resourceId: number
  readonly geometryType: GeometryType
  /** EPSG code. */
  readonly srs: number
  /** Table with columns `id` (integer), `geom`, and one per field; null until the first feature is written. */
  readonly tableName: string | null
  /** Table of the features in another database; null for a local table. */
  readonly foreign?: ForeignTable | null
  /** Number of changes of the features. */
  readonly dataVersion: number
  /** Number of changes of descriptions and attachments of features. */
  readonly extensionsVersion: number
  /** In order. */
  readonly fields: readonly LayerField[]
}

/** A layer with a table that features can be written to. */
export type WritableLayer = Layer & ({ readonly tableName: string } | { readonly foreign: ForeignTable })

/** Finds layers with their fields by resource id, in one statement; ids of other resources are left out. */
export function findLayers(tx: Queryable, ids: readonly number[]): Promise<Map<number, Layer>> {
  return readLayers<Layer>(tx, ids, '')
}

/** A layer with its last changes. */
export type TrackedLayer = Layer & ChangedLayer

/** Finds layers as `findLayers` does, with their last changes. */
export function findTrackedLayers(tx: Queryable, ids: readonly number[]): Promise<Map<number, TrackedLayer>> {
  return readLayers<TrackedLayer>(tx, ids, `, ${changesSql} as changes`)
}

async function readLayers<T extends Layer>(
  tx: Queryable,
  ids: readonly number[],
  columns: string,
): Promise<Map<number, T>> {
  const rows = await tx.query<T>(
    `select l.resource_id as "resourceId", l.geometry_type as "geometryType", l.srs,
            l.table_name as "tableName", l.data_version as "dataVersion",
            l.extensions_version as "extensionsVersion",
            case when g.resource_id is not null then json_build_object(
              'connectionId', c.connection_id, 'schema', g.schema_name, 'table', g.table_name,
              'idColumn', g.column_id, 'geomColumn', g.column_geom, 'idType', g.id_type,
              'isMixed', g.is_mixed, 'isIdNull', g.is_id_null
            ) end as "foreign",
            coalesce(json_agg(json_build_object(
              'id', f.id, 'keyname', f.keyname, 'displayName', f.display_name, 'datatype', f.datatype,
              'columnName', f.column_name, 'labelField', f.label_field, 'gridVisibility', f.grid_visibility,
              'textSearch', f.text_search, 'lookupTableId', f.lookup_table_id,
              'foreign', case when f.foreign_name is not null then
                json_build_object('name', f.foreign_name, 'type', f.foreign_type) end
            ) order by f.position, f.id) filter (where f.id is not null), '[]') as fields ${columns}
       from layer l left join layer_field f on f.layer_id = l.resource_id
       left join geodb_layer g on g.resource_id = l.resource_id
       left join resource_connection c on c.resource_id = l.resource_id
      where l.resource_id = any($1::int[])
      group by l.resource_id, g.resource_id, c.resource_id`,
    [ids],
    { prepared: true },
  )
  return new Map(rows.map((row) => [row.resourceId, row]))
}

/**
 * Increments the data version of a layer, and locks the layer against other writers until the end of the transaction.
 * Call it before reading the layer, because its table may be replaced until then.
 *
 * The functions of `write_features.ts` record where the new version changed the layer. Everything else that changes features
 * must increment the version by itself, so that the version has no record and counts as a change of the whole layer.
 */
export async function touchLayer(tx: Queryable, id: number): Promise<number | undefined> {
  const [row] = await tx.query<{ version: number }>(
    'update layer set data_version = data_version + 1 where resource_id = $1::int returning data_version as version',
    [id],
  )
  if (row !== undefined) await mergeOldChanges(tx, id, row.version)
  return row?.version
}

/** Reverts a `touchLayer` of the same transaction if nothing was written. */
export async function untouchLayer(tx: Queryable, id: number): Promise<void> {
  await tx.query(
    `with reverted as (
       update layer set data_version = data_version - 1 where resource_id = $1::int returning data_version)
     delete from layer_change c using reverted where c.layer_id = $1::int and c.version > reverted.data_version`,
    [id],
  )
}

/** Returns whether the features of a layer have not changed since the layer was read. */
export async function isUnchanged(tx: Queryable, layer: Layer): Promise<boolean> {
  const { resourceId, dataVersion, tableName } = layer
  const rows = await tx.query(
    'select from layer where resource_id = $1::int and data_version = $2::int and table_name = $3',
    [resourceId, dataVersion, tableName],
  )
  return rows.length > 0
}

/** Locks a layer against other writers until the end of the transaction, and reads it. */
export async function lockLayer(tx: Queryable, id: number): Promise<Layer | undefined> {
  await tx.query('select from layer where resource_id = $1::int for update', [id])
  return (await findLayers(tx, [id])).get(id)
}
