import { quoteName } from '../../core/sql_quote.ts'
import type { Layer, LayerField } from '../../store/layer/stored_layer.ts'
import { derivedColumns, isPointLayer } from './tile_source.ts'

/** The field by which features are kept where a layer is thinned. */
export interface Importance {
  readonly field: LayerField
  /** Whether high values are important, and not low ones. */
  readonly isHighFirst: boolean
}

/** Rank of null values: below all others. Finite, so that it is valid JSON. */
const lowestRank = -1e300

/**
 * Returns SQL of the rank of a feature, a number that is higher for more important features: the value of a field, else the
 * size of the box for geometries other than points; undefined for points, of which the last drawn one covers the others.
 */
export function rankSql(layer: Layer, importance: Importance | undefined): string | undefined {
  const value = importance && valueSql(importance.field)
  if (value !== undefined)
    return `coalesce(${importance?.isHighFirst === false ? '-' : ''}(${value})::float8, ${lowestRank})`
  if (isPointLayer(layer)) return undefined
  const { box } = derivedColumns
  return `((ST_XMax(${box}) - ST_XMin(${box})) + (ST_YMax(${box}) - ST_YMin(${box})))::float8`
}

/** Returns SQL of a number in the order of the values of a field; undefined for strings. */
function valueSql({ columnName, datatype }: LayerField): string | undefined {
  if (datatype === 'STRING') return undefined
  const column = `t.${quoteName(columnName)}`
  return datatype === 'INTEGER' || datatype === 'BIGINT' || datatype === 'REAL'
    ? column
    : `extract(epoch from ${column})`
}
