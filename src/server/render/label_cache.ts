import { LRUCache } from 'lru-cache'
import type { PlacedLabel } from '../../render/label/placed_label.ts'

/** Labels of metatiles, by everything that they depend on. */
export interface LabelCache {
  /** Returns labels, and places them if they are not cached. Concurrent requests share the work. */
  get(
    request: LabelRequest,
    place: (signal: AbortSignal) => Promise<readonly PlacedLabel[]>,
  ): Promise<readonly PlacedLabel[]>
}

/** Labels that are asked for. */
export interface LabelRequest {
  readonly key: string
  /** Milliseconds for which they are cached; without limit if it is missing. */
  readonly ttlMs?: number
  /** Ends the wait of this client; the work ends when the clients of all requests are gone. */
  readonly signal: AbortSignal
}

/** Maximum number of cached labels, and labels that an empty metatile counts for. */
const limits = { labels: 200_000, overhead: 10 }

/** Creates an empty cache. */
export function createLabelCache(): LabelCache {
  const known = new LRUCache<string, { readonly labels: readonly PlacedLabel[] }>({
    maxSize: limits.labels,
    sizeCalculation: ({ labels }) => labels.length + limits.overhead,
  })
  const running = new Map<string, Placing>()
  return {
    async get({ key, ttlMs, signal }, place) {
      signal.throwIfAborted()
      const found = known.get(key)
      if (found !== undefined) return found.labels
      const placing = running.get(key) ?? start(place)
      if (!running.has(key)) {
        running.set(key, placing)
        const forget = () => {
          if (running.get(key) === placing) running.delete(key)
        }
        placing.stopper.signal.addEventListener('abort', forget)
        placing.labels
          .then((labels) => known.set(key, { labels }, ttlMs === undefined ? {} : { ttl: ttlMs }))
          .catch(() => undefined)
          .finally(forget)
      }
      return join(placing, signal)
    },
  }
}

interface Placing {
  readonly labels: Promise<readonly PlacedLabel[]>
  readonly stopper: AbortController
  clients: number
}

function start(place: (signal: AbortSignal) => Promise<readonly PlacedLabel[]>): Placing {
  const stopper = new AbortController()
  return { labels: place(stopper.signal), stopper, clients: 0 }
}

async function join(placing: Placing, signal: AbortSignal): Promise<readonly PlacedLabel[]> {
  placing.clients += 1
  const leave = () => {
    placing.clients -= 1
    if (placing.clients === 0) placing.stopper.abort(signal.reason)
  }
  signal.addEventListener('abort', leave, { once: true })
  try {
    return await placing.labels
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
