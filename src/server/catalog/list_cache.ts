import { LRUCache } from 'lru-cache'

/** Complete lists of geoservices as JSON, by the state of the catalog and the statement. */
export type ListCache = LRUCache<string, Uint8Array>

/** Maximum size of a list in the cache, in bytes. */
const maxListBytes = 16 * 2 ** 20

/** Creates the cache of a server, of a few lists: most clients request the complete catalog. */
export function createListCache(): ListCache {
  return new LRUCache({ maxSize: 2 * maxListBytes, sizeCalculation: ({ length }) => Math.max(1, length) })
}

/** Passes a stream through, and stores its bytes if it is read to its end and not too large. */
export async function* rememberList(
  stream: AsyncIterable<Uint8Array>,
  store: (bytes: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size <= maxListBytes) chunks.push(chunk)
    else chunks.length = 0
    yield chunk
  }
  if (size <= maxListBytes) store(Buffer.concat(chunks))
}
