import type { PageMark, PageMarks } from '../../store/feature/page_marks.ts'
import { canSkipByIndex, type FeatureSelection } from '../../store/feature/read_features.ts'
import type { OpenLayer } from './open_layer.ts'

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
export function openPage(
  { database, layer }: OpenLayer,
  marks: PageMarks,
  selection: FeatureSelection,
): Page | undefined {
  const { offset = 0 } = selection
  if (offset === 0 || !canSkipByIndex(layer, selection)) return undefined
  return {
    mark: marks.find(layer, offset),
    learn: (bytes) => {
      const id = readFirstId(bytes)
      if (id !== undefined) marks.add(database, layer, { offset, id }).catch(() => undefined)
    },
  }
}

/** Reads the id that the list of features begins with. */
function readFirstId(bytes: Uint8Array): number | undefined {
  const [, id] = /^\[\{"id":(-?\d+),/.exec(Buffer.from(bytes.subarray(0, 40)).toString('latin1')) ?? []
  return id === undefined ? undefined : Number(id)
}
