import { quoteName } from '../../core/sql_quote.ts'
import type { Layer, LayerField, WritableLayer } from '../layer/stored_layer.ts'
import { columnTypes } from './column_sql.ts'
import {
  type ForeignLayer,
  foreignConditionSql,
  foreignFeaturesSql,
  foreignName,
  foreignValueSql,
  isForeign,
} from './foreign_table.ts'

/** Returns the `from` item of a layer's features: its table, or an empty row set of the same columns. */
export function featuresSql(layer: Layer): string {
  if (isForeign(layer)) return foreignFeaturesSql(layer)
  const { tableName, geometryType, srs, fields } = layer
  if (tableName !== null) return quoteName(tableName)
  const columns = fields.map(
    ({ columnName, datatype }) => `, null::${columnTypes[datatype]} as ${quoteName(columnName)}`,
  )
  return `(select null::int as id, null::geometry(${geometryType}, ${srs}) as geom${columns.join('')} where false) empty`
}

/** Returns the column type of a layer's feature ids. */
export function idType(layer: Layer): 'integer' | 'bigint' {
  return layer.foreign?.idType ?? 'integer'
}

/** SQL of the table that features are written to. */
export interface FeatureTable {
  readonly name: string
  readonly id: string
  readonly geom: string
  /** True for the rows of the table `t` that are features. */
  readonly condition: string
  column(field: LayerField): string
  /** A value converted to the type of the column. */
  value(field: LayerField, sql: string): string
}

/** Returns the table that features are written to; undefined for a layer without a table. */
export function findFeatureTable(layer: Layer): FeatureTable | undefined {
  if (isForeign(layer)) return foreignTable(layer)
  return layer.tableName === null ? undefined : ownTable(layer.tableName)
}

/** Returns the table that features are written to. */
export function featureTable(layer: WritableLayer): FeatureTable {
  return isForeign(layer) ? foreignTable(layer) : ownTable(layer.tableName ?? '')
}

function ownTable(tableName: string): FeatureTable {
  return {
    name: quoteName(tableName),
    id: 'id',
    geom: 'geom',
    condition: 'true',
    column: ({ columnName }) => quoteName(columnName),
    value: (_, sql) => sql,
  }
}

function foreignTable(layer: ForeignLayer): FeatureTable {
  const { foreign } = layer
  return {
    name: foreignName(foreign),
    id: quoteName(foreign.idColumn),
    geom: quoteName(foreign.geomColumn),
    condition: foreignConditionSql(layer, 't'),
    column: (field) => quoteName(field.foreign?.name ?? field.columnName),
    value: (field, sql) => (field.foreign == null ? sql : foreignValueSql(sql, field.foreign)),
  }
}
