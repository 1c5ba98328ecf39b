import type { Database } from '../../database/database.ts'
import { perDatabase } from '../../database/per_database.ts'
import { createPageMarks, type PageMark } from '../../store/feature/page_marks.ts'
import { type FeatureSelection, isPassedByIndex } from '../../store/feature/read_features.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'

const marksOf = perDatabase(createPageMarks)

/** What is known of the page of a layer, and what there is to learn from it. */
export interface Page {
  readonly mark: PageMark | undefined
  /** Learns from the first bytes of the page. Never rejects: a page that is not remembered is passed again. */
  readonly learn: (bytes: Uint8Array) => void
}

/**
 * Looks for where a page begins, so that the pages before it need not be passed again. Of filters and orders there are
 * too many to remember how far each has come, and tables elsewhere change without a word.
 */
export function openPage(database: Database, layer: Layer, selection: FeatureSelection): Page | undefined {
  const { offset = 0 } = selection
  if (offset === 0 || !isPassedByIndex(layer, selection)) return undefined
  const known = marksOf(database)
  return {
    mark: known.find(layer, offset),
    learn: (bytes) => {
      const id = readFirstId(bytes)
      if (id !== undefined) known.learn(database, layer, { offset, id }).catch(() => undefined)
    },
  }
}

/** Reads the id that the list of features begins with. */
function readFirstId(bytes: Uint8Array): number | undefined {
  const [, id] = /^\[\{"id":(-?\d+),/.exec(Buffer.from(bytes.subarray(0, 40)).toString('latin1')) ?? []
  return id === undefined ? undefined : Number(id)
}
