import { tileLimits } from '../../contract/limits.ts'
import { problem } from '../../contract/problems.ts'
import { isProblem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import type { EvaluationContext } from '../../style/expression/expression_evaluate.ts'
import { ExpressionBudget } from '../../style/expression/expression_work.ts'
import { chooseSmall } from './choose_small.ts'
import {
  type DatabaseEncoding,
  type DatabaseTile,
  encodeInDatabase,
  isEncodable,
} from './encode_in_database.ts'
import { encodeTileLayer, type TileFeature } from './encode_mvt.ts'
import type { GeometryCache } from './geometry_cache.ts'
import type { Importance } from './importance.ts'
import { findSearchArea, withClipping } from './search_area.ts'
import { hasCached, selectTileFeatures } from './select_features.ts'
import { measurePlainTile, measureTile, type TileGrid, type TileRequest } from './tile_grid.ts'
import { isPointLayer, tileKeys } from './tile_source.ts'

/** Bytes above which a layer is simplified more, unless simplification is off. */
const simplifiedBytes = 450_000

/** How many times the simplification may be doubled to meet the limit. */
const maxDoublings = 4

/** Tolerances, in units, to try if simplification is off: positions within one unit look the same. */
const unsimplifiedTolerances = [0, 1, 4, 16]

/** How many times coarser the grids are that are tried last, where not even one feature fits into the limit. */
const lastResorts = [8, 64]

/** Attribute with the symbols that draw a feature, where a style is chosen. */
export const classAttribute = 'style_class'

/** Returns the value of that attribute for a feature; null omits it. */
export type TileClasses = (feature: Required<Pick<EvaluationContext, 'attributes' | 'id'>>) => string | null

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
  readonly classes?: TileClasses | undefined
  /** Whether the database encodes the layer where the result is the same. */
  readonly isEncodedByDatabase?: boolean
  /** Ends the work. */
  readonly signal?: AbortSignal
}

/**
 * Creates a layer of a vector tile. The database selects, simplifies and clips. PostgreSQL also encodes where the result is
 * the same; otherwise the encoding is done here. Returns no bytes for an empty layer.
 *
 * A layer that exceeds the size limit is simplified and thinned more. With simplification 0 this starts at a higher limit.
 * If nothing else helps, the last features are left out.
 *
 * @throws {Problem} render/too-large if not even the first feature fits, or for styles that take too much work
 */
export async function createTileLayer(
  database: Queryable,
  layer: Layer,
  tile: TileLayerRequest,
): Promise<Uint8Array> {
  const { name, request, limitBytes = tileLimits.layerBytes, cache, importance, classes, signal } = tile
  const searchArea = await findSearchArea(database, layer, measureTile(request))
  const hardLimit = Math.min(limitBytes, tileLimits.layerBytes)
  const limit = request.simplification === 0 ? hardLimit : Math.min(simplifiedBytes, hardLimit)
  const { extent } = request
  const keys = [
    ...tileKeys(layer.fields),
    ...(classes ? [{ name: classAttribute, kind: 'text' } as const] : []),
  ]
  const encode = (found: Iterable<TileFeature>, bytes: number) => {
    const limits = { limitBytes: bytes, signal }
    if (classes === undefined) return encodeTileLayer({ name, extent, keys, features: found }, limits)
    const styled = new StyledFeatures(found, layer, classes)
    return encodeTileLayer({ name, extent, keys, features: styled, isTurnOver: styled.isTurnOver }, limits)
  }
  const grids = listGrids(request).map((grid) => ({ ...grid, searchArea }))
  const [first] = grids
  const encoded = first && (await askDatabase(database, layer, { ...tile, grid: first, limitBytes: limit }))
  const bytes =
    encoded?.bytes ??
    (encoded?.isDense ? await encodeDense(database, layer, { ...tile, grids, limitBytes: limit }) : undefined)
  if (bytes !== undefined) return bytes
  const last = grids.length - 1
  for (const [at, grid] of [...grids, ...coarserGrids(grids)].entries()) {
    const isLast = at >= last
    if (encoded?.isDense && grid.cellUnits === 0) continue
    const features = await withClipping((clips) =>
      selectTileFeatures(database, { layer, cache, grid, clips, importance }),
    )
    if (features === undefined) continue
    const { bytes, isComplete } = await encode(features, isLast ? hardLimit : limit)
    if (isComplete || (isLast && bytes.length > 0)) return bytes
  }
  throw problem(
    'render/too-large',
    `The geometry of a feature of resource id = ${layer.resourceId} does not fit into a tile.`,
    { resource: layer.resourceId, hint: 'Request a smaller extent, a smaller padding, or simplification.' },
  )
}

