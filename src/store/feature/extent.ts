import type { Queryable } from '../../database/database.ts'
import type { Bbox } from '../../geo/bbox.ts'
import { lonLatBbox } from '../../geo/mercator.ts'
import type { Layer } from '../layer.ts'
import { transformSql } from './geometry.ts'
import { featuresSql } from './source.ts'

/** Counts the features of a layer. */
export async function countFeatures(tx: Queryable, layer: Layer): Promise<number> {
  const [row] = await tx.query<{ count: string }>(`select count(*) from ${featuresSql(layer)}`)
  return Number(row?.count ?? 0)
}

/** Finds the box around all features, in degrees; undefined where there is no geometry. */
export function findLayerExtent(tx: Queryable, layer: Layer): Promise<Bbox | undefined> {
  return findExtent(tx, layer, { text: `from ${featuresSql(layer)}`, values: [] })
}

/**
 * Finds the box around one feature, in degrees.
 *
 * @returns undefined where there is no such feature, null where it has no geometry
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

interface Source {
  readonly text: string
  readonly values: readonly unknown[]
}

async function findExtent(tx: Queryable, layer: Layer, source: Source): Promise<Bbox | undefined> {
  // Those of other reference systems have no box whose corners are corners in degrees.
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
