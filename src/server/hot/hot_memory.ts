import { isDeepStrictEqual } from 'node:util'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/database.ts'
import { workForServer } from '../../database/turns.ts'
import { listenToChanges } from '../../store/change.ts'

/**
 * What reads of the database found, until anything that they depend on changes: resources, permissions, layers.
 *
 * A value is never older than a change of this process: it is forgotten before the response to the change. Changes of
 * other processes arrive as notifications, which PostgreSQL sends after the commit. A read that was running when a
 * change arrived is not kept. While notifications cannot arrive, nothing is kept. A connection that is lost unnoticed
 * makes values at most `maxAgeMs` old.
 */
export interface HotMemory {
  /**
   * Returns what was found for a key, or finds it. Concurrent calls share one read. A value that is read again is the same
   * object as before if nothing in it has changed.
   */
  get<T>(key: string, find: () => Promise<T>): Promise<T>
  /** Returns what was found for a key; undefined if it has to be read. */
  known<T>(key: string): T | undefined
  /** Stops listening to changes. */
  close(): Promise<void>
}

/** Maximum age of a value, in milliseconds. */
const maxAgeMs = 2000

/** Maximum number of values. */
const max = 5000

/** Creates an empty memory of reads of a database. */
export async function createHotMemory(database: Database): Promise<HotMemory> {
  const known = new LRUCache<string, { readonly value: unknown }>({ max, ttl: maxAgeMs, ttlResolution: 50 })
  // Only to tell what has changed.
  const former = new LRUCache<string, { readonly value: unknown }>({ max })
  const running = new Map<string, Promise<unknown>>()
  let generation = 0
  let isListening = true
  const forget = () => {
    generation += 1
    known.clear()
    running.clear()
  }
  const stopWatching = database.onWrite(forget)
  const stopListening = await listenToChanges(database, (isHeard) => {
    isListening = isHeard
    forget()
  })

  const findAndKeep = async (key: string, find: () => Promise<unknown>) => {
    const started = generation
    const found = await workForServer(find)
    const before = former.get(key)
    const kept = before !== undefined && isDeepStrictEqual(before.value, found) ? before : { value: found }
    if (started !== generation || !isListening) return kept.value
    former.set(key, kept)
    known.set(key, kept)
    return kept.value
  }

  const get = async (key: string, find: () => Promise<unknown>) => {
    if (!isListening) return find()
    const kept = known.get(key) ?? running.get(key)
    if (kept !== undefined) return 'value' in kept ? kept.value : kept
    const finding = findAndKeep(key, find).finally(() => {
      if (running.get(key) === finding) running.delete(key)
    })
    running.set(key, finding)
    return finding
  }

  return {
    // Each key is always used with the same type of value.
    get: get as HotMemory['get'],
    known: ((key: string) => (isListening ? known.get(key)?.value : undefined)) as HotMemory['known'],
    async close() {
      stopWatching()
      // A closed database sends no notifications.
      await stopListening().catch(() => undefined)
    },
  }
}
