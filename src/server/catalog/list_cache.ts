import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/database.ts'
import { workForServer } from '../../database/turns.ts'
import { readCatalogVersion } from '../../store/catalog/catalog_version.ts'
import type { Statement } from '../../store/feature/feature_sql.ts'
import { replaceLineFeeds } from '../stream/spool.ts'

/** Cache of complete lists of geoservices: most clients request the complete catalog. */
export interface ListCache {
  /**
   * Returns the rows of a statement as a JSON list of the newest state; undefined if it is too large for the cache.
   * Requests for the same list share one read.
   */
  read(statement: Statement): Promise<Uint8Array | undefined>
  /** Bytes of the lists in memory. */
  readonly sizeBytes: number
}

/** Limits of a cache. */
export interface ListCacheLimits {
  /** Maximum size of a list, in bytes. */
  readonly listBytes: number
  /** Maximum number of lists. */
  readonly lists: number
}

const usualLimits: ListCacheLimits = { listBytes: 16 * 2 ** 20, lists: 50 }

/** Creates the cache of a server. */
export function createListCache(database: Database, limits = usualLimits): ListCache {
  const { listBytes, lists: max } = limits
  // A list that is too large is remembered as empty bytes, which no list is.
  const lists = new LRUCache<string, Uint8Array>({
    max,
    maxSize: 2 * listBytes,
    sizeCalculation: ({ length }) => Math.max(1, length),
  })
  const running = new Map<string, Promise<Uint8Array>>()
  let newest = 0

  async function load(version: number, key: string, statement: Statement): Promise<Uint8Array> {
    const bytes = (await readAll(database, statement, listBytes)) ?? new Uint8Array()
    if (version === newest) lists.set(key, bytes)
    return bytes
  }

  function share(version: number, key: string, statement: Statement): Promise<Uint8Array> {
    const name = `${version} ${key}`
    const known = running.get(name)
    if (known !== undefined) return known
    // For all who wait: it neither takes the turn of the first client nor ends when that one goes away.
    const loading = workForServer(() => load(version, key, statement)).finally(() => running.delete(name))
    running.set(name, loading)
    return loading
  }

  return {
    async read(statement) {
      // Read before the list: what is stored under a version is never older than it.
      const version = await readCatalogVersion(database)
      if (version > newest) {
        newest = version
        lists.clear()
      }
      const key = createHash('sha256').update(JSON.stringify(statement)).digest('base64')
      const bytes = lists.get(key) ?? (await share(version, key, statement))
      return bytes.length === 0 ? undefined : bytes
    },
    get sizeBytes() {
      return lists.calculatedSize
    },
  }
}

/** Reads the rows of a statement, a JSON value each, as one list; undefined if it is larger than the limit. */
async function readAll(
  database: Database,
  { text, values }: Statement,
  limitBytes: number,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [Buffer.from('[')]
  let size = 1
  for await (const chunk of database.copyOut(text, values)) {
    size += chunk.length
    if (size > limitBytes) return undefined
    chunks.push(chunk)
  }
  const list = Buffer.concat([...chunks, Buffer.from(']')])
  replaceLineFeeds(list)
  // The last row ends with a line feed, too.
  if (list.length > 2) list[list.length - 2] = 0x20
  return list
}
