import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'

/** A tile as it is sent. */
export interface CachedTile {
  /** None where the tile is empty. */
  readonly bytes: Uint8Array
  /** Of the bytes, so that it holds across restarts and servers. */
  readonly etag: string
  /** The bytes packed, once somebody has asked for that. */
  packed?: Promise<Uint8Array>
}

/** Tiles of one server, by everything they depend on. */
export interface TileCache {
  /** Gives a tile, making it where it is not known; whoever asks for it meanwhile waits for the same one. */
  get(key: string, make: () => Promise<Uint8Array>): Promise<CachedTile>
}

/** Most bytes of all tiles. */
const mostBytes = 64 * 2 ** 20

/** What a tile takes beside its bytes. */
const overheadBytes = 500

/** Starts an empty cache. */
export function createTileCache(): TileCache {
  const tiles = new LRUCache<string, CachedTile, () => Promise<Uint8Array>>({
    maxSize: mostBytes,
    // Packed bytes come later; they are about a third.
    sizeCalculation: ({ bytes }) => overheadBytes + Math.ceil(bytes.length * 1.4),
    fetchMethod: async (_key, _stale, { context: make }) => describeTile(await make()),
  })
  return {
    async get(key, make) {
      // A tile larger than the cache is not kept, and given all the same.
      return (await tiles.fetch(key, { context: make })) ?? describeTile(await make())
    },
  }
}

const pack = promisify(gzip)

/** Gives the bytes of a tile as gzip. */
export function packTile(tile: CachedTile): Promise<Uint8Array> {
  tile.packed ??= pack(tile.bytes, { level: 4 })
  return tile.packed
}

/** Gives a tile of its bytes. */
export function describeTile(bytes: Uint8Array): CachedTile {
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  return { bytes, etag: `"${digest}"` }
}
