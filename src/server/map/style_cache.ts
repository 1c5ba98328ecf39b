import { LRUCache } from 'lru-cache'
import { workForServer } from '../../database/turns.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import type { ParsedStyle } from './stored_style.ts'

/** Parsed styles by what they depend on. */
export interface StyleCache {
  /** Returns the style of a key, which is read once for all who wait for it. */
  get(key: readonly unknown[], read: () => Promise<ParsedStyle>): Promise<ParsedStyle>
}

/** Maximum number of styles. */
const maxStyles = 500

/** Creates the cache of a server. */
export function createStyleCache(): StyleCache {
  const styles = new LRUCache<string, Promise<ParsedStyle>>({ max: maxStyles })
  return {
    get(parts, read) {
      const key = JSON.stringify(parts)
      const known = styles.get(key)
      if (known !== undefined) return known
      // For all who wait: it neither takes the turn of the first client nor ends when that one goes away.
      const reading = workForServer(read)
      styles.set(key, reading)
      reading.catch(() => styles.get(key) === reading && styles.delete(key))
      return reading
    },
  }
}

/** Returns all that the style of a resource depends on. */
export function styleKey(
  { id, version }: { readonly id: number; readonly version: number },
  { geometryType, fields }: Pick<Layer, 'geometryType' | 'fields'>,
): readonly unknown[] {
  return [id, version, geometryType, fields.map(({ keyname }) => keyname)]
}
