import { LRUCache } from 'lru-cache'
import type { Queryable } from '../../database/database.ts'
import { isAsRead, type Layer } from '../layer/stored_layer.ts'
import { isForeign } from './foreign_table.ts'

/** Finds out something about all features of a layer. */
export type Look<T> = (tx: Queryable, layer: Layer) => Promise<T>

/** Layers of which something is known. */
const mostLayers = 5000

/**
 * Makes what is found out about all features of a layer be known until the layer changes. Who asks while somebody else
 * finds out waits for the same answer. Tables elsewhere change without a word: of those nothing is kept.
 */
export function rememberWhole<T>(look: Look<T>): Look<T> {
  // By table: one that takes the place of another has other features.
  const known = new LRUCache<string, { readonly version: number; readonly found: Promise<T> }>({
    max: mostLayers,
  })
  return (tx, layer) => {
    const { tableName, dataVersion: version } = layer
    if (tableName === null || isForeign(layer)) return look(tx, layer)
    const before = known.get(tableName)
    // Whoever has read the layer at this version may have it: all that was changed before he asked is in it.
    if (before?.version === version) return before.found.catch(() => look(tx, layer))
    const found = look(tx, layer)
    if (before !== undefined && before.version > version) return found
    known.set(tableName, { version, found })
    const forget = () => {
      if (known.get(tableName)?.found === found) known.delete(tableName)
    }
    // What was found while the layer changed is right for those who asked, and not for those after them.
    found
      .then(() => isAsRead(tx, layer))
      .then((isKept) => isKept || forget())
      .catch(forget)
    return found
  }
}
