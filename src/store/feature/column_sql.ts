import type { Datatype } from '../../contract/geometry.ts'

/** Column type of each datatype. */
export const columnTypes: Readonly<Record<Datatype, string>> = {
  INTEGER: 'integer',
  BIGINT: 'bigint',
  REAL: 'double precision',
  STRING: 'text',
  DATE: 'date',
  TIME: 'time(0)',
  DATETIME: 'timestamp(0)',
}
