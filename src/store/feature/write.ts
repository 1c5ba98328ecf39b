import type { Queryable } from '../../database/database.ts'
import type { Layer, LayerField, WritableLayer } from '../layer.ts'
import { type Bindings, createBindings, quoteName } from './binding.ts'
import { columnTypes } from './column.ts'
import { geometryProblem, transformSql } from './geometry.ts'
import type { FieldValue } from './value.ts'

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
  const columns = [{ name: 'geom', sql: writtenSql(layer, srs) }, ...fields.map(columnOf)]
  const rows = rowsSql([geometryList(contents), ...valueLists(fields, contents)], bindings)
  // A default is evaluated after the rows are sorted: ids rise in the order of the request.
  const text = `insert into ${quoteName(layer.tableName)} (${columns.map(({ name }) => name).join(', ')})
    select ${columns.map(({ sql }) => sql).join(', ')} from ${rows} order by _place returning id`
  const found = await run<{ id: number }>(tx, text, bindings)
  return found.map(({ id }) => id).sort((a, b) => a - b)
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

/** Deletes features; gives the ids of those that were there. */
export async function deleteFeatures(
  tx: Queryable,
  layer: WritableLayer,
  ids: readonly number[],
): Promise<Set<number>> {
  const rows = await tx.query<{ id: number }>(
    `delete from ${quoteName(layer.tableName)} where id = any($1::bigint[]) returning id`,
    [ids],
  )
  return new Set(rows.map(({ id }) => id))
}

/** Deletes all features. */
export async function deleteAllFeatures(tx: Queryable, { tableName }: Layer): Promise<void> {
  if (tableName !== null) await tx.query(`delete from ${quoteName(tableName)}`)
}

const columnOf = (field: LayerField) => {
  const name = quoteName(field.columnName)
  return { name, sql: `r.${name}` }
}

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
  const columns = fields.map(columnOf)
  if (first?.geom !== undefined) columns.unshift({ name: 'geom', sql: writtenSql(layer, srs) })
  const rows = rowsSql([ids, geometryList(changes), ...valueLists(fields, changes)], bindings)
  const sets = columns.map(({ name, sql }) => `${name} = ${sql}`).join(', ')
  const table = quoteName(layer.tableName)
  // Without anything to change the feature must be there all the same.
  const text =
    sets === ''
      ? `select t.id from ${table} t join ${rows} on t.id = r._id`
      : `update ${table} t set ${sets} from ${rows} where t.id = r._id returning t.id`
  return (await run<{ id: number }>(tx, text, bindings)).map(({ id }) => id)
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

async function run<R extends object>(tx: Queryable, text: string, { values }: Bindings): Promise<R[]> {
  try {
    return await tx.query<R>(text, values)
  } catch (error) {
    throw geometryProblem(error)
  }
}
