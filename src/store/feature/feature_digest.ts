import type { Datatype } from '../../contract/geometry.ts'
import { quoteName } from '../../core/sql_quote.ts'
import type { Layer, LayerField } from '../layer/stored_layer.ts'
import type { FeatureFilter } from './feature_filter.ts'
import { createBindings, type Statement } from './feature_sql.ts'
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

/** Functions that write a value as in a binary COPY. */
const senders: Readonly<Record<Datatype, string>> = {
  INTEGER: 'int4send',
  BIGINT: 'int8send',
  REAL: 'float8send',
  STRING: 'textsend',
  DATE: 'date_send',
  TIME: 'time_send',
  DATETIME: 'timestamp_send',
}

/**
 * Returns the statement that reads the digests of features, each as a JSON string: 16 hexadecimal digits of the MD5 of the
 * key, 16 of that of geometry and fields, and the id. The digests are those of the values of a binary COPY, with their
 * lengths.
 */
export function digestStatement(layer: Layer, { key, fields, ...selection }: DigestSelection): Statement {
  const bindings = createBindings()
  const rows = selectedSql(layer, selection, bindings)
  const content = [sentSql('geom', 'ST_AsEWKB'), ...fields.map(fieldSql)]
  const text = `select concat('"', ${digestSql(key.map(fieldSql))}, ${digestSql(content)}, id, '"') as digest from ${rows}`
  return { text, values: bindings.values }
}

const digestSql = (parts: readonly string[]) => `left(md5(${parts.join(' || ')}), 16)`

const fieldSql = ({ columnName, datatype }: LayerField) => sentSql(quoteName(columnName), senders[datatype])

function sentSql(column: string, send: string): string {
  const bytes = `${send}(${column})`
  return `coalesce(int4send(octet_length(${bytes})) || ${bytes}, '\\xffffffff'::bytea)`
}
