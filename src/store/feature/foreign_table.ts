import { geometryParts } from '../../contract/geometry.ts'
import { quoteName } from '../../core/sql_quote.ts'
import type { ForeignColumn, ForeignTable, Layer, LayerField } from '../layer/stored_layer.ts'
import { columnTypes } from './column_sql.ts'

/** A layer whose features stand in another database. */
export type ForeignLayer = Layer & { readonly foreign: ForeignTable }

/** Tells whether the features of a layer stand in another database. */
export function isForeign(layer: Layer): layer is ForeignLayer {
  return layer.foreign != null
}

/** Gives the quoted name of a table in another database. */
export function foreignName({ schema, table }: Pick<ForeignTable, 'schema' | 'table'>): string {
  return `${quoteName(schema)}.${quoteName(table)}`
}

/**
 * Gives a foreign table as if it were one of our own: columns `id`, `geom`, and one a field by its column name. The
 * values are of the types of our own columns, whatever has become of the table; where they are so already, indexes work.
 */
export function foreignFeaturesSql(layer: ForeignLayer): string {
  const { foreign, fields } = layer
  const columns = fields.map((field) => `, ${valueSql(field)} as ${quoteName(field.columnName)}`)
  return `(select f.${quoteName(foreign.idColumn)}::${foreign.idType} as id, f.${quoteName(foreign.geomColumn)} as geom${columns.join('')}
    from ${foreignName(foreign)} f where ${foreignConditionSql(layer, 'f')}) features`
}

/** Gives SQL that holds for the rows of a foreign table that are features of the layer. */
export function foreignConditionSql(layer: ForeignLayer, alias: string): string {
  const { foreign, srs, geometryType } = layer
  const conditions = foreign.isIdNull ? [`${alias}.${quoteName(foreign.idColumn)} is not null`] : []
  if (foreign.isMixed) {
    const geom = `${alias}.${quoteName(foreign.geomColumn)}`
    const { family, isMulti, hasZ } = geometryParts(geometryType)
    // Shapes of one part pass in a layer of many, and flat ones in one with Z: tables without a type mix them freely.
    const types = [isMulti ? `MULTI${family}` : family, family].map((type) => `'${type}'`)
    conditions.push(
      `(${geom} is null or (GeometryType(${geom}) in (${types.join(', ')}) and ST_SRID(${geom}) = ${Math.trunc(srs)}
        and ST_Zmflag(${geom}) in (${hasZ ? '0, 2' : '0'})))`,
    )
  }
  return conditions.length === 0 ? 'true' : conditions.join(' and ')
}

/** Gives SQL of a value that is written, as the column takes it. Its modifiers are left to the assignment, which checks. */
export function foreignValueSql(value: string, { type }: ForeignColumn): string {
  return `${value}::${type}`
}

/** Types whose values are what they are cast to already, or compare like it. */
const native: readonly string[] = ['smallint', 'text', 'character varying']

function valueSql({ columnName, datatype, foreign }: LayerField): string {
  const { name, type } = foreign ?? { name: columnName, type: '' }
  const column = `f.${quoteName(name)}`
  if (native.includes(type)) return `${column}::${type}`
  // Infinity is no date, and fractions of a second no part of a moment here.
  if (datatype === 'DATE') return `case when isfinite(${column}::date) then ${column}::date end`
  if (datatype === 'DATETIME')
    return `case when isfinite(${column}::timestamp) then date_trunc('second', ${column}::timestamp) end`
  if (datatype === 'TIME') return `date_trunc('second', ${column}::time::interval)::time`
  // The double nearest to what people read, not the one nearest to the four bytes.
  if (type === 'real') return `${column}::real::text::double precision`
  return `${column}::${columnTypes[datatype]}`
}
