import type { PageMark, PageMarks } from '../../store/feature/page_marks.ts'
import { canSkipByIndex, type FeatureSelection } from '../../store/feature/read_features.ts'
import type { OpenLayer } from './open_layer.ts'

/** A page of a feature list, with the remembered mark where it starts. */
export interface Page {
  readonly mark: PageMark | undefined
  /** Remembers the start of the page from its first bytes. Never rejects, since a mark is only an optimisation. */
  readonly learn: (bytes: Uint8Array) => void
}

/**
 * Finds the start of a page, so that the database need not scan the pages before it. Undefined for filters and sort
 * orders, which are too many to remember, and for external tables, whose changes are not reported.
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

/** Reads the id of the first feature in a list. */
function readFirstId(bytes: Uint8Array): number | undefined {
  const [, id] = /^\[\{"id":(-?\d+),/.exec(Buffer.from(bytes.subarray(0, 40)).toString('latin1')) ?? []
  return id === undefined ? undefined : Number(id)
}
