import type { Datatype } from '../../contract/geometry.ts'

/** Field types of GDAL by datatype. @see https://gdal.org/api/vector_c_api.html OGRFieldType */
export const ogrFieldTypes: Readonly<Record<Datatype, string>> = {
  INTEGER: 'Integer',
  BIGINT: 'Integer64',
  REAL: 'Real',
  STRING: 'String',
  DATE: 'Date',
  TIME: 'Time',
  DATETIME: 'DateTime',
}

/** Datatypes by field type. Booleans are integers; lists and other types are strings. */
const datatypes: Readonly<Record<string, Datatype>> = {
  integer: 'INTEGER',
  integer64: 'BIGINT',
  real: 'REAL',
  date: 'DATE',
  time: 'TIME',
  dateTime: 'DATETIME',
}

/** Returns the datatype of a field type of gdal-async. */
export function datatypeOf(type: string): Datatype {
  return datatypes[type] ?? 'STRING'
}
