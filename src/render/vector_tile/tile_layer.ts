import { isProblem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import { encodeTileLayer, type TileFeature } from './encode_mvt.ts'
import { findNear } from './find_near.ts'
import type { GeometryCache } from './geometry_cache.ts'
import { selectTileFeatures, type TileSelection } from './select_features.ts'
import { tileKeys } from './tile_attributes.ts'
import { measureTile, type TileRequest } from './tile_grid.ts'

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
