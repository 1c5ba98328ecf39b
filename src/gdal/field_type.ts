import type { Datatype } from '../contract/geometry.ts'

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
