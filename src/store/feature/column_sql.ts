import type { Datatype } from '../../contract/geometry.ts'

/** Types of the columns that hold the values of a datatype. */
export const columnTypes: Readonly<Record<Datatype, string>> = {
  INTEGER: 'integer',
  BIGINT: 'bigint',
  REAL: 'double precision',
  STRING: 'text',
  DATE: 'date',
  TIME: 'time(0)',
  DATETIME: 'timestamp(0)',
}
