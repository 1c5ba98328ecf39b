import { quoteName } from '../../core/sql_quote.ts'
import type { Queryable } from '../../database/database.ts'
import type { Layer, LayerField } from '../layer/stored_layer.ts'
import { createBindings, type Statement } from './feature_sql.ts'
import { featuresSql } from './feature_table.ts'
import { printSql } from './print_sql.ts'

const keySql = ({ columnName, datatype }: LayerField, table: string) =>
  `(${printSql(datatype, `${table}.${quoteName(columnName)}`)})`

/**
 * Returns the statement that reads the features with a description or attachments, each as a JSON object: `key`, which is the
 * value of the field as its codec prints it or null, `same`, which is the number of features of the layer with this key, `id`, `description`, and
 * `attachments` with `id`, `name`, `size`, `mime_type`, `description` and `digest` (SHA-256). Without a field, there is no key.
 */
export function extensionsStatement(layer: Layer, key: LayerField | undefined): Statement {
  const bindings = createBindings()
  const id = bindings.bind(layer.resourceId, 'int')
  const item = `json_build_object('id', a.id, 'name', a.name, 'size', b.size_bytes, 'mime_type', a.mime_type,
    'description', a.description, 'digest', a.digest)`
  const text = `
    select json_build_object(${key === undefined ? '' : "'key', f.key, 'same', f.same, "}'id', f.id,
             'description', d.description, 'attachments', coalesce(e.list, '[]'))::text as feature
      from ${keyedSql(layer, key)} f
      left join feature_description d on d.layer_id = ${id} and d.feature_id = f.id
      left join (
        select a.feature_id, json_agg(${item} order by a.id) as list
          from attachment a join blob b using (digest) where a.layer_id = ${id} group by a.feature_id
      ) e on e.feature_id = f.id
     where d.feature_id is not null or e.feature_id is not null order by f.id`
  return { text, values: bindings.values }
}

function keyedSql(layer: Layer, key: LayerField | undefined): string {
  if (key === undefined) return featuresSql(layer)
  const text = keySql(key, 'k')
  return `(select k.id, ${text} as key, count(*) over (partition by ${text}) as same from ${featuresSql(layer)} k)`
}

/** Finds the ids of the features with the given keys: all of them if several features have the same key. */
export async function findFeaturesByKey(
  tx: Queryable,
  layer: Layer,
  { field, keys }: { readonly field: LayerField; readonly keys: readonly string[] },
): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>()
  if (keys.length === 0) return found
  const rows = await tx.query<{ key: string; id: number }>(
    `select ${keySql(field, 'f')} as key, f.id::float8 as id from ${featuresSql(layer)} f
      where ${keySql(field, 'f')} = any($1::text[]) order by f.id`,
    [keys],
  )
  for (const { key, id } of rows) found.set(key, [...(found.get(key) ?? []), id])
  return found
}
