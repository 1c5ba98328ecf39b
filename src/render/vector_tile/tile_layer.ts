import { isProblem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import { type Bbox, expandBbox } from '../../geo/bbox.ts'
import { lonLatBbox } from '../../geo/mercator.ts'
import { createBindings } from '../../store/feature/bindings.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import { encodeTileLayer, type TileFeature } from './encode_mvt.ts'
import type { GeometryCache } from './geometry_cache.ts'
import { selectTileFeatures, type TileSelection } from './select_features.ts'
import { tileKeys } from './tile_attributes.ts'
import { measureTile, type TileGrid, type TileNear, type TileRequest } from './tile_grid.ts'
import { boxSql } from './tile_source.ts'

/** Most bytes of a layer in a tile, as long as it may be simplified. */
const mostBytes = 450_000

/** How many times the cells may double to get there. */
const mostDoublings = 4

/** What part of which tile is made. */
export interface TileLayerRequest {
  /** Name of the layer in the tile. */
  readonly name: string
  readonly request: TileRequest
  readonly shapes: GeometryCache
}

/**
 * Makes the part of a vector tile that a layer is: one path for all databases, which select, simplify and clip, while
 * the writing is ours. Gives no bytes where the layer has nothing there.
 *
 * A layer that is too much for a tile all the same is simplified and thinned more, unless simplification is 0.
 */
export async function makeTileLayer(
  database: Queryable,
  layer: Layer,
  { name, request, shapes }: TileLayerRequest,
): Promise<Uint8Array> {
  let { simplification } = request
  const near = await findNear(database, layer, measureTile(request))
  for (let left = mostDoublings; ; left -= 1) {
    const features = await findFeatures(database, {
      layer,
      shapes,
      grid: { ...measureTile({ ...request, simplification }), near },
    })
    const bytes = encodeTileLayer({ name, extent: request.extent, keys: tileKeys(layer.fields), features })
    if (bytes.length <= mostBytes || simplification === 0 || left === 0) return bytes
    simplification *= 2
  }
}

async function findFeatures(
  database: Queryable,
  selection: Omit<TileSelection, 'cuts'>,
): Promise<TileFeature[]> {
  try {
    return await selectTileFeatures(database, { ...selection, cuts: true })
  } catch (error) {
    // Cutting is refused for some geometries that are not valid; taking them whole takes longer.
    if (!isProblem(error) || error.data.sqlstate !== 'XX000') throw error
    return selectTileFeatures(database, { ...selection, cuts: false })
  }
}

/** Parts that each side of a box is cut into: a straight line of one reference system is bent in another. */
const parts = 16

/** Degrees that reference systems of degrees differ by at most, with room to spare. */
const mostShift = 0.01

/**
 * Finds where a tile lies in the reference system of a layer; undefined for EPSG:3857 and EPSG:4326, which need no
 * database for that.
 */
async function findNear(
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
