import { isProblem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import { type Bbox, expandBbox } from '../../geo/bbox.ts'
import { lonLatBbox } from '../../geo/mercator.ts'
import { createBindings } from '../../store/feature/feature_sql.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import type { SearchArea, TileGrid } from './tile_grid.ts'
import { boxSql } from './tile_source.ts'

/** Runs a selection with clipping in the database, and again without it if the database cannot clip a geometry. */
export async function withClipping<T>(select: (clips: boolean) => Promise<T>): Promise<T> {
  try {
    return await select(true)
  } catch (error) {
    // Clipping fails for some invalid geometries; reading them complete takes longer.
    if (!isProblem(error) || error.data.sqlstate !== 'XX000') throw error
    return select(false)
  }
}

/** Segments per side of a box: a straight line in one reference system is curved in another. */
const segments = 16

/** Upper bound of the shift between geographic reference systems, in degrees. */
const maxShift = 0.01

/**
 * Finds the area of a tile in the reference system of a layer; undefined for EPSG:3857 and EPSG:4326, where it is
 * computed without the database.
 */
export async function findSearchArea(
  database: Queryable,
  { srs }: Layer,
  { box }: Pick<TileGrid, 'box'>,
): Promise<SearchArea | undefined> {
  if (srs === 3857 || srs === 4326) return undefined
  const rows = await database.query<{ degrees: boolean }>(
    "select proj4text like '%+proj=longlat%' as degrees from spatial_ref_sys where srid = $1::int",
    [srs],
  )
  if (rows[0]?.degrees === true) return { boxes: [expandBbox(lonLatBbox(box), maxShift)], isDegrees: true }
  const found = await findBox(database, srs, box)
  return { boxes: found && [found], isDegrees: false }
}

async function findBox(database: Queryable, srs: number, box: Bbox): Promise<Bbox | undefined> {
  const bindings = createBindings()
  const [minX, , maxX] = box
  const edges = `ST_Segmentize(${boxSql(box, 3857, bindings)}, ${bindings.bind((maxX - minX) / segments, 'float8')})`
  const text = `select ST_XMin(b) as a, ST_YMin(b) as b, ST_XMax(b) as c, ST_YMax(b) as d
    from (select ST_Transform(${edges}, ${Math.trunc(srs)}) as b offset 0) moved`
  try {
    const [row] = await database.query<Record<'a' | 'b' | 'c' | 'd', number | null>>(text, bindings.values)
    const found = [row?.a, row?.b, row?.c, row?.d].filter((edge) => Number.isFinite(edge)) as number[]
    const [left, bottom, right, top] = found
    if (left === undefined || bottom === undefined || right === undefined || top === undefined)
      return undefined
    return expandBbox([left, bottom, right, top], Math.max(right - left, top - bottom) / segments)
  } catch (error) {
    // The tile extends beyond the reference system.
    if (isProblem(error) && error.data.sqlstate === 'XX000') return undefined
    throw error
  }
}
