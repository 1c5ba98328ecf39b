import { problem } from '../../contract/problems.ts'
import { quoteName } from '../../core/sql_quote.ts'
import { findHint } from '../../core/suggest.ts'
import type { Queryable } from '../../database/database.ts'
import { type ExtensionName, extensionSql } from '../attachment/attachment_json.ts'
import type { Layer, LayerField } from '../layer/stored_layer.ts'
import { type FeatureFilter, filterSql, isEmptyFilter } from './feature_filter.ts'
import {
  type Bindings,
  createBindings,
  geometrySql,
  type JsonMember,
  type JsonSql,
  objectSql,
  type Statement,
  type TemporalFormat,
  transformSql,
  valueSql,
} from './feature_sql.ts'
import { featuresSql, isForeign } from './feature_table.ts'
import type { PageMark } from './page_marks.ts'

/** Parts of a feature to read, and their formats. */
export interface FeatureFormat {
  readonly geom: boolean
  readonly geomFormat: 'wkt' | 'geojson'
  /** EPSG code of the geometries. */
  readonly srs: number
  readonly temporalFormat: TemporalFormat
  /** Keynames of the fields; undefined for all. Unknown names are ignored. */
  readonly fields: readonly string[] | undefined
  readonly extensions: readonly ExtensionName[]
}

/** Selection and order of listed features. */
export interface FeatureSelection extends FeaturePage {
  readonly format: FeatureFormat
  readonly filter: FeatureFilter
  readonly orderBy: readonly string[]
}

/**
 * Returns the statement that lists features, each as JSON text.
 *
 * @throws {Problem} request/invalid for an unknown field or operator, feature/invalid for a value of the wrong type
 */
export function listStatement(layer: Layer, selection: FeatureSelection): Statement {
  const bindings = createBindings()
  const sorted = selectedSql(layer, selection, bindings)
  const text = `select ${featureSql(layer, selection.format, bindings)} as feature from ${sorted}`
  return { text, values: bindings.values }
}

/** Order and page of features. */
export interface FeaturePage {
  /** Keynames or `id`, with `-` for descending order; ids decide between equal values. */
  readonly orderBy?: readonly string[] | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  /** Mark to start from if it is current; only without filter and order. */
  readonly mark?: PageMark | undefined
}

/**
 * Returns the `from` item of selected features in order, with the columns of the layer's table. Sorts in a subquery, so
 * that features are written while they are sent, not before the sort.
 */
export function selectedSql(
  layer: Layer,
  selection: FeaturePage & { readonly filter: FeatureFilter },
  bindings: Bindings,
): string {
  const { limit, orderBy = [] } = selection
  const { condition, offset } = startSql(layer, { ...selection, orderBy }, bindings)
  const end = limit === undefined ? '' : `limit ${bindings.bind(limit, 'bigint')}`
  return `(select * from ${featuresSql(layer)} where ${condition}
    order by ${orderSql(layer, orderBy)} ${end} ${offset}) sorted`
}

/**
 * Returns the start of a list. In the order of ids, preceding features are skipped by an index-only scan instead of
 * reading their rows: from the mark if it is current when the statement runs, else from the first feature.
 */
function startSql(
  layer: Layer,
  selection: Pick<FeatureSelection, 'filter' | 'orderBy' | 'mark'> & FeaturePage,
  bindings: Bindings,
): { readonly condition: string; readonly offset: string } {
  const { filter, offset, mark } = selection
  const condition = filterSql(layer, filter, bindings)
  if (offset === undefined || offset === 0) return { condition, offset: '' }
  if (!canSkipByIndex(layer, selection))
    return { condition, offset: `offset ${bindings.bind(offset, 'bigint')}` }
  const { from, skipped } = skipSql(layer, { offset, mark }, bindings)
  const first = `select id from ${featuresSql(layer)} where ${from} order by id limit 1 offset ${skipped}`
  return { condition: `id >= (${first})`, offset: '' }
}

