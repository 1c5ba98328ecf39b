import { geometryParts } from '../../contract/geometry.ts'
import { quoteName } from '../../core/sql_quote.ts'
import type { ForeignColumn, ForeignTable, Layer, LayerField, WritableLayer } from '../layer/stored_layer.ts'
import { columnTypes } from './feature_sql.ts'

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

/** A layer whose features are stored in another database. */
export type ForeignLayer = Layer & { readonly foreign: ForeignTable }

/** Returns whether the features of a layer are stored in another database. */
export function isForeign(layer: Layer): layer is ForeignLayer {
  return layer.foreign != null
}

/** Returns the quoted name of a table in another database. */
export function foreignName({ schema, table }: Pick<ForeignTable, 'schema' | 'table'>): string {
  return `${quoteName(schema)}.${quoteName(table)}`
}

/**
 * Returns a `from` item that presents a foreign table like a local one: columns `id`, `geom`, and one per field. Values
 * are cast to the types of local columns, in case the table has changed; where no cast is needed, indexes apply.
 */
function foreignFeaturesSql(layer: ForeignLayer): string {
  const { foreign, fields } = layer
  const columns = fields.map((field) => `, ${valueSql(field)} as ${quoteName(field.columnName)}`)
  return `(select f.${quoteName(foreign.idColumn)}::${foreign.idType} as id, f.${quoteName(foreign.geomColumn)} as geom${columns.join('')}
    from ${foreignName(foreign)} f where ${foreignConditionSql(layer, 'f')}) features`
}

/** Returns SQL that is true for the rows of a foreign table that are features of the layer. */
function foreignConditionSql(layer: ForeignLayer, alias: string): string {
  const { foreign, srs, geometryType } = layer
  const conditions = foreign.isIdNull ? [`${alias}.${quoteName(foreign.idColumn)} is not null`] : []
  if (foreign.isMixed) {
    const geom = `${alias}.${quoteName(foreign.geomColumn)}`
    const { family, isMulti, hasZ } = geometryParts(geometryType)
    // Untyped columns may mix geometries: single ones are valid in a multi layer, and 2D ones in a layer with Z.
    const types = [isMulti ? `MULTI${family}` : family, family].map((type) => `'${type}'`)
    conditions.push(
      `(${geom} is null or (GeometryType(${geom}) in (${types.join(', ')}) and ST_SRID(${geom}) = ${Math.trunc(srs)}
        and ST_Zmflag(${geom}) in (${hasZ ? '0, 2' : '0'})))`,
    )
  }
  return conditions.length === 0 ? 'true' : conditions.join(' and ')
}

/** Returns SQL that casts a value to the type of the column. The assignment checks the type modifiers. */
function foreignValueSql(value: string, { type }: ForeignColumn): string {
  return `${value}::${type}`
}

/** Column types that compare like the type of their datatype, so that no cast is needed. */
const comparableTypes: readonly string[] = ['smallint', 'text', 'character varying']

function valueSql({ columnName, datatype, foreign }: LayerField): string {
  const { name, type } = foreign ?? { name: columnName, type: '' }
  const column = `f.${quoteName(name)}`
  if (comparableTypes.includes(type)) return `${column}::${type}`
  // Layers do not support infinite dates and fractions of a second.
  if (datatype === 'DATE') return `case when isfinite(${column}::date) then ${column}::date end`
  if (datatype === 'DATETIME')
    return `case when isfinite(${column}::timestamp) then date_trunc('second', ${column}::timestamp) end`
  if (datatype === 'TIME') return `date_trunc('second', ${column}::time::interval)::time`
  // Casts through text, so that 0.1 stays 0.1 as a double.
  if (type === 'real') return `${column}::real::text::double precision`
  return `${column}::${columnTypes[datatype]}`
}
