import type { Queryable } from '../../database/database.ts'
import type { Bbox } from '../../geo/bbox.ts'
import { mergeBoxes } from '../../geo/merge_boxes.ts'
import { idsSql, joinedIdsSql, mergeFeatures } from './changed_features.ts'

/** Where the features of a layer changed after one version of its data, up to another. */
export interface LayerChange {
  readonly since: number
  readonly version: number
  /** Four edges of each box, in the reference system of the layer; null for the whole layer. */
  readonly boxes: readonly number[] | null
}

/** The version of the data of a layer, and what is known of its last changes. */
export interface ChangedLayer {
  readonly dataVersion: number
  /** Ordered by version. A version without a change changed the whole layer. */
  readonly changes: readonly LayerChange[]
}

/** Maximum number of boxes of a version. */
const maxBoxes = 64

/** Number of versions whose changes are kept apart; older ones are merged into one change. */
const maxVersions = 16

/** Number of versions after which changes are merged. */
const mergeInterval = 32

/** Parts along each side of the extent of the changes of a statement, each of which has one box. */
const partsAlong = 4

/**
 * Returns a common table expression that records the boxes of changed features, and their ids, in the transaction that changes them. The data
 * version must have been incremented before.
 *
 * @param layerId SQL of the id of the layer
 * @param rows names of row sets with the geometries of features before or after the change, as `geom`
 * @param changed name of a row set with the `id` of each
 */
export function recordingSql(layerId: string, rows: readonly string[], changed: string): string {
  const edges = ['X', 'Y'].map((axis) => `ST_${axis}Min(box) as min${axis}, ST_${axis}Max(box) as max${axis}`)
  const part = ['X', 'Y'].map((axis) => {
    const center = `(min${axis} + max${axis})`
    const [first, last] = [`min(${center}) over ()`, `max(${center}) over ()`]
    return `floor(${partsAlong} * (${center} - ${first}) / nullif(${last} - ${first}, 0)) as part${axis}`
  })
  return `recorded as (
    insert into layer_change as known (layer_id, version, since, boxes, ids)
    select resource_id, data_version, data_version - 1,
        array(select unnest(array[min(minX), min(minY), max(maxX), max(maxY)])
          from (select *, ${part.join(', ')}
            from (select ${edges.join(', ')} from (
              ${rows.map((name) => `select box2d(geom) as box from ${name}`).join(' union all ')}) boxes) sides
            where minX is not null) parts
          group by partX, partY),
        ${idsSql(changed)}
      from layer where resource_id = ${layerId}
    on conflict (layer_id, version) do update
      set boxes = case when cardinality(known.boxes) + cardinality(excluded.boxes) <= ${4 * maxBoxes}
        then known.boxes || excluded.boxes end,
        ids = ${joinedIdsSql('known.ids', 'excluded.ids')})`
}

/** Records that the whole layer changed, after its data version was incremented. */
export async function recordWholeChange(tx: Queryable, layerId: number): Promise<void> {
  await tx.query(
    `insert into layer_change (layer_id, version, since)
     select resource_id, data_version, data_version - 1 from layer where resource_id = $1::int
     on conflict (layer_id, version) do update set boxes = null, ids = null`,
    [layerId],
  )
}

/** SQL of the changes of layer `l`, as JSON. */
export const changesSql = `(select coalesce(json_agg(json_build_object('since', c.since, 'version', c.version, 'boxes', c.boxes)
    order by c.version), '[]') from layer_change c where c.layer_id = l.resource_id)`

/** Merges the older changes of a layer from time to time, so that their number is bounded. */
export async function mergeOldChanges(tx: Queryable, layerId: number, dataVersion: number): Promise<void> {
  if (dataVersion % mergeInterval !== 0) return
  const values = [layerId, dataVersion - maxVersions]
  const old = 'from layer_change where layer_id = $1::int and version <= $2::int'
  const changes = await tx.query<LayerChange & { readonly ids: readonly number[] | null }>(
    `select since, version, to_json(boxes) as boxes, to_json(ids) as ids ${old} order by version`,
    values,
  )
  const merged = mergeChanges(changes)
  await tx.query(`delete ${old}`, values)
  if (merged === undefined) return
  const { version, since, boxes } = merged
  const ids = mergeFeatures(changes.filter((one) => one.version > since))
  await tx.query(
    `insert into layer_change (layer_id, version, since, boxes, ids)
     values ($1::int, $2::int, $3::int, $4::float8[], $5::bigint[])`,
    [layerId, version, since, boxes, ids],
  )
}

/** Merges changes, ordered by version, into one: those after the last change of the whole layer; undefined if there are none. */
export function mergeChanges(changes: readonly LayerChange[]): LayerChange | undefined {
  const last = changes.at(-1)
  if (last === undefined) return undefined
  const { since, boxes } = collectChanges({ dataVersion: last.version, changes }, -Infinity)
  if (since === last.version) return undefined
  return { since, version: last.version, boxes: mergeBoxes(boxes, maxBoxes).flat() }
}

/**
 * Returns the boxes in which the features of a layer changed after a version, in its reference system; undefined if the whole
 * layer may have changed.
 */
export function findChangesSince(layer: ChangedLayer, version: number): Bbox[] | undefined {
  const { since, boxes } = collectChanges(layer, version)
  return since <= version ? boxes : undefined
}

/** Collects changes from the newest one back to a version, or to the last change of the whole layer. */
function collectChanges({ dataVersion, changes }: ChangedLayer, version: number) {
  let since = dataVersion
  const boxes: Bbox[] = []
  for (const change of changes.toReversed()) {
    if (since <= version) break
    if (change.version > dataVersion) continue
    // Coordinates that are not finite numbers are strings in JSON.
    if (change.version !== since || !change.boxes?.every(Number.isFinite)) break
    for (let at = 0; at < change.boxes.length; at += 4)
      boxes.push(change.boxes.slice(at, at + 4) as unknown as Bbox)
    since = change.since
  }
  return { since, boxes }
}
