import type { Datatype } from '../../contract/geometry.ts'

/** Bounds within which JavaScript writes numbers without an exponent. */
const [least, most] = ['1e-6', '1e21'] as const

/** Returns SQL of a value of a field as the codec of its datatype prints it. */
export function printSql(datatype: Datatype, column: string): string {
  if (datatype === 'DATETIME') return `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS')`
  if (datatype === 'DATE') return `to_char(${column}, 'YYYY-MM-DD')`
  if (datatype !== 'REAL') return `${column}::text`
  // PostgreSQL uses exponents for other numbers, and writes them with two digits at least.
  return `case when ${column} = 0 then '0'
    when abs(${column}) >= ${least} and abs(${column}) < ${most} then ${column}::text::numeric::text
    else regexp_replace(${column}::text, 'e([-+])0', 'e\\1') end`
}
