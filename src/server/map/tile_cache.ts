import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'
import type { ContentCoding } from '../http/answer.ts'
import { type CurrentCache, createCurrentCache } from './current_cache.ts'

/** Encoded tile with its entity tag. */
export interface CachedTile {
  /** Uncompressed tile; zero bytes if the tile is empty. */
  readonly bytes: Uint8Array
  /** Derived from the bytes, so that it is the same on every process and after a restart. */
  readonly etag: string
  /** Compressed bytes by content coding, created on first use. */
  readonly compressed: Partial<Record<ContentCoding, Uint8Array | Promise<Uint8Array>>>
}

/** Maximum size of all tiles. */
const maxBytes = 64 * 2 ** 20

/** Creates an empty cache. A tile larger than the cache is not stored. */
export function createTileCache(limitBytes = maxBytes): CurrentCache<CachedTile> {
  // Includes the compressed bytes, about a third each, which are created later.
  return createCurrentCache({ bytes: limitBytes, sizeOf: ({ bytes }) => Math.ceil(bytes.length * 1.8) })
}

const [gzipAsync, brotliAsync] = [promisify(gzip), promisify(brotliCompress)]

/** Brotli of this quality takes about the time of gzip of level 4, and makes tiles a little smaller. */
const brotliQuality = 5

const compress: Readonly<Record<ContentCoding, (bytes: Uint8Array) => Promise<Uint8Array>>> = {
  br: (bytes) =>
    brotliAsync(bytes, {
      params: { [zlib.BROTLI_PARAM_QUALITY]: brotliQuality, [zlib.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes) => gzipAsync(bytes, { level: 4 }),
}

/** Returns the compressed bytes of a tile, which are made once: a promise until they are made. */
export function compressTile(
  { bytes, compressed }: CachedTile,
  coding: ContentCoding,
): Uint8Array | Promise<Uint8Array> {
  compressed[coding] ??= compress[coding](bytes).then((made) => {
    compressed[coding] = made
    return made
  })
  return compressed[coding]
}

/** Creates a tile with its entity tag from bytes. */
export function describeTile(bytes: Uint8Array): CachedTile {
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  return { bytes, etag: `"${digest}"`, compressed: {} }
}
