import { tileLimits } from '../../contract/limits.ts'
import { isProblem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import { type Bbox, expandBbox } from '../../geo/bbox.ts'
import { lonLatBbox } from '../../geo/mercator.ts'
import { createBindings } from '../../store/feature/feature_sql.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import { encodeTileLayer, type TileFeature } from './encode_mvt.ts'
import type { GeometryCache } from './geometry_cache.ts'
import { selectTileFeatures, type TileSelection } from './select_features.ts'
import {
  measurePlainTile,
  measureTile,
  type SearchArea,
  type TileGrid,
  type TileRequest,
} from './tile_grid.ts'
import { boxSql, tileKeys } from './tile_source.ts'

/** Bytes above which a layer is simplified more, unless simplification is off. */
const simplifiedBytes = 450_000

/** How many times the simplification may be doubled to meet the limit. */
const maxDoublings = 4

/** Tolerances, in units, to try if simplification is off: positions within one unit look the same. */
const unsimplifiedTolerances = [0, 1, 4, 16]

/** A layer of a tile to create. */
export interface TileLayerRequest {
  /** Name of the layer in the tile. */
  readonly name: string
  readonly request: TileRequest
  /** Maximum bytes of the layer, if less than the limit of every layer. */
  readonly limitBytes?: number
  readonly cache: GeometryCache
}

/**
 * Creates a layer of a vector tile. The database selects, simplifies and clips; the encoding is done here, the same for
 * all databases. Returns no bytes for an empty layer.
 *
 * A layer that exceeds the size limit is simplified and thinned more. With simplification 0 this starts at a higher limit.
 * If nothing else helps, the last features are left out.
 */
export async function createTileLayer(
  database: Queryable,
  layer: Layer,
  { name, request, limitBytes = tileLimits.layerBytes, cache }: TileLayerRequest,
): Promise<Uint8Array> {
  const searchArea = await findSearchArea(database, layer, measureTile(request))
  const hardLimit = Math.min(limitBytes, tileLimits.layerBytes)
  const limit = request.simplification === 0 ? hardLimit : Math.min(simplifiedBytes, hardLimit)
  const encode = (features: Iterable<TileFeature>, bytes: number) =>
    encodeTileLayer({ name, extent: request.extent, keys: tileKeys(layer.fields), features }, bytes)
  const grids = listGrids(request)
  for (const [at, grid] of grids.entries()) {
    const isLast = at === grids.length - 1
    const features = await findFeatures(database, { layer, cache, grid: { ...grid, searchArea } })
    if (features === undefined) continue
    const { bytes, isComplete } = await encode(features, isLast ? hardLimit : limit)
    if (isComplete || isLast) return bytes
  }
  return new Uint8Array()
}

/** Lists the grids to try for a tile, from the requested one to coarser ones. */
function listGrids(request: TileRequest): TileGrid[] {
  const { simplification } = request
  if (simplification === 0)
    return unsimplifiedTolerances.map((units) => measurePlainTile({ ...request, simplification: units }))
  return Array.from({ length: maxDoublings + 1 }, (_, doublings) =>
    measureTile({ ...request, simplification: simplification * 2 ** doublings }),
  )
}

async function findFeatures(
  database: Queryable,
  selection: Omit<TileSelection, 'clips'>,
): Promise<Iterable<TileFeature> | undefined> {
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
