import type { Queryable } from '../../database/database.ts'
import type { ForeignTable, Layer } from '../layer/stored_layer.ts'
import { rowTable } from './row_table.ts'

interface GeodbLayerRow {
  readonly schema_name: string
  readonly table_name: string
  readonly column_id: string
  readonly column_geom: string
  readonly id_type: 'integer' | 'bigint'
  readonly is_mixed: boolean
  readonly is_id_null: boolean
}

const rows = rowTable<GeodbLayerRow>('geodb_layer', {
  schema_name: 'text',
  table_name: 'text',
  column_id: 'text',
  column_geom: 'text',
  id_type: 'text',
  is_mixed: 'boolean',
  is_id_null: 'boolean',
})

/** Writes the tables of layers, by resource id, in one statement, except their connections. */
export function writeForeignTables(
  tx: Queryable,
  tables: ReadonlyMap<number, Omit<ForeignTable, 'connectionId'>>,
): Promise<void> {
  return rows.write(tx, new Map([...tables].map(([id, table]) => [id, rowOf(table)])))
}

function rowOf(table: Omit<ForeignTable, 'connectionId'>): GeodbLayerRow {
  return {
    schema_name: table.schema,
    table_name: table.table,
    column_id: table.idColumn,
    column_geom: table.geomColumn,
    id_type: table.idType,
    is_mixed: table.isMixed,
    is_id_null: table.isIdNull,
  }
}

/** Updates an existing layer from its table, and increments its data version. */
export async function updateForeignLayer(
  tx: Queryable,
  id: number,
  { geometryType, srs }: Pick<Layer, 'geometryType' | 'srs'>,
): Promise<void> {
  await tx.query(
    `update layer set geometry_type = $2, srs = $3::int, data_version = data_version + 1
      where resource_id = $1::int`,
    [id, geometryType, srs],
  )
}
