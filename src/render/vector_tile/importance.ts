import { quoteName, quoteText } from '../../core/sql_quote.ts'
import type { Layer, LayerField } from '../../store/layer/stored_layer.ts'
import type { OrderedField, SizedValues } from '../../style/importance.ts'
import { derivedColumns, isPointLayer } from './tile_source.ts'

/** The field by which features are kept where a layer is thinned. */
export type Importance = OrderedImportance | SizedImportance

interface OrderedImportance extends Omit<OrderedField, 'name'> {
  readonly field: LayerField
}

interface SizedImportance extends Omit<SizedValues, 'name'> {
  readonly field: LayerField
}

/** Rank of null values: below all others. Finite, so that it is valid JSON. */
const lowestRank = -1e300

/**
 * Returns SQL of the rank of a feature, a number that is higher for more important features: the value of a field, else the
 * size of the box for geometries other than points; undefined for points, of which the last drawn one covers the others.
 */
export function rankSql(layer: Layer, importance: Importance | undefined): string | undefined {
  const rank = importance && importanceSql(importance)
  if (rank !== undefined) return rank
  if (isPointLayer(layer)) return undefined
  const { box } = derivedColumns
  return `((ST_XMax(${box}) - ST_XMin(${box})) + (ST_YMax(${box}) - ST_YMin(${box})))::float8`
}

/** Returns SQL of a number of table `t` that is higher for more important features; undefined for values without an order. */
export function importanceSql(importance: Importance): string | undefined {
  return 'sizes' in importance ? sizeSql(importance) : valueRankSql(importance)
}

/** Returns SQL of the size of the marker of a feature. */
function sizeSql({ field, sizes, otherSize }: SizedImportance): string {
  const cases = sizes.map(([value, size]) => `when ${quoteText(String(value))} then ${size}`)
  return `(case ${columnOf(field)}::text ${cases.join(' ')} else ${otherSize} end)::float8`
}

function valueRankSql({ field, isHighFirst }: OrderedImportance): string | undefined {
  const value = valueSql(field)
  return value && `coalesce(${isHighFirst ? '' : '-'}(${value})::float8, ${lowestRank})`
}

const columnOf = ({ columnName }: LayerField) => `t.${quoteName(columnName)}`

/** Returns SQL of a number in the order of the values of a field; undefined for strings. */
function valueSql(field: LayerField): string | undefined {
  const { datatype } = field
  if (datatype === 'STRING') return undefined
  const column = columnOf(field)
  return datatype === 'INTEGER' || datatype === 'BIGINT' || datatype === 'REAL'
    ? column
    : `extract(epoch from ${column})`
}
