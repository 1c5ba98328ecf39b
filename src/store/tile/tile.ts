import { isProblem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import { encodeTileLayer, type TileFeature } from '../../geo/mvt.ts'
import type { Layer } from '../layer.ts'
import { tileKeys } from './attribute.ts'
import { measureTile, type TileGrid, type TileRequest } from './grid.ts'
import { selectTileFeatures } from './select.ts'

/** Most bytes of a layer in a tile, as long as it may be simplified. */
const mostBytes = 450_000

/** How many times the cells may double to get there. */
const mostDoublings = 4

/**
 * Makes the part of a vector tile that a layer is: one path for all databases, which select, simplify and clip, while
 * the writing is ours. Gives no bytes where the layer has nothing there.
 *
 * A layer that is too much for a tile all the same is simplified and thinned more, unless simplification is 0.
 */
export async function makeTileLayer(
  database: Queryable,
  layer: Layer,
  { name, request }: { readonly name: string; readonly request: TileRequest },
): Promise<Uint8Array> {
  let { simplification } = request
  for (let left = mostDoublings; ; left -= 1) {
    const features = await findFeatures(database, layer, measureTile({ ...request, simplification }))
    const bytes = encodeTileLayer({ name, extent: request.extent, keys: tileKeys(layer.fields), features })
    if (bytes.length <= mostBytes || simplification === 0 || left === 0) return bytes
    simplification *= 2
  }
}

async function findFeatures(database: Queryable, layer: Layer, grid: TileGrid): Promise<TileFeature[]> {
  try {
    return await selectTileFeatures(database, { layer, grid, cuts: true })
  } catch (error) {
    // Cutting is refused for some geometries that are not valid; taking them whole takes longer.
    if (!isProblem(error) || error.data.sqlstate !== 'XX000') throw error
    return selectTileFeatures(database, { layer, grid, cuts: false })
  }
}
