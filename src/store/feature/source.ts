import type { Layer } from '../layer.ts'
import { quoteName } from './binding.ts'
import { columnTypes } from './column.ts'

/** Gives what follows `from` to read the features of a layer: its table, or no rows of the same columns. */
export function featuresSql({ tableName, geometryType, srs, fields }: Layer): string {
  if (tableName !== null) return quoteName(tableName)
  const columns = fields.map(
    ({ columnName, datatype }) => `, null::${columnTypes[datatype]} as ${quoteName(columnName)}`,
  )
  return `(select null::int as id, null::geometry(${geometryType}, ${srs}) as geom${columns.join('')} where false) empty`
}
