import { quoteName } from '../../core/sql_quote.ts'
import type { Queryable } from '../../database/database.ts'
import { deleteLayerExtensions } from '../attachment/attachment.ts'
import { recordingSql, recordWholeChange } from '../layer/layer_change.ts'
import { findLayers, type Layer, type LayerField, type WritableLayer } from '../layer/stored_layer.ts'
import { type Bindings, columnTypes, createBindings, geometryProblem, transformSql } from './feature_sql.ts'
import { type FeatureTable, featureTable, findFeatureTable, isForeign } from './feature_table.ts'
import type { FieldValue } from './field_value.ts'

/** Geometry and values of a feature to write. */
export interface FeatureContent {
  /** WKT of the layer's geometry type; null clears the geometry, undefined keeps it. */
  readonly geom: string | null | undefined
  /** Values of the fields to write. */
  readonly values: ReadonlyMap<LayerField, FieldValue>
}

/** Geometry and values of an existing feature to write. */
export interface FeatureChange extends FeatureContent {
  readonly id: number
}

/** Layer to write to. */
export interface WriteTarget {
  readonly layer: WritableLayer
  /** EPSG code of the written geometries. */
  readonly srs: number
}

/** Inserts features in one statement. Omitted fields are null. Returns the ids, in the same order. */
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
    { name: table.geom, sql: writtenGeometrySql(layer, srs) },
    ...fields.map((one) => columnOf(table, one)),
  ]
  const rows = rowsSql([geometryList(contents), ...valueLists(fields, contents)], bindings)
  // Defaults are evaluated after sorting, so ids increase in the order of the request.
  const text = `insert into ${table.name} as t (${columns.map(({ name }) => name).join(', ')})
    select ${columns.map(({ sql }) => sql).join(', ')} from ${rows} order by _place`
  return (await run(tx, recorded({ layer, bindings }, text), bindings)).sort((a, b) => a - b)
}

/**
 * Updates features, with one statement for all that set the same columns. Ids must be unique. Values that are stored already are not
 * written again, except to another database.
 *
 * @returns whether the features that exist were changed, by id
 */
export async function updateFeatures(
  tx: Queryable,
  target: WriteTarget,
  changes: readonly FeatureChange[],
): Promise<Map<number, boolean>> {
  const groups = Map.groupBy(changes, columnSetOf)
  const found = new Map<number, boolean>()
  for (const group of groups.values()) {
    for (const [id, isChanged] of await updateGroup(tx, target, group)) found.set(id, isChanged)
  }
  return found
}

/** Deletes features with their attachments and descriptions; returns the ids of those that existed. */
export async function deleteFeatures(
  tx: Queryable,
  layer: WritableLayer,
  ids: readonly number[],
): Promise<Set<number>> {
  const { name, id, condition } = featureTable(layer)
  const bindings = createBindings()
  const text = `delete from ${name} t
    where t.${id} = any(${bindings.bind(ids, 'bigint[]')}) and ${condition}`
  if (isForeign(layer)) return new Set(await run(tx, `${text} returning t.${id} as id`, bindings))
  const layerId = bindings.bind(layer.resourceId, 'int')
  const ofLayer = `layer_id = ${layerId} and feature_id in (select id from deleted)`
  const all = `with deleted as (${text} returning t.id, t.geom), ${recordingSql(layerId, ['deleted'], 'deleted')},
    described as (delete from feature_description where ${ofLayer}),
    attached as (delete from attachment where ${ofLayer}) select id from deleted`
  return new Set(await run(tx, all, bindings))
}

/**
 * Deletes all features with their attachments and descriptions; returns whether there were any.
 *
 * @param beforeLoss called before features are deleted
 */
export async function deleteAllFeatures(
  tx: Queryable,
  layer: Layer,
  beforeLoss?: () => Promise<void>,
): Promise<boolean> {
  const table = findFeatureTable(layer)
  if (table === undefined) return false
  const from = `from ${table.name} t where ${table.condition}`
  if (await isEmpty(tx, table)) return false
  await beforeLoss?.()
  await tx.query(`delete ${from}`)
  if (isForeign(layer)) return true
  await recordWholeChange(tx, layer.resourceId)
  await deleteLayerExtensions(tx, layer.resourceId)
  return true
}

async function isEmpty(tx: Queryable, { name, condition }: FeatureTable): Promise<boolean> {
  const [found] = await tx.query<{ any: boolean }>(
    `select exists (select from ${name} t where ${condition}) as any`,
  )
  return found?.any !== true
}

/** Finds which of some layers have no features. */
export async function findEmptyLayers(tx: Queryable, ids: readonly number[]): Promise<Set<number>> {
  const empty = new Set<number>()
  if (ids.length === 0) return empty
  for (const [id, layer] of await findLayers(tx, ids)) {
    const table = findFeatureTable(layer)
    if (table === undefined || (await isEmpty(tx, table))) empty.add(id)
  }
  return empty
}

