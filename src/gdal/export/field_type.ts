import type { Datatype } from '../../contract/geometry.ts'

/** What GDAL calls the datatypes of fields. @see https://gdal.org/api/vector_c_api.html OGRFieldType */
export const ogrFieldTypes: Readonly<Record<Datatype, string>> = {
  INTEGER: 'Integer',
  BIGINT: 'Integer64',
  REAL: 'Real',
  STRING: 'String',
  DATE: 'Date',
  TIME: 'Time',
  DATETIME: 'DateTime',
}

/** Truth values are numbers; lists and whatever else there is are text. */
const datatypes: Readonly<Record<string, Datatype>> = {
  integer: 'INTEGER',
  integer64: 'BIGINT',
  real: 'REAL',
  date: 'DATE',
  time: 'TIME',
  dateTime: 'DATETIME',
}

/** Gives what a field becomes whose datatype gdal-async calls so. */
export function datatypeOf(type: string): Datatype {
  return datatypes[type] ?? 'STRING'
}
