import { problem } from '../../contract/problems.ts'
import { quoteName } from '../../core/sql_quote.ts'
import { findHint } from '../../core/suggest.ts'
import type { Queryable } from '../../database/database.ts'
import { type ExtensionName, extensionSql } from '../attachment/attachment_json.ts'
import type { Layer, LayerField } from '../layer/stored_layer.ts'
import { type Bindings, createBindings, type Statement } from './bindings.ts'
import { type FeatureFilter, filterSql, isEmptyFilter } from './feature_filter.ts'
import { featuresSql } from './feature_table.ts'
import { isForeign } from './foreign_table.ts'
import { transformSql } from './geometry_sql.ts'
import {
  geometrySql,
  type JsonMember,
  type JsonSql,
  type MomentFormat,
  objectSql,
  valueSql,
} from './json_sql.ts'
import type { PageMark } from './page_marks.ts'

/** What of a feature is read, and how it is written. */
export interface FeatureForm {
  readonly geom: boolean
  readonly geomFormat: 'wkt' | 'geojson'
  /** EPSG code of the geometries. */
  readonly srs: number
  readonly momentFormat: MomentFormat
  /** Keynames of the fields; all where undefined, and names that the layer does not have do not matter. */
  readonly fields: readonly string[] | undefined
  readonly extensions: readonly ExtensionName[]
}

/** Which features are listed, in which order. */
export interface FeatureSelection {
  readonly form: FeatureForm
  readonly filter: FeatureFilter
  /** Keynames or `id`, with `-` before those that go down. */
  readonly orderBy: readonly string[]
  readonly limit: number | undefined
  readonly offset: number | undefined
  /** Where to begin in the place of the first feature, as long as it holds; only without filter and order. */
  readonly mark?: PageMark | undefined
}

/**
 * Gives the statement that lists features, each as one JSON text.
 *
 * @throws {Problem} request/invalid for an unknown field or operator, feature/invalid for a value of another type
 */
export function listStatement(layer: Layer, selection: FeatureSelection): Statement {
  const bindings = createBindings()
  const { limit } = selection
  const { condition, offset } = beginningSql(layer, selection, bindings)
  // Sorting comes first and writing last: the first feature leaves before the last one is written.
  const sorted = `select * from ${featuresSql(layer)}
    where ${condition} order by ${orderSql(layer, selection.orderBy)}
    ${limit === undefined ? '' : `limit ${bindings.bind(limit, 'bigint')}`} ${offset}`
  const text = `select ${featureSql(layer, selection.form, bindings)} as feature from (${sorted}) sorted`
  return { text, values: bindings.values }
}

/**
 * Gives what a list begins with. In the order of ids, the features before it are passed in the index alone, where their
 * rows would have to be read from the table: from a mark if it holds at the moment of the statement, else from the first
 * feature.
 */
function beginningSql(
  layer: Layer,
  selection: FeatureSelection,
  bindings: Bindings,
): { readonly condition: string; readonly offset: string } {
  const { filter, offset, mark } = selection
  const condition = filterSql(layer, filter, bindings)
  if (offset === undefined || offset === 0) return { condition, offset: '' }
  if (!isPassedByIndex(layer, selection))
    return { condition, offset: `offset ${bindings.bind(offset, 'bigint')}` }
  const { from, passed } = passedSql(layer, { offset, mark }, bindings)
  const first = `select id from ${featuresSql(layer)} where ${from} order by id limit 1 offset ${passed}`
  return { condition: `id >= (${first})`, offset: '' }
}

/** Tells whether a list is in the order of ids and leaves nothing out; tables elsewhere may have no index. */
export function isPassedByIndex(
  layer: Layer,
  { filter, orderBy }: Pick<FeatureSelection, 'filter' | 'orderBy'>,
): boolean {
  return !isForeign(layer) && isEmptyFilter(filter) && orderBy.every((item) => item === 'id')
}

