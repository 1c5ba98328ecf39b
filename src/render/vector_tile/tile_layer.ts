import { isProblem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import { type Bbox, expandBbox } from '../../geo/bbox.ts'
import { lonLatBbox } from '../../geo/mercator.ts'
import { createBindings } from '../../store/feature/feature_sql.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import { encodeTileLayer, type TileFeature } from './encode_mvt.ts'
import type { GeometryCache } from './geometry_cache.ts'
import { selectTileFeatures, type TileSelection } from './select_features.ts'
import { measureTile, type SearchArea, type TileGrid, type TileRequest } from './tile_grid.ts'
import { boxSql, tileKeys } from './tile_source.ts'

/** Maximum bytes of a layer in a tile, unless simplification is off. */
const maxBytes = 450_000

/** How many times the simplification may be doubled to meet the limit. */
const maxDoublings = 4

/** A layer of a tile to create. */
export interface TileLayerRequest {
  /** Name of the layer in the tile. */
  readonly name: string
  readonly request: TileRequest
  readonly cache: GeometryCache
}

/**
 * Creates a layer of a vector tile. The database selects, simplifies and clips; the encoding is done here, the same for
 * all databases. Returns no bytes for an empty layer.
 *
 * A layer that exceeds the size limit is simplified and thinned more, unless simplification is 0.
 */
export async function createTileLayer(
  database: Queryable,
  layer: Layer,
  { name, request, cache }: TileLayerRequest,
): Promise<Uint8Array> {
  let { simplification } = request
  const searchArea = await findSearchArea(database, layer, measureTile(request))
  for (let left = maxDoublings; ; left -= 1) {
    const features = await findFeatures(database, {
      layer,
      cache,
      grid: { ...measureTile({ ...request, simplification }), searchArea },
    })
    const bytes = encodeTileLayer({ name, extent: request.extent, keys: tileKeys(layer.fields), features })
    if (bytes.length <= maxBytes || simplification === 0 || left === 0) return bytes
    simplification *= 2
  }
}

async function findFeatures(
  database: Queryable,
  selection: Omit<TileSelection, 'clips'>,
): Promise<TileFeature[]> {
  try {
    return await selectTileFeatures(database, { ...selection, clips: true })
  } catch (error) {
    // Clipping fails for some invalid geometries; reading them complete takes longer.
    if (!isProblem(error) || error.data.sqlstate !== 'XX000') throw error
    return selectTileFeatures(database, { ...selection, clips: false })
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
async function findSearchArea(
  database: Queryable,
  { srs }: Layer,
  { box }: TileGrid,
): Promise<SearchArea | undefined> {
  if (srs === 3857 || srs === 4326) return undefined
  const rows = await database.query<{ degrees: boolean }>(
    "select proj4text like '%+proj=longlat%' as degrees from spatial_ref_sys where srid = $1::int",
    [srs],
  )
  if (rows[0]?.degrees === true) return { box: expandBbox(lonLatBbox(box), maxShift), isDegrees: true }
  return { box: await findBox(database, srs, box), isDegrees: false }
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
