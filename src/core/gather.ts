/** Finds what is asked for by one key. */
export type Find<K, V> = (key: K) => Promise<V | undefined>

interface Waiting<V> {
  readonly found: Promise<V | undefined>
  readonly resolve: (value: V | undefined | PromiseLike<V | undefined>) => void
}

/**
 * Loads together what is asked for one by one: keys that are asked for while a load is under way wait for the next one,
 * so that nobody is given what was read before he asked. A load of several keys that fails is done again key by key:
 * nobody fails because of another.
 */
export function gatherLoads<K, V>(load: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>): Find<K, V> {
  let waiting = new Map<K, Waiting<V>>()
  let isLoading = false

  const loadOne = async (key: K) => (await load([key])).get(key)

  const loadWaiting = async () => {
    isLoading = true
    while (waiting.size > 0) {
      const batch = waiting
      waiting = new Map()
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
    const known = waiting.get(key)
    if (known !== undefined) return known.found
    const { promise: found, resolve } = Promise.withResolvers<V | undefined>()
    waiting.set(key, { found, resolve })
    if (!isLoading) loadWaiting()
    return found
  }
}
