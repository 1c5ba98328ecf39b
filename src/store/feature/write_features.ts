import { quoteName } from '../../core/sql_quote.ts'
import type { Queryable } from '../../database/database.ts'
import { deleteLayerExtensions } from '../attachment/attachment.ts'
import type { Layer, LayerField, WritableLayer } from '../layer/stored_layer.ts'
import { type Bindings, createBindings } from './bindings.ts'
import { columnTypes } from './column_sql.ts'
import { type FeatureTable, featureTable, findFeatureTable } from './feature_table.ts'
import type { FieldValue } from './field_value.ts'
import { isForeign } from './foreign_table.ts'
import { geometryProblem, transformSql } from './geometry_sql.ts'

/** What is written of one feature. */
export interface FeatureContent {
  /** WKT that fits the layer; null empties the geometry, undefined leaves it. */
  readonly geom: string | null | undefined
  /** Values of the fields that are given. */
  readonly values: ReadonlyMap<LayerField, FieldValue>
}

/** What is written of one feature that is there. */
export interface FeatureChange extends FeatureContent {
  readonly id: number
}

/** Where features are written. */
export interface WriteTarget {
  readonly layer: WritableLayer
  /** EPSG code of the geometries that are given. */
  readonly srs: number
}

/** Adds features in one statement. Fields that are not given are null. Gives the ids, in the same order. */
export async function insertFeatures(
  tx: Queryable,
  { layer, srs }: WriteTarget,
  contents: readonly FeatureContent[],
): Promise<number[]> {
  if (contents.length === 0) return []
  const bindings = createBindings()
  const fields = layer.fields.filter((field) => contents.some(({ values }) => values.has(field)))
  const table = featureTable(layer)
  const columns = [
    { name: table.geom, sql: writtenSql(layer, srs) },
    ...fields.map((one) => columnOf(table, one)),
  ]
  const rows = rowsSql([geometryList(contents), ...valueLists(fields, contents)], bindings)
  // A default is evaluated after the rows are sorted: ids rise in the order of the request.
  const text = `insert into ${table.name} (${columns.map(({ name }) => name).join(', ')})
    select ${columns.map(({ sql }) => sql).join(', ')} from ${rows} order by _place returning ${table.id} as id`
  return (await run(tx, text, bindings)).sort((a, b) => a - b)
}

/**
 * Changes features, those with the same fields in one statement. An id may come once only.
 *
 * @returns the ids of the features that are there
 */
export async function updateFeatures(
  tx: Queryable,
  target: WriteTarget,
  changes: readonly FeatureChange[],
): Promise<Set<number>> {
  const groups = Map.groupBy(changes, shapeOf)
  const found = new Set<number>()
  for (const group of groups.values()) {
    for (const id of await updateGroup(tx, target, group)) found.add(id)
  }
  return found
}

/** Deletes features and all they have beside; gives the ids of those that were there. */
export async function deleteFeatures(
  tx: Queryable,
  layer: WritableLayer,
  ids: readonly number[],
): Promise<Set<number>> {
  const { name, id, condition } = featureTable(layer)
  const bindings = createBindings()
  const text = `delete from ${name} t
    where t.${id} = any(${bindings.bind(ids, 'bigint[]')}) and ${condition} returning t.${id} as id`
  if (isForeign(layer)) return new Set(await run(tx, text, bindings))
  const ofLayer = `layer_id = ${bindings.bind(layer.resourceId, 'int')} and feature_id in (select id from gone)`
  const all = `with gone as (${text}), described as (delete from feature_description where ${ofLayer}),
    attached as (delete from attachment where ${ofLayer}) select id from gone`
  return new Set(await run(tx, all, bindings))
}

/** Deletes all features and all they have beside. */
export async function deleteAllFeatures(tx: Queryable, layer: Layer): Promise<void> {
  const table = findFeatureTable(layer)
  if (table !== undefined) await tx.query(`delete from ${table.name} t where ${table.condition}`)
  if (!isForeign(layer)) await deleteLayerExtensions(tx, layer.resourceId)
}

const columnOf = (table: FeatureTable, field: LayerField) => ({
  name: table.column(field),
  sql: table.value(field, `r.${quoteName(field.columnName)}`),
})

// Changes with the same shape go into one statement.
function shapeOf({ geom, values }: FeatureContent): string {
  const columns = [...values.keys()].map(({ columnName }) => columnName).sort()
  return [geom === undefined ? 'keep' : 'set', ...columns].join()
}

async function updateGroup(
  tx: Queryable,
  { layer, srs }: WriteTarget,
  changes: readonly FeatureChange[],
): Promise<number[]> {
  const bindings = createBindings()
  const [first] = changes
  const fields = layer.fields.filter((field) => first?.values.has(field))
  const ids = { name: '_id', type: 'bigint', items: changes.map(({ id }) => id) }
  const table = featureTable(layer)
  const columns = fields.map((one) => columnOf(table, one))
  if (first?.geom !== undefined) columns.unshift({ name: table.geom, sql: writtenSql(layer, srs) })
  const rows = rowsSql([ids, geometryList(changes), ...valueLists(fields, changes)], bindings)
  const sets = columns.map(({ name, sql }) => `${name} = ${sql}`).join(', ')
  const id = `t.${table.id}`
  // Without anything to change the feature must be there all the same.
  const text =
    sets === ''
      ? `select ${id} as id from ${table.name} t join ${rows} on ${id} = r._id where ${table.condition}`
      : `update ${table.name} t set ${sets} from ${rows} where ${id} = r._id and ${table.condition}
         returning ${id} as id`
  return run(tx, text, bindings)
}

function writtenSql(layer: WritableLayer, srs: number): string {
  return transformSql(`ST_GeomFromText(r._wkt, ${Math.trunc(srs)})`, srs, layer.srs)
}

interface ColumnList {
  readonly name: string
  readonly type: string
  readonly items: readonly unknown[]
}

const geometryList = (contents: readonly FeatureContent[]): ColumnList => ({
  name: '_wkt',
  type: 'text',
  items: contents.map(({ geom }) => geom ?? null),
})

const valueLists = (fields: readonly LayerField[], contents: readonly FeatureContent[]): ColumnList[] =>
  fields.map((field) => ({
    name: quoteName(field.columnName),
    type: columnTypes[field.datatype],
    items: contents.map(({ values }) => values.get(field) ?? null),
  }))

/** Gives a row source `r` out of one list a column, with the `_place` of each row. */
function rowsSql(lists: readonly ColumnList[], bindings: Bindings): string {
  const arrays = lists.map(({ type, items }) => bindings.bind(items, `${type}[]`))
  const names = lists.map(({ name }) => name)
  return `unnest(${arrays.join(', ')}) with ordinality as r(${[...names, '_place'].join(', ')})`
}

/** Runs a statement and gives the ids of its rows: those of foreign tables may be of 64 bits, which come as text. */
async function run(tx: Queryable, text: string, { values }: Bindings): Promise<number[]> {
  try {
    const rows = await tx.query<{ id: number | string }>(text, values)
    return rows.map(({ id }) => Number(id))
  } catch (error) {
    throw geometryProblem(error)
  }
}