/** Returns whether a list is unfiltered and ordered by id; foreign tables may have no index. */
export function canSkipByIndex(
  layer: Layer,
  { filter, orderBy }: Pick<FeatureSelection, 'filter' | 'orderBy'>,
): boolean {
  return !isForeign(layer) && isEmptyFilter(filter) && orderBy.every((item) => item === 'id')
}

/** Returns where skipping starts, and how many features are skipped from there. */
function skipSql(
  layer: Layer,
  { offset, mark }: { readonly offset: number } & Pick<FeatureSelection, 'mark'>,
  bindings: Bindings,
): { readonly from: string; readonly skipped: string } {
  if (mark === undefined) return { from: 'true', skipped: bindings.bind(offset, 'bigint') }
  const isCurrent = `(select data_version = ${bindings.bind(mark.version, 'int')}
    from layer where resource_id = ${bindings.bind(layer.resourceId, 'int')})`
  const choose = (marked: number, plain: number) =>
    `(select case when ${isCurrent} then ${bindings.bind(marked, 'bigint')} else ${bindings.bind(plain, 'bigint')} end)`
  return { from: `id >= ${choose(mark.id, lowestId)}`, skipped: choose(offset - mark.offset, offset) }
}

/** Finds the id of the last of `size` features in the order of ids; undefined if there are fewer. */
export async function findBatchEnd(
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

/** Finds a feature as JSON text. */
export async function findFeature(
  tx: Queryable,
  layer: Layer,
  { id, format }: { readonly id: number; readonly format: FeatureFormat },
): Promise<string | undefined> {
  const bindings = createBindings()
  const text = `select ${featureSql(layer, format, bindings)} as feature
    from (select * from ${featuresSql(layer)} where id = ${bindings.bind(id, 'bigint')}) sorted`
  const [row] = await tx.query<{ feature: string }>(text, bindings.values)
  return row?.feature
}

/** Returns the values of fields as members of a JSON object. */
export function fieldMembers(fields: readonly LayerField[], format: TemporalFormat): JsonMember[] {
  return fields.map((field) => [field.keyname, valueSql(field, format)])
}

function featureSql(layer: Layer, format: FeatureFormat, bindings: Bindings): JsonSql {
  const wanted = format.fields
  const fields = layer.fields.filter(({ keyname }) => wanted === undefined || wanted.includes(keyname))
  const geometry = geometrySql(transformSql('geom', layer.srs, format.srs), format.geomFormat)
  return objectSql(bindings, [
    ['id', 'id'],
    ...(format.geom ? [['geom', geometry] as const] : []),
    ['fields', fieldMembers(fields, format.temporalFormat)],
    ['extensions', extensionMembers(layer, format.extensions, bindings)],
  ])
}

// Features in other databases have no extensions: attachments and descriptions are stored with local features.
function extensionMembers(layer: Layer, names: readonly ExtensionName[], bindings: Bindings): JsonMember[] {
  const place = { layerId: layer.resourceId, featureId: 'sorted.id' }
  const isLocal = !isForeign(layer)
  return names.map((name) => [name, isLocal ? extensionSql(name, place, bindings) : { text: 'null' }])
}

// Appends the id, so that pages never overlap.
function orderSql(layer: Layer, orderBy: readonly string[]): string {
  const columns = new Map(layer.fields.map((field) => [field.keyname, quoteName(field.columnName)]))
  columns.set('id', 'id')
  const items = orderBy.map((item) => {
    // A plus sign in a query string is decoded as a space.
    const name = item.replace(/^[-+ ]/, '')
    const column = columns.get(columns.has(item) ? item : name)
    if (column !== undefined) return item.startsWith('-') && !columns.has(item) ? `${column} desc` : column
    const hint = findHint(name, [...columns.keys()])
    throw problem('request/invalid', `order_by: the layer has no field "${name}"`, { hint })
  })
  return [...items, 'id'].join(', ')
}
