import { LRUCache } from 'lru-cache'
import type { Queryable } from '../../database/database.ts'
import { isUnchanged, type Layer } from '../layer/stored_layer.ts'

/** The feature at an offset in the order of ids, at one version of a layer's data. */
export interface PageMark {
  readonly version: number
  readonly offset: number
  readonly id: number
}

/** Cached first features of pages, so that reading the next page does not skip all preceding features again. */
export interface PageMarks {
  /** Returns the last mark up to an offset for the version of a layer as read; statements check that it is current. */
  find(layer: Layer, offset: number): PageMark | undefined
  /**
   * Stores the first feature of a page, unless the layer has changed since it was read and the page may be of a later
   * version.
   */
  add(tx: Queryable, layer: Layer, first: Pick<PageMark, 'offset' | 'id'>): Promise<void>
}

/** Minimum distance of marks: skipping fewer features takes negligible time. */
const minDistance = 1000
const maxLayers = 500
const maxMarksPerLayer = 5000

/** Marks of one version, ordered by offset. */
interface LayerMarks {
  readonly version: number
  readonly marks: PageMark[]
}

/** Creates an empty cache. */
export function createPageMarks(): PageMarks {
  // Keyed by table, because replacing the data replaces the table.
  const layers = new LRUCache<string, LayerMarks>({ max: maxLayers })
  const find: PageMarks['find'] = ({ tableName, dataVersion }, offset) => {
    const cached = layers.get(tableName ?? '')
    return cached?.version === dataVersion
      ? cached.marks.findLast((mark) => mark.offset <= offset)
      : undefined
  }
  return {
    find,
    async add(tx, layer, { offset, id }) {
      const { tableName, dataVersion: version } = layer
      if (tableName === null || offset - (find(layer, offset)?.offset ?? 0) < minDistance) return
      const unchanged = await isUnchanged(tx, layer)
      const cached = layers.get(tableName)
      if (!unchanged || (cached?.version ?? 0) > version) return
      const marks = cached?.version === version ? cached.marks : []
      const at = marks.findLastIndex((mark) => mark.offset <= offset) + 1
      if (marks.length >= maxMarksPerLayer || marks[at - 1]?.offset === offset) return
      layers.set(tableName, { version, marks: marks.toSpliced(at, 0, { version, offset, id }) })
    },
  }
}
