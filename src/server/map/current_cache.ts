import { LRUCache } from 'lru-cache'
import { SharedWorks } from '../../core/shared_work.ts'
import type { TrackedLayer } from '../../store/layer/stored_layer.ts'
import { renewData, type TileData, versionsOf } from './tile_data.ts'

/** What identifies a tile. */
export interface TileIdentity {
  /** Contains everything that the tile depends on but the data of layers. */
  readonly key: string
  /** Layers whose data the tile shows, as they are now. */
  readonly layers: readonly TrackedLayer[]
}

/** A tile to find or to make. */
export interface CurrentRequest extends TileIdentity {
  /** Milliseconds for which it is kept if it also shows data whose changes are not tracked; without limit if it is missing. */
  readonly ttlMs?: number | undefined
  /** Ends the wait of this client; the work ends when the clients of all requests for the tile are gone. */
  readonly signal: AbortSignal
}

/** A tile, and what it was made of: an entry for each layer of the request. */
export interface MadeTile<T> {
  readonly tile: T
  readonly data: readonly TileData[]
}

/** Cache of tiles, which are current as long as no data changed in the areas that they were made of. */
export interface CurrentCache<T> {
  /** Returns a tile; undefined if it has to be made. */
  find(identity: TileIdentity): T | undefined
  /** Returns a tile, and makes it if necessary. Requests for the same tile share the work. */
  get(request: CurrentRequest, make: (signal: AbortSignal) => Promise<MadeTile<T>>): Promise<T>
}

/** Limits of a cache. */
export interface CurrentCacheLimits<T> {
  readonly bytes: number
  /** Maximum size of a tile; larger ones are not cached. */
  readonly tileBytes?: number
  readonly sizeOf: (tile: T) => number
}

/** Memory of a tile in addition to its size. */
const overheadBytes = 700

/** Milliseconds for which what shows data whose changes are not tracked is kept, so that adjacent tiles agree. */
export const untrackedTtlMs = 5000

/** Creates an empty cache. */
export function createCurrentCache<T extends object>({
  bytes,
  tileBytes = bytes,
  sizeOf,
}: CurrentCacheLimits<T>): CurrentCache<T> {
  const tiles = new LRUCache<string, { readonly tile: T; data: readonly TileData[] }>({
    maxSize: bytes,
    maxEntrySize: Math.min(bytes, tileBytes),
    sizeCalculation: ({ tile }) => overheadBytes + sizeOf(tile),
  })
  // Tiles that are being made are kept apart from the cache, where storing another tile could evict them.
  const works = new SharedWorks<T>()
  const find = ({ key, layers }: TileIdentity) => {
    const known = tiles.get(key)
    const data = known && renewData(known.data, layers)
    if (known === undefined || data === undefined) return undefined
    // The next look-up only compares versions.
    known.data = data
    return known.tile
  }
  return {
    find,
    async get(request, make) {
      const known = find(request)
      if (known !== undefined) return known
      const { key, layers, ttlMs, signal } = request
      // A tile that is being made of older data may miss the last change.
      return works.run(`${versionsOf(layers).join()} ${key}`, signal, async (stop) => {
        const made = await make(stop)
        tiles.set(key, { ...made }, ttlMs === undefined ? {} : { ttl: ttlMs })
        return made.tile
      })
    },
  }
}
