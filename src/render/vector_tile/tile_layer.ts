import { tileLimits } from '../../contract/limits.ts'
import type { Queryable } from '../../database/database.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import { encodeTileLayer, type TileFeature } from './encode_mvt.ts'
import type { GeometryCache } from './geometry_cache.ts'
import type { Importance } from './importance.ts'
import { findSearchArea, withClipping } from './search_area.ts'
import { selectTileFeatures } from './select_features.ts'
import { measurePlainTile, measureTile, type TileGrid, type TileRequest } from './tile_grid.ts'
import { tileKeys } from './tile_source.ts'

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
  /** Which features are kept where the layer is thinned. */
  readonly importance?: Importance | undefined
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
  { name, request, limitBytes = tileLimits.layerBytes, cache, importance }: TileLayerRequest,
): Promise<Uint8Array> {
  const searchArea = await findSearchArea(database, layer, measureTile(request))
  const hardLimit = Math.min(limitBytes, tileLimits.layerBytes)
  const limit = request.simplification === 0 ? hardLimit : Math.min(simplifiedBytes, hardLimit)
  const encode = (features: Iterable<TileFeature>, bytes: number) =>
    encodeTileLayer({ name, extent: request.extent, keys: tileKeys(layer.fields), features }, bytes)
  const grids = listGrids(request)
  for (const [at, grid] of grids.entries()) {
    const isLast = at === grids.length - 1
    const features = await withClipping((clips) =>
      selectTileFeatures(database, { layer, cache, grid: { ...grid, searchArea }, clips, importance }),
    )
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
