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

/** Gives what follows `from` to read the features of a layer: its table, or no rows of the same columns. */
export function featuresSql(layer: Layer): string {
  if (isForeign(layer)) return foreignFeaturesSql(layer)
  const { tableName, geometryType, srs, fields } = layer
  if (tableName !== null) return quoteName(tableName)
  const columns = fields.map(
    ({ columnName, datatype }) => `, null::${columnTypes[datatype]} as ${quoteName(columnName)}`,
  )
  return `(select null::int as id, null::geometry(${geometryType}, ${srs}) as geom${columns.join('')} where false) empty`
}

/** Gives the type of the ids of a layer's features. */
export function idType(layer: Layer): 'integer' | 'bigint' {
  return layer.foreign?.idType ?? 'integer'
}

/** The table that the features of a layer are written to, as SQL. */
export interface FeatureTable {
  readonly name: string
  readonly id: string
  readonly geom: string
  /** Holds for the rows of the table `t` that are features. */
  readonly condition: string
  column(field: LayerField): string
  /** A value that is written, as the column takes it. */
  value(field: LayerField, sql: string): string
}

/** Gives the table that the features of a layer are written to; undefined where it has none yet. */
export function findFeatureTable(layer: Layer): FeatureTable | undefined {
  if (isForeign(layer)) return foreignTable(layer)
  return layer.tableName === null ? undefined : ownTable(layer.tableName)
}

/** Gives the table that the features of a layer are written to. */
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
