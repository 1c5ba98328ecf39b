import { isProblem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import { type Bbox, expandBbox } from '../../geo/bbox.ts'
import { lonLatBbox } from '../../geo/mercator.ts'
import { createBindings } from '../../store/feature/bindings.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import type { TileGrid, TileNear } from './tile_grid.ts'
import { boxSql } from './tile_source.ts'

/** Parts that each side of a box is cut into: a straight line of one reference system is bent in another. */
const parts = 16

/** Degrees that reference systems of degrees differ by at most, with room to spare. */
const mostShift = 0.01

/**
 * Finds where a tile lies in the reference system of a layer; undefined for EPSG:3857 and EPSG:4326, which need no
 * database for that.
 */
export async function findNear(
  database: Queryable,
  { srs }: Layer,
  { box }: TileGrid,
): Promise<TileNear | undefined> {
  if (srs === 3857 || srs === 4326) return undefined
  const rows = await database.query<{ degrees: boolean }>(
    "select proj4text like '%+proj=longlat%' as degrees from spatial_ref_sys where srid = $1::int",
    [srs],
  )
  if (rows[0]?.degrees === true) return { box: expandBbox(lonLatBbox(box), mostShift), isDegrees: true }
  return { box: await findBox(database, srs, box), isDegrees: false }
}

async function findBox(database: Queryable, srs: number, box: Bbox): Promise<Bbox | undefined> {
  const bindings = createBindings()
  const [minX, , maxX] = box
  const edges = `ST_Segmentize(${boxSql(box, 3857, bindings)}, ${bindings.bind((maxX - minX) / parts, 'float8')})`
  const text = `select ST_XMin(b) as a, ST_YMin(b) as b, ST_XMax(b) as c, ST_YMax(b) as d
    from (select ST_Transform(${edges}, ${Math.trunc(srs)}) as b offset 0) moved`
  try {
    const [row] = await database.query<Record<'a' | 'b' | 'c' | 'd', number | null>>(text, bindings.values)
    const found = [row?.a, row?.b, row?.c, row?.d].filter((edge) => Number.isFinite(edge)) as number[]
    const [left, bottom, right, top] = found
    if (left === undefined || bottom === undefined || right === undefined || top === undefined)
      return undefined
    return expandBbox([left, bottom, right, top], Math.max(right - left, top - bottom) / parts)
  } catch (error) {
    // The reference system ends before the tile does.
    if (isProblem(error) && error.data.sqlstate === 'XX000') return undefined
    throw error
  }
}
