import { type Dialect, tileLayerPrefix } from '../../contract/dialect/dialect.ts'
import { tileLimits } from '../../contract/limits.ts'
import { problem } from '../../contract/problems.ts'
import { queriesUntil } from '../../database/database.ts'
import { workForMap } from '../../database/turns.ts'
import { maxZoom, tileExists } from '../../geo/tile.ts'
import { createGeometryCache } from '../../render/vector_tile/geometry_cache.ts'
import type { Importance } from '../../render/vector_tile/importance.ts'
import { measureTile, type TileRequest } from '../../render/vector_tile/tile_grid.ts'
import { createTileLayer } from '../../render/vector_tile/tile_layer.ts'
import type { PermissionSubject } from '../../store/access/permission_subject.ts'
import { isForeign } from '../../store/feature/feature_table.ts'
import type { Layer, TrackedLayer } from '../../store/layer/stored_layer.ts'
import { findDatabases } from '../geodb/geodb_session.ts'
import { findHotLayers } from '../hot/hot_reads.ts'
import { acceptsCoding, contentCodings } from '../http/answer.ts'
import { matchesTag } from '../http/byte_range.ts'
import type { Answer, ApiRequest, QuickAnswer } from '../http/handler.ts'
import { findTileStyles, noTileStyles, type TileStyles } from '../render/tile_classes.ts'
import type { TileIdentity } from './current_cache.ts'
import { type CachedTile, compressTile, describeTile } from './tile_cache.ts'
import { describeData } from './tile_data.ts'

/** Parameters of a tile request. */
export interface TileOptions {
  readonly z?: number | undefined
  readonly x?: number | undefined
  readonly y?: number | undefined
  readonly extent?: number | undefined
  readonly simplification?: number | undefined
  readonly padding?: number | undefined
  readonly thin_by?: string | undefined
}

const mediaType = 'application/vnd.mapbox-vector-tile'

/** Minimum size for compression; for smaller tiles it does not pay off. */
const minCompressedBytes = 860

/**
 * Validates the parameters of a tile request.
 *
 * @throws {Problem} request/invalid for a missing parameter, or a tile outside the grid of the zoom level
 */
export function readTileRequest(options: TileOptions): TileRequest {
  const { extent = 4096, padding = 0.05 } = options
  const address = { z: need('z', options.z), x: need('x', options.x), y: need('y', options.y) }
  if (address.z > maxZoom)
    throw problem('request/invalid', `There is no zoom level ${address.z}; zoom levels are 0 to ${maxZoom}.`)
  if (!tileExists(address)) {
    const last = 2 ** address.z - 1
    const tile = `${address.x}/${address.y}`
    throw problem(
      'request/invalid',
      `Tile ${tile} does not exist at zoom level ${address.z}, which has tiles 0/0 to ${last}/${last}.`,
    )
  }
  const simplification = options.simplification ?? Math.round(extent / 512)
  const { thin_by: thinBy } = options
  return { address, extent, padding, simplification, ...(thinBy === undefined ? {} : { thinBy }) }
}

function need(name: string, value: number | undefined): number {
  if (value === undefined) throw problem('request/invalid', `Missing parameter "${name}".`)
  return value
}

/** Layers of a tile, from bottom to top, and the styles whose symbols their features name. */
export interface TileResources {
  readonly ids: readonly number[]
  readonly styles?: readonly number[]
  /** Name of the only layer in the tile; by default that of the dialect with its id. */
  readonly layerName?: string
}

interface TileCall extends Pick<ApiRequest, 'context' | 'headers' | 'dialect' | 'signal'> {
  readonly caller: PermissionSubject
}

/**
 * Returns a vector tile of layers, from bottom to top: 204 if it is empty, 304 if the client has the current version. A cached
 * tile is made again when data of its layers changed in its area.
 *
 * @throws {Problem} resource/interface for a resource without features
 */
export async function answerTile(
  { context, caller, headers, dialect, signal }: TileCall,
  { ids, styles: styleIds = [], layerName }: TileResources,
  request: TileRequest,
): Promise<Answer> {
  const found = await findHotLayers(context, ids)
  const layers = [...new Set(ids)].map((id) => found.get(id) ?? throwNoFeatures(id))
  checkThinBy(layers, request.thinBy)
  const styles = await findTileStyles(context, { layers, ids: styleIds, caller }, request)
  const source = { layers, dialect, request, styles, layerName }
  // Changes of foreign tables are not tracked, so their tiles are not cached.
  if (layers.some(isForeign))
    return answerCached(describeTile(await createTile(context, source, signal)), headers)
  const key = cacheKey(source)
  const tile = await context.layerCaches.tiles.get({ key, layers, signal }, async (stop) => {
    // What other features of a layer may change, such as which features are thinned, depends on this area only.
    const { box } = measureTile(request)
    const data = layers.map((layer) => describeData(layer, [box]))
    return { tile: describeTile(await createTile(context, source, stop)), data }
  })
  return answerCached(tile, headers)
}

