import { LRUCache } from 'lru-cache'
import type { Queryable } from '../../database/database.ts'
import { isUnchanged, type Layer } from '../layer/stored_layer.ts'
import { isForeign } from './feature_table.ts'

/** Computes a value from all features of a layer. */
export type LayerQuery<T> = (tx: Queryable, layer: Layer) => Promise<T>

const maxLayers = 5000

/**
 * Caches the result of a query by layer until the layer changes; concurrent callers share one run. Results of tables in
 * other databases are not cached, because these change without notice.
 */
export function cacheByVersion<T>(query: LayerQuery<T>): LayerQuery<T> {
  // Keyed by table, because replacing the data replaces the table.
  const cache = new LRUCache<string, { readonly version: number; readonly result: Promise<T> }>({
    max: maxLayers,
  })
  return (tx, layer) => {
    const { tableName, dataVersion: version } = layer
    if (tableName === null || isForeign(layer)) return query(tx, layer)
    const before = cache.get(tableName)
    // A caller that read the layer at this version sees all changes made before its request.
    if (before?.version === version) return before.result.catch(() => query(tx, layer))
    const result = query(tx, layer)
    if (before !== undefined && before.version > version) return result
    cache.set(tableName, { version, result })
    const remove = () => {
      if (cache.get(tableName)?.result === result) cache.delete(tableName)
    }
    // A result computed while the layer changed is correct for its callers, but not for later ones.
    result
      .then(() => isUnchanged(tx, layer))
      .then((unchanged) => unchanged || remove())
      .catch(remove)
    return result
  }
}
