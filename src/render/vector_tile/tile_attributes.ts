import { quoteName } from '../../core/sql_quote.ts'
import type { LayerField } from '../../store/layer/stored_layer.ts'
import type { TileKey, TileValueKind } from './encode_mvt.ts'

const kinds: Readonly<Record<LayerField['datatype'], TileValueKind>> = {
  INTEGER: 'integer',
  BIGINT: 'integer',
  REAL: 'real',
  STRING: 'text',
  DATE: 'text',
  TIME: 'text',
  DATETIME: 'text',
}

/** Returns the tile attributes for the fields of a layer. */
export function tileKeys(fields: readonly LayerField[]): TileKey[] {
  return fields.map(({ keyname, datatype }) => ({ name: keyname, kind: kinds[datatype] }))
}

/** Returns SQL of the values of table `t` as columns `a0`, `a1`, …, each with a leading comma. */
export function attributeSql(fields: readonly LayerField[]): string {
  // The comment makes the prepared statement a new one when the type of a field changes.
  return fields.map((field, at) => `, ${valueSql(field)} as a${at} /* ${field.datatype} */`).join('')
}

/** Returns the values of a row for a tile: integers beyond 2^53 as strings. */
export function attributeValues(
  fields: readonly LayerField[],
  row: Readonly<Record<string, unknown>>,
): (number | string | null)[] {
  return fields.map(({ datatype }, at) => {
    const value = row[`a${at}`]
    if (value === null || value === undefined) return null
    if (datatype !== 'BIGINT') return typeof value === 'number' ? value : String(value)
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : String(value)
  })
}

function valueSql({ columnName, datatype }: LayerField): string {
  const column = `t.${quoteName(columnName)}`
  if (datatype === 'DATE') return `to_char(${column}, 'YYYY-MM-DD')`
  if (datatype === 'DATETIME') return `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS')`
  return datatype === 'TIME' ? `${column}::text` : column
}
