import { LRUCache } from 'lru-cache'
import type { Queryable } from '../../database/database.ts'
import { isAsRead, type Layer } from '../layer/stored_layer.ts'

/** The feature that so many come before, in the order of ids, at one version of a layer's data. */
export interface PageMark {
  readonly version: number
  readonly offset: number
  readonly id: number
}

/** Where the pages of layers begin, as far as it is known: who turns the pages passes each feature once, not each time. */
export interface PageMarks {
  /** Gives the last mark before an offset that holds for a layer as it was read; statements check that it still does. */
  find(layer: Layer, offset: number): PageMark | undefined
  /**
   * Remembers which feature a page began with, if the layer has not changed since it was read: so the page is of that
   * version too.
   */
  learn(tx: Queryable, layer: Layer, begin: Pick<PageMark, 'offset' | 'id'>): Promise<void>
}

/** So many features are passed in hardly any time. */
const closeBy = 1000
const mostLayers = 500
const mostMarksOfLayer = 5000

/** Marks of one version, in order. */
interface Known {
  readonly version: number
  readonly marks: PageMark[]
}

/** Starts to remember. */
export function createPageMarks(): PageMarks {
  // By table: one that takes the place of another has other features.
  const layers = new LRUCache<string, Known>({ max: mostLayers })
  const find: PageMarks['find'] = ({ tableName, dataVersion }, offset) => {
    const known = layers.get(tableName ?? '')
    return known?.version === dataVersion ? known.marks.findLast((mark) => mark.offset <= offset) : undefined
  }
  return {
    find,
    async learn(tx, layer, { offset, id }) {
      const { tableName, dataVersion: version } = layer
      if (tableName === null || offset - (find(layer, offset)?.offset ?? 0) < closeBy) return
      const isKept = await isAsRead(tx, layer)
      const found = layers.get(tableName)
      if (!isKept || (found?.version ?? 0) > version) return
      const marks = found?.version === version ? found.marks : []
      const at = marks.findLastIndex((mark) => mark.offset <= offset) + 1
      if (marks.length >= mostMarksOfLayer || marks[at - 1]?.offset === offset) return
      layers.set(tableName, { version, marks: marks.toSpliced(at, 0, { version, offset, id }) })
    },
  }
}
