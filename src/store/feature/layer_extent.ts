import type { Queryable } from '../../database/database.ts'
import type { Bbox } from '../../geo/bbox.ts'
import { lonLatBbox } from '../../geo/mercator.ts'
import type { Layer } from '../layer/stored_layer.ts'
import { type FeatureFilter, filterSql } from './feature_filter.ts'
import { createBindings, geometryProblem, type Statement, transformSql } from './feature_sql.ts'
import { featuresSql } from './feature_table.ts'

/** Number of features of a layer, and of those that match a filter. */
export interface FeatureCount {
  readonly total: number
  readonly filtered: number
}

/**
 * Counts the features of a layer, and those that match a filter, in one statement.
 *
 * @throws {Problem} request/invalid for an unknown field or operator, feature/invalid for a value of the wrong type
 */
export async function countFeatures(
  tx: Queryable,
  layer: Layer,
  filter: FeatureFilter = {},
): Promise<FeatureCount> {
  const bindings = createBindings()
  const count = `select count(*) from ${featuresSql(layer)}`
  const condition = filterSql(layer, filter, bindings)
  const filtered = condition === 'true' ? '' : `, (${count} where ${condition}) as filtered`
  const text = `select (${count}) as total${filtered}`
  const [row] = await tx.query<Record<'total' | 'filtered', string>>(text, bindings.values).catch(rethrow)
  const total = Number(row?.total ?? 0)
  return { total, filtered: filtered === '' ? total : Number(row?.filtered ?? 0) }
}

/**
 * Counts the features that match a filter.
 *
 * @throws {Problem} as `countFeatures`
 */
export async function countMatching(tx: Queryable, layer: Layer, filter: FeatureFilter): Promise<number> {
  const bindings = createBindings()
  const condition = filterSql(layer, filter, bindings)
  const text = `select count(*) as count from ${featuresSql(layer)} where ${condition}`
  const [row] = await tx.query<{ count: string }>(text, bindings.values).catch(rethrow)
  return Number(row?.count ?? 0)
}

/**
 * Finds the bounding box, in degrees, of the features that match a filter; undefined without geometry.
 *
 * @throws {Problem} request/invalid for an unknown field or operator, feature/invalid for a value of the wrong type
 */
export function findLayerExtent(
  tx: Queryable,
  layer: Layer,
  filter: FeatureFilter = {},
): Promise<Bbox | undefined> {
  const bindings = createBindings()
  const text = `from ${featuresSql(layer)} where ${filterSql(layer, filter, bindings)}`
  return findExtent(tx, layer, { text, values: bindings.values }).catch(rethrow)
}

// The geometry of a filter may lie outside the reference system of the layer.
function rethrow(error: unknown): never {
  throw geometryProblem(error)
}

/**
 * Finds the bounding box of a feature, in degrees.
 *
 * @returns undefined if the feature does not exist, null if it has no geometry
 */
export async function findFeatureExtent(
  tx: Queryable,
  layer: Layer,
  id: number,
): Promise<Bbox | null | undefined> {
  const from = `from ${featuresSql(layer)} where id = $1::bigint`
  const [row] = await tx.query(`select id ${from}`, [id])
  if (row === undefined) return undefined
  return (await findExtent(tx, layer, { text: from, values: [id] })) ?? null
}

async function findExtent(tx: Queryable, layer: Layer, source: Statement): Promise<Bbox | undefined> {
  // In other reference systems the corners of a box in degrees are not those of the projected box.
  const isPlain = layer.srs === 4326 || layer.srs === 3857
  const geometry = isPlain ? 'geom' : transformSql('geom', layer.srs, 4326)
  const [row] = await tx.query<Record<'minX' | 'minY' | 'maxX' | 'maxY', number | null>>(
    `select ST_XMin(e) as "minX", ST_YMin(e) as "minY", ST_XMax(e) as "maxX", ST_YMax(e) as "maxY"
       from (select ST_Extent(${geometry}) as e ${source.text}) extent`,
    source.values,
  )
  const { minX, minY, maxX, maxY } = row ?? { minX: null }
  if (minX === null || minY == null || maxX == null || maxY == null) return undefined
  const box: Bbox = [minX, minY, maxX, maxY]
  return layer.srs === 3857 ? lonLatBbox(box) : box
}

/** Finds the ids of the features that match a filter, in ascending order. */
export async function findMatchingIds(tx: Queryable, layer: Layer, filter: FeatureFilter): Promise<number[]> {
  const bindings = createBindings()
  const condition = filterSql(layer, filter, bindings)
  const text = `select id from ${featuresSql(layer)} where ${condition} order by id`
  const rows = await tx.query<{ id: number | string }>(text, bindings.values).catch(rethrow)
  return rows.map(({ id }) => Number(id))
}