/** Gives where the passing begins, and how many features are passed from there. */
function passedSql(
  layer: Layer,
  { offset, mark }: { readonly offset: number } & Pick<FeatureSelection, 'mark'>,
  bindings: Bindings,
): { readonly from: string; readonly passed: string } {
  if (mark === undefined) return { from: 'true', passed: bindings.bind(offset, 'bigint') }
  const holds = `(select data_version = ${bindings.bind(mark.version, 'int')}
    from layer where resource_id = ${bindings.bind(layer.resourceId, 'int')})`
  const choose = (marked: number, plain: number) =>
    `(select case when ${holds} then ${bindings.bind(marked, 'bigint')} else ${bindings.bind(plain, 'bigint')} end)`
  return { from: `id >= ${choose(mark.id, lowestId)}`, passed: choose(offset - mark.offset, offset) }
}

/** Finds the id of the last of so many features, in the order of ids; undefined where there are fewer. */
export async function findPartEnd(
  tx: Queryable,
  layer: Layer,
  { filter, size }: { readonly filter: FeatureFilter; readonly size: number },
): Promise<number | undefined> {
  const bindings = createBindings()
  const condition = filterSql(layer, filter, bindings)
  const text = `select id from ${featuresSql(layer)} where ${condition}
    order by id limit 1 offset ${bindings.bind(size - 1, 'bigint')}`
  const [row] = await tx.query<{ id: number }>(text, bindings.values)
  return row?.id
}

const lowestId = -(2 ** 31)

/** Finds one feature as JSON text. */
export async function findFeature(
  tx: Queryable,
  layer: Layer,
  { id, form }: { readonly id: number; readonly form: FeatureForm },
): Promise<string | undefined> {
  const bindings = createBindings()
  const text = `select ${featureSql(layer, form, bindings)} as feature
    from (select * from ${featuresSql(layer)} where id = ${bindings.bind(id, 'bigint')}) sorted`
  const [row] = await tx.query<{ feature: string }>(text, bindings.values)
  return row?.feature
}

/** Gives the values of some fields as members of a JSON object. */
export function fieldMembers(fields: readonly LayerField[], format: MomentFormat): JsonMember[] {
  return fields.map((field) => [field.keyname, valueSql(field, format)])
}

function featureSql(layer: Layer, form: FeatureForm, bindings: Bindings): JsonSql {
  const wanted = form.fields
  const fields = layer.fields.filter(({ keyname }) => wanted === undefined || wanted.includes(keyname))
  const geometry = geometrySql(transformSql('geom', layer.srs, form.srs), form.geomFormat)
  return objectSql(bindings, [
    ['id', 'id'],
    ...(form.geom ? [['geom', geometry] as const] : []),
    ['fields', fieldMembers(fields, form.momentFormat)],
    ['extensions', extensionMembers(layer, form.extensions, bindings)],
  ])
}

// Layers of another database have none: what features have beside stands in ours.
function extensionMembers(layer: Layer, names: readonly ExtensionName[], bindings: Bindings): JsonMember[] {
  const place = { layerId: layer.resourceId, featureId: 'sorted.id' }
  const isOurs = !isForeign(layer)
  return names.map((name) => [name, isOurs ? extensionSql(name, place, bindings) : { text: 'null' }])
}

// Ends with the id, so that pages never overlap.
function orderSql(layer: Layer, orderBy: readonly string[]): string {
  const columns = new Map(layer.fields.map((field) => [field.keyname, quoteName(field.columnName)]))
  columns.set('id', 'id')
  const items = orderBy.map((item) => {
    // A plus of a query string has become a blank.
    const name = item.replace(/^[-+ ]/, '')
    const column = columns.get(columns.has(item) ? item : name)
    if (column !== undefined) return item.startsWith('-') && !columns.has(item) ? `${column} desc` : column
    const hint = findHint(name, [...columns.keys()])
    throw problem('request/invalid', `order_by: the layer has no field "${name}"`, { hint })
  })
  return [...items, 'id'].join(', ')
}
