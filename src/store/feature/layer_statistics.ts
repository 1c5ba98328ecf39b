import { LRUCache } from 'lru-cache'
import type { Queryable } from '../../database/database.ts'
import { isAsRead, type Layer } from '../layer/stored_layer.ts'
import { isForeign } from './foreign_table.ts'

/** Computes a value from all features of a layer. */
export type LayerQuery<T> = (tx: Queryable, layer: Layer) => Promise<T>

const mostLayers = 5000

/**
 * Caches the result of a query by layer until the layer changes; concurrent callers share one run. Results of tables in
 * other databases are not cached, because these change without notice.
 */
export function shareByVersion<T>(look: LayerQuery<T>): LayerQuery<T> {
  // By table: a table that replaces another has other features.
  const known = new LRUCache<string, { readonly version: number; readonly found: Promise<T> }>({
    max: mostLayers,
  })
  return (tx, layer) => {
    const { tableName, dataVersion: version } = layer
    if (tableName === null || isForeign(layer)) return look(tx, layer)
    const before = known.get(tableName)
    // A caller that read the layer at this version sees all changes made before its request.
    if (before?.version === version) return before.found.catch(() => look(tx, layer))
    const found = look(tx, layer)
    if (before !== undefined && before.version > version) return found
    known.set(tableName, { version, found })
    const forget = () => {
      if (known.get(tableName)?.found === found) known.delete(tableName)
    }
    // A result computed while the layer changed is correct for its callers, but not for later ones.
    found
      .then(() => isAsRead(tx, layer))
      .then((isKept) => isKept || forget())
      .catch(forget)
    return found
  }
}
