import { type GeometryType, geometryParts } from '../../contract/geometry.ts'
import { problem } from '../../contract/problems.ts'
import type { Queryable } from '../../database/database.ts'
import { type KeepRule, keepData } from './kept_data.ts'
import { insertFields } from './layer_field.ts'
import { type NewField, planFields } from './plan_fields.ts'
import { createFeatureTable, finishFeatureTable, newTableName } from './staging_table.ts'
import { findLayers, type Layer, type WritableLayer } from './stored_layer.ts'

/** A layer to create. */
export interface NewLayer {
  readonly resourceId: number
  readonly geometryType: GeometryType
  /** EPSG code. */
  readonly srs: number
  readonly fields: readonly NewField[]
}

/** Creates layers without features, in two statements; the rows of the resources must exist. */
export async function createEmptyLayers(tx: Queryable, layers: readonly NewLayer[]): Promise<void> {
  if (layers.length === 0) return
  await insertLayers(
    tx,
    layers.map((layer) => ({ ...layer, tableName: null })),
  )
  await insertFields(tx, new Map(layers.map(({ resourceId, fields }) => [resourceId, planFields(fields)])))
}

/** Creates the feature table of a layer if it has none. The row of the layer must be locked. */
export async function ensureFeatureTable(tx: Queryable, layer: Layer): Promise<WritableLayer> {
  const { tableName, fields, resourceId } = layer
  if (tableName !== null) return { ...layer, tableName }
  const created = newTableName()
  const columns = fields.map(({ columnName, datatype }) => ({ name: columnName, datatype }))
  await createFeatureTable(tx, created, { ...layer, columns })
  await finishFeatureTable(tx, created)
  await tx.query('update layer set table_name = $2 where resource_id = $1::int', [resourceId, created])
  return { ...layer, tableName: created }
}

/** A row of `layer`. */
export interface LayerRow extends Pick<Layer, 'resourceId' | 'geometryType' | 'srs' | 'tableName'> {}

/** Inserts layers at data version 1. */
export async function insertLayers(tx: Queryable, layers: readonly LayerRow[]): Promise<void> {
  await tx.query(
    `insert into layer (resource_id, geometry_type, srs, table_name)
     select * from unnest($1::int[], $2::text[], $3::int[], $4::text[])`,
    [
      layers.map(({ resourceId }) => resourceId),
      layers.map(({ geometryType }) => geometryType),
      layers.map(({ srs }) => srs),
      layers.map(({ tableName }) => tableName),
    ],
  )
}

/** Replaces the feature table of a layer, and drops the old one. */
export async function exchangeTable(tx: Queryable, old: Layer, next: LayerRow): Promise<void> {
  await tx.query('update layer set geometry_type = $2, table_name = $3 where resource_id = $1::int', [
    next.resourceId,
    next.geometryType,
    next.tableName,
  ])
  if (old.tableName !== null) await tx.query(`drop table ${old.tableName}`)
}

/** Sets the version of the data of a new layer. */
export async function writeDataVersion(tx: Queryable, id: number, dataVersion: number): Promise<void> {
  await tx.query('update layer set data_version = $2::int where resource_id = $1::int', [id, dataVersion])
}

/** Keeps the data of layers about to be deleted, or drops their tables; other ids are ignored. */
export async function removeLayerTables(
  tx: Queryable,
  ids: readonly number[],
  rule: KeepRule,
): Promise<void> {
  // Writers lock the layer before its table. Locking in the same order avoids a deadlock.
  await tx.query('select from layer where resource_id = any($1::int[]) order by resource_id for update', [
    ids,
  ])
  const layers = [...(await findLayers(tx, ids)).values()]
  const kept = await keepData(tx, layers, rule)
  const names = layers.flatMap(({ resourceId, tableName }) => (kept.has(resourceId) ? [] : (tableName ?? [])))
  if (names.length > 0) await tx.query(`drop table ${names.join(', ')}`)
}

/**
 * Changes the geometry type of a layer within its family: to multi or single, with or without Z.
 *
 * @throws {Problem} request/invalid for another family, or if features with several parts would become single
 */
export async function changeGeometryType(tx: Queryable, layer: Layer, next: GeometryType): Promise<void> {
  const { resourceId, geometryType, srs, tableName } = layer
  if (geometryType === next) return
  const from = geometryParts(geometryType)
  const to = geometryParts(next)
  if (from.family !== to.family) {
    throw problem('request/invalid', `a ${geometryType} layer cannot be changed to ${next}`)
  }
  await tx.query('update layer set geometry_type = $2 where resource_id = $1::int', [resourceId, next])
  if (tableName === null) return
  if (from.isMulti && !to.isMulti) await requireSingleParts(tx, tableName)
  let geometry = to.hasZ === from.hasZ ? 'geom' : `${to.hasZ ? 'ST_Force3D' : 'ST_Force2D'}(geom)`
  if (to.isMulti && !from.isMulti) geometry = `ST_Multi(${geometry})`
  if (from.isMulti && !to.isMulti) geometry = `ST_GeometryN(${geometry}, 1)`
  await tx.query(`alter table ${tableName} alter geom type geometry(${next}, ${srs}) using ${geometry}`)
}

async function requireSingleParts(tx: Queryable, tableName: string): Promise<void> {
  const rows = await tx.query<{ id: number; count: number }>(
    `select id, ST_NumGeometries(geom) as count from ${tableName} where ST_NumGeometries(geom) <> 1 order by id limit 3`,
  )
  if (rows.length === 0) return
  const examples = rows.map(({ id, count }) => `feature ${id} has ${count}`)
  throw problem('request/invalid', `some features do not have exactly one part: ${examples.join(', ')}`)
}
