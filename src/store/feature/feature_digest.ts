import { digestLength } from '../../contract/feature_key.ts'
import { quoteName } from '../../core/sql_quote.ts'
import type { Layer, LayerField } from '../layer/stored_layer.ts'
import type { FeatureFilter } from './feature_filter.ts'
import { columnTypes, createBindings, type Statement } from './feature_sql.ts'
import { selectedSql } from './read_features.ts'

/** Features whose digests are read. */
export interface DigestSelection {
  readonly filter: FeatureFilter
  readonly limit?: number | undefined
  /** Fields that identify a feature. */
  readonly key: readonly LayerField[]
  /** Fields that the digest covers, besides the geometry. */
  readonly fields: readonly LayerField[]
}

/**
 * Returns the statement that reads the digests of features, each as a JSON string: 16 hexadecimal digits of the MD5 of the
 * key, 16 of that of geometry and fields, and the id. The digests are those of rows in PostgreSQL's binary format, with the
 * geometry as EWKB.
 */
export function digestStatement(layer: Layer, { key, fields, ...selection }: DigestSelection): Statement {
  const bindings = createBindings()
  const rows = selectedSql(layer, selection, bindings)
  const content = ['ST_AsEWKB(geom)', ...fields.map(fieldSql)]
  const text = `select concat('"', ${digestSql(key.map(fieldSql))}, ${digestSql(content)}, id, '"') as digest from ${rows}`
  return { text, values: bindings.values }
}

const digestSql = (values: readonly string[]) =>
  `left(md5(record_send(row(${values.join(', ')}))), ${digestLength})`

const fieldSql = ({ columnName, datatype }: LayerField) =>
  `${quoteName(columnName)}::${columnTypes[datatype]}`
