/** Finds the value of a key. */
export type Find<K, V> = (key: K) => Promise<V | undefined>

interface PendingLoad<V> {
  readonly found: Promise<V | undefined>
  readonly resolve: (value: V | undefined | PromiseLike<V | undefined>) => void
}

/**
 * Batches loads of single keys: keys requested during a load wait for the next one, so that no caller gets a value read
 * before its request. If a load of several keys fails, each key is loaded separately, so that a key does not make others
 * fail.
 */
export function batchLoads<K, V>(load: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>): Find<K, V> {
  let pending = new Map<K, PendingLoad<V>>()
  let isLoading = false

  const loadOne = async (key: K) => (await load([key])).get(key)

  const loadPending = async () => {
    isLoading = true
    while (pending.size > 0) {
      const batch = pending
      pending = new Map()
      try {
        const found = await load([...batch.keys()])
        for (const [key, { resolve }] of batch) resolve(found.get(key))
      } catch (error) {
        for (const [key, { resolve }] of batch) resolve(batch.size > 1 ? loadOne(key) : Promise.reject(error))
      }
    }
    isLoading = false
  }

  return (key) => {
    const known = pending.get(key)
    if (known !== undefined) return known.found
    const { promise: found, resolve } = Promise.withResolvers<V | undefined>()
    pending.set(key, { found, resolve })
    if (!isLoading) loadPending()
    return found
  }
}