/** Returns what identifies a tile without styles in the cache; undefined if it is not cached. */
export function identifyTile(
  { layers, dialect }: Pick<TileSource, 'layers' | 'dialect'>,
  request: TileRequest,
): TileIdentity | undefined {
  if (layers.some(isForeign)) return undefined
  return { key: cacheKey({ layers, dialect, request, styles: noTileStyles }), layers }
}

/** Layers and grid cell of a tile. */
interface TileSource {
  readonly layers: readonly TrackedLayer[]
  readonly dialect: Dialect
  readonly request: TileRequest
  readonly styles: TileStyles
  readonly layerName?: string | undefined
}

function throwNoFeatures(id: number): never {
  throw problem('resource/interface', `Resource id = ${id} has no features.`, { resource: id })
}

const cacheKey = ({ dialect, request, layers, styles, layerName }: TileSource) =>
  [JSON.stringify(layerName ?? null), dialect, keyOf(request), ...layers.map(layerKey), ...styles.key].join(
    ' ',
  )

const keyOf = ({ address: { z, x, y }, extent, simplification, padding, thinBy = '' }: TileRequest) =>
  `${z},${x},${y},${extent},${simplification},${padding},${JSON.stringify(thinBy)}`

/** Keys of the layers in memory, of which each is made once. */
const layerKeys = new WeakMap<Layer, string>()

// Replacing data changes the table, and renaming fields changes the tile, without a new data version.
function layerKey(layer: Layer): string {
  const known = layerKeys.get(layer)
  if (known !== undefined) return known
  const { resourceId, tableName, fields } = layer
  const names = fields.map(({ columnName, keyname }) => [columnName, keyname])
  const key = JSON.stringify([resourceId, tableName, names])
  layerKeys.set(layer, key)
  return key
}

/** Throws unless a layer has the field of parameter `thin_by`, with values that can be ranked. */
function checkThinBy(layers: readonly Layer[], thinBy: string | undefined): void {
  if (thinBy === undefined) return
  const found = layers.flatMap((layer) => importanceOf(layer, thinBy)?.field ?? [])
  if (found.length === 0)
    throw problem('request/invalid', `thin_by: no layer of the tile has a field ${JSON.stringify(thinBy)}.`)
  const text = found.find(({ datatype }) => datatype === 'STRING')
  if (text !== undefined)
    throw problem('request/invalid', `thin_by: the values of field "${text.keyname}" are strings.`, {
      hint: 'Use a field of numbers, dates or times.',
    })
}

function createTile(...made: Parameters<typeof encodeTile>): Promise<Uint8Array> {
  return workForMap(() => encodeTile(...made))
}

async function encodeTile(
  context: ApiRequest['context'],
  { layers, dialect, request, styles, layerName }: TileSource,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const databases = await findDatabases(context, layers)
  const limitBytes = Math.floor(tileLimits.bytes / layers.length)
  const parts = layers.map((layer) => {
    const name = layerName ?? `${tileLayerPrefix[dialect]}${layer.resourceId}`
    const cache = isForeign(layer) ? createGeometryCache() : context.layerCaches.geometries
    const database = databases.get(layer.resourceId) ?? context.database
    const importance = importanceOf(layer, request.thinBy)
    // Tables of other databases are encoded here: their PostGIS may lack what it takes.
    const isEncodedByDatabase = database.driver === 'postgres' && !isForeign(layer)
    const classes = styles.classes.get(layer.resourceId)
    const tile = { name, request, limitBytes, cache, importance, classes, isEncodedByDatabase, signal }
    return createTileLayer(queriesUntil(signal, database), layer, tile)
  })
  return Buffer.concat(await Promise.all(parts))
}

/** Reads the field of parameter `thin_by`, which is that of layers that have it. `-field` prefers low values. */
function importanceOf({ fields }: Layer, thinBy: string | undefined): Importance | undefined {
  const isHighFirst = thinBy?.startsWith('-') !== true
  const name = isHighFirst ? thinBy : thinBy?.slice(1)
  const field = fields.find(({ keyname }) => keyname === name)
  return field && { field, isHighFirst }
}

/** Answers with a tile: at once, unless it has to be compressed first. */
export function answerCached(
  tile: CachedTile,
  requestHeaders: ApiRequest['headers'],
): QuickAnswer | Promise<QuickAnswer> {
  // Permissions may change at any time, so clients must revalidate.
  const headers = { etag: tile.etag, 'cache-control': 'private, no-cache', vary: 'Accept-Encoding' }
  if (tile.bytes.length === 0) return { empty: true, headers }
  if (matchesTag(requestHeaders['if-none-match'], tile.etag)) return { empty: true, status: 304, headers }
  const coding = contentCodings.find((one) => acceptsCoding(requestHeaders, one))
  if (coding === undefined || tile.bytes.length < minCompressedBytes)
    return { bytes: tile.bytes, mediaType, headers }
  const codedHeaders = { ...headers, 'content-encoding': coding }
  const answer = (bytes: Uint8Array) => ({ bytes, mediaType, headers: codedHeaders })
  const compressed = compressTile(tile, coding)
  return compressed instanceof Promise ? compressed.then(answer) : answer(compressed)
}