/** Work that the style of a tile may take: some seconds. An image, which is drawn in a thread of its own, may take more. */
const maxStyleWork = 5e7

/** Work of a style after which other requests get their turn: some milliseconds. */
const turnWork = 1e5

/** Features with the symbols that draw them. */
class StyledFeatures implements Iterable<TileFeature> {
  readonly #features: Iterable<TileFeature>
  readonly #layer: Layer
  readonly #classes: TileClasses
  readonly #budget = new ExpressionBudget(maxStyleWork)
  #turnEnd = maxStyleWork - turnWork

  constructor(features: Iterable<TileFeature>, layer: Layer, classes: TileClasses) {
    this.#features = features
    this.#layer = layer
    this.#classes = classes
  }

  *[Symbol.iterator](): Iterator<TileFeature> {
    const { fields } = this.#layer
    for (const feature of this.#features) {
      const { id, values } = feature
      const attributes = Object.fromEntries(fields.map(({ keyname }, at) => [keyname, values[at]]))
      yield {
        ...feature,
        values: [...values, this.#budget.run(() => this.#classes({ attributes, id }))],
      }
    }
  }

  readonly isTurnOver = (): boolean => {
    if (this.#budget.left > this.#turnEnd) return false
    this.#turnEnd = this.#budget.left - turnWork
    return true
  }
}

/** Lets the database encode the points of a dense tile that are kept; returns undefined where they have to be encoded here. */
async function encodeDense(
  database: Queryable,
  layer: Layer,
  tile: TileLayerRequest & { readonly grids: readonly TileGrid[]; readonly limitBytes: number },
): Promise<Uint8Array | undefined> {
  const grid = tile.grids.find(({ cellUnits }) => cellUnits > 0)
  if (grid === undefined || !isPointLayer(layer)) return undefined
  const ids = await chooseSmall(database, { layer, grid, importance: tile.importance }, tileLimits.small)
  return (await askDatabase(database, layer, { ...tile, grid, ids }))?.bytes
}

/** Lets the database encode a layer; returns undefined where it has to be encoded here. */
async function askDatabase(
  database: Queryable,
  layer: Layer,
  tile: TileLayerRequest & Pick<DatabaseTile, 'grid' | 'limitBytes' | 'ids'>,
): Promise<DatabaseEncoding | undefined> {
  const { isEncodedByDatabase = false, classes, grid, cache, name, importance, limitBytes, ids } = tile
  if (
    !isEncodedByDatabase ||
    classes !== undefined ||
    !isEncodable(layer, grid) ||
    hasCached({ layer, grid, cache })
  )
    return undefined
  const { extent } = tile.request
  try {
    return await encodeInDatabase(database, { layer, grid, name, extent, limitBytes, importance, ids })
  } catch (error) {
    // PostGIS without libprotobuf, geometries that it cannot clip, and values that exceed its memory.
    if (isProblem(error) && ['XX000', '54000'].includes(String(error.data.sqlstate))) return undefined
    throw error
  }
}

function coarserGrids(grids: readonly TileGrid[]): TileGrid[] {
  const coarsest = grids.at(-1)
  if (coarsest === undefined) return []
  const { cell, cellUnits, pointCellUnits } = coarsest
  return lastResorts.map((times) => ({
    ...coarsest,
    cell: cell * times,
    cellUnits: cellUnits * times,
    pointCellUnits: pointCellUnits * times,
  }))
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