/** What a statement writes. */
interface Written {
  readonly layer: WritableLayer
  readonly bindings: Bindings
}

/** Returns a statement that runs an insert into table `t`, records where it changed the layer, and selects the ids of the rows. */
function recorded({ layer, bindings }: Written, statement: string): string {
  const { id } = featureTable(layer)
  if (isForeign(layer)) return `${statement} returning t.${id} as id`
  const layerId = bindings.bind(layer.resourceId, 'int')
  return `with written as (${statement} returning t.id, t.geom),
    ${recordingSql(layerId, ['written'], 'written')} select id from written`
}

const columnOf = (table: FeatureTable, field: LayerField) => ({
  name: table.column(field),
  sql: table.value(field, `r.${quoteName(field.columnName)}`),
})

// Identifies the columns that a change sets.
function columnSetOf({ geom, values }: FeatureContent): string {
  const columns = [...values.keys()].map(({ columnName }) => columnName).sort()
  return [geom === undefined ? 'keep' : 'set', ...columns].join()
}

async function updateGroup(
  tx: Queryable,
  { layer, srs }: WriteTarget,
  changes: readonly FeatureChange[],
): Promise<Map<number, boolean>> {
  const bindings = createBindings()
  const [first] = changes
  const fields = layer.fields.filter((field) => first?.values.has(field))
  const ids = { name: '_id', type: 'bigint', items: changes.map(({ id }) => id) }
  const table = featureTable(layer)
  const columns = fields.map((one) => columnOf(table, one))
  if (first?.geom !== undefined) columns.unshift({ name: table.geom, sql: writtenGeometrySql(layer, srs) })
  const rows = rowsSql([ids, geometryList(changes), ...valueLists(fields, changes)], bindings)
  const sets = columns.map(({ name, sql }) => `${name} = ${sql}`).join(', ')
  const id = `t.${table.id}`
  // Without anything to set, only the existence of the features is checked.
  if (sets === '') {
    const text = `select ${id} as id from ${table.name} t join ${rows} on ${id} = r._id where ${table.condition}`
    return new Map((await run(tx, text, bindings)).map((one) => [one, false]))
  }
  const text = `update ${table.name} t set ${sets} from ${rows} where ${id} = r._id and ${table.condition}`
  if (isForeign(layer)) {
    const written = await run(tx, `${text} returning ${id} as id`, bindings)
    return new Map(written.map((one) => [one, true]))
  }
  const differs = columns.map(({ name, sql }) => differsSql(name, sql, name === table.geom))
  const found = `select id, geom from ${table.name} where id = any(${bindings.bind(ids.items, 'bigint[]')})`
  const layerId = bindings.bind(layer.resourceId, 'int')
  const all = `with written as (${text} and (${differs.join(' or ')}) returning t.id, t.geom),
    found as (${found}), before as (select geom from found where id in (select id from written)),
    ${recordingSql(layerId, ['before', 'written'], 'written')}
    select f.id, w.id is not null as "isChanged" from found f left join written w using (id)`
  const rowsFound = await runRows<{ id: number; isChanged: boolean }>(tx, all, bindings)
  return new Map(rowsFound.map((row) => [row.id, row.isChanged]))
}

/** Tells whether a column of table `t` has another value. Geometries are compared exactly, with Z and empty parts. */
function differsSql(name: string, sql: string, isGeometry: boolean): string {
  const bytes = (value: string) => (isGeometry ? `ST_AsEWKB(${value})` : value)
  return `${bytes(`t.${name}`)} is distinct from ${bytes(sql)}`
}

function writtenGeometrySql(layer: WritableLayer, srs: number): string {
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

/** Returns a row source `r` with one column per list, and the position of each row as `_place`. */
function rowsSql(lists: readonly ColumnList[], bindings: Bindings): string {
  const arrays = lists.map(({ type, items }) => bindings.bind(items, `${type}[]`))
  const names = lists.map(({ name }) => name)
  return `unnest(${arrays.join(', ')}) with ordinality as r(${[...names, '_place'].join(', ')})`
}

/** Runs a statement and returns the ids of its rows. Ids of foreign tables may have 64 bits and arrive as strings. */
async function run(tx: Queryable, text: string, bindings: Bindings): Promise<number[]> {
  const rows = await runRows<{ id: number | string }>(tx, text, bindings)
  return rows.map(({ id }) => Number(id))
}

async function runRows<Row extends object>(
  tx: Queryable,
  text: string,
  { values }: Bindings,
): Promise<readonly Row[]> {
  try {
    return await tx.query<Row>(text, values)
  } catch (error) {
    throw geometryProblem(error)
  }
}
