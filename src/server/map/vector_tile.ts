import { type Dialect, tileLayerPrefix } from '../../contract/dialect.ts'
import { problem } from '../../contract/problems.ts'
import { tileExists } from '../../geo/tile.ts'
import { createGeometryCache } from '../../render/vector_tile/geometry_cache.ts'
import type { TileRequest } from '../../render/vector_tile/tile_grid.ts'
import { createTileLayer } from '../../render/vector_tile/tile_layer.ts'
import { isForeign } from '../../store/feature/foreign_table.ts'
import { findLayers, type Layer } from '../../store/layer/stored_layer.ts'
import { findDatabases } from '../geodb/geodb_session.ts'
import { acceptsGzip } from '../http/gzip.ts'
import type { Answer, ApiRequest } from '../http/handler.ts'
import { type CachedTile, describeTile, packTile } from './tile_cache.ts'

/** What a tile is asked for with. */
export interface TileOptions {
  readonly z?: number | undefined
  readonly x?: number | undefined
  readonly y?: number | undefined
  readonly extent?: number | undefined
  readonly simplification?: number | undefined
  readonly padding?: number | undefined
}

const mediaType = 'application/vnd.mapbox-vector-tile'

/** Below that, packing costs more than it saves. */
const packFrom = 860

/**
 * Reads and checks what a tile is asked for with.
 *
 * @throws {Problem} request/invalid for a parameter that is missing, or a tile that the zoom level does not have
 */
export function readTileRequest(options: TileOptions): TileRequest {
  const { extent = 4096, padding = 0.05 } = options
  const address = { z: need('z', options.z), x: need('x', options.x), y: need('y', options.y) }
  if (!tileExists(address)) {
    const last = 2 ** address.z - 1
    const asked = `${address.x}/${address.y}`
    throw problem(
      'request/invalid',
      `zoom level ${address.z} has no tile ${asked}, only 0/0 to ${last}/${last}`,
    )
  }
  return { address, extent, padding, simplification: options.simplification ?? Math.round(extent / 512) }
}

function need(name: string, value: number | undefined): number {
  if (value === undefined) throw problem('request/invalid', `${name}: the parameter is required`)
  return value
}

/**
 * Answers with a vector tile of layers, from lower to upper: 204 where nothing is there, 304 where the client has it.
 * The version of each layer's data is read for each request, so that a tile never lags behind.
 *
 * @throws {Problem} resource/interface for a resource without features
 */
export async function answerTile(
  { context, headers, dialect }: Pick<ApiRequest, 'context' | 'headers' | 'dialect'>,
  ids: readonly number[],
  request: TileRequest,
): Promise<Answer> {
  const found = await findLayers(context.database, ids)
  const layers = [...new Set(ids)].map((id) => found.get(id) ?? refuse(id))
  const making = { layers, dialect, request }
  // A table elsewhere changes without a word: what was drawn of it a moment ago says nothing.
  if (layers.some(isForeign)) return answerCached(describeTile(await makeTile(context, making)), headers)
  const key = [dialect, keyOf(request), ...layers.map(layerKey)].join(' ')
  const tile = await context.layerCaches.tiles.get(key, () => makeTile(context, making))
  return answerCached(tile, headers)
}

/** Which tile is made, of what. */
interface Making {
  readonly layers: readonly Layer[]
  readonly dialect: Dialect
  readonly request: TileRequest
}

function refuse(id: number): never {
  throw problem('resource/interface', `Resource id = ${id} has no features to draw.`, { resource: id })
}

const keyOf = ({ address: { z, x, y }, extent, simplification, padding }: TileRequest) =>
  [z, x, y, extent, simplification, padding].join()

// A table is exchanged when data is replaced, and fields are renamed, without a change of any feature.
const layerKey = ({ resourceId, tableName, dataVersion, fields }: Layer) =>
  JSON.stringify([
    resourceId,
    tableName,
    dataVersion,
    fields.map(({ columnName, keyname }) => [columnName, keyname]),
  ])

async function makeTile(
  context: ApiRequest['context'],
  { layers, dialect, request }: Making,
): Promise<Uint8Array> {
  const databases = await findDatabases(context, layers)
  const parts = layers.map((layer) => {
    const name = `${tileLayerPrefix[dialect]}${layer.resourceId}`
    const cache = isForeign(layer) ? createGeometryCache() : context.layerCaches.geometries
    const database = databases.get(layer.resourceId) ?? context.database
    return createTileLayer(database, layer, { name, request, cache })
  })
  return Buffer.concat(await Promise.all(parts))
}

async function answerCached(tile: CachedTile, asked: ApiRequest['headers']): Promise<Answer> {
  // What a caller may see can change at any time: ask again, and be told that nothing has.
  const headers = { etag: tile.etag, 'cache-control': 'private, no-cache', vary: 'Accept-Encoding' }
  if (tile.bytes.length === 0) return { empty: true, headers }
  if (matches(asked['if-none-match'], tile.etag)) return { empty: true, status: 304, headers }
  if (!acceptsGzip(asked) || tile.bytes.length < packFrom) return { bytes: tile.bytes, mediaType, headers }
  return { bytes: await packTile(tile), mediaType, headers: { ...headers, 'content-encoding': 'gzip' } }
}

function matches(condition: string | undefined, etag: string): boolean {
  const known = (condition ?? '').split(',').map((item) => item.trim().replace(/^W\//, ''))
  return known.includes(etag) || known.includes('*')
}
