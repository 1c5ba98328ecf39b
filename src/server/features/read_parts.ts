import type { Database, Queryable } from '../../database/database.ts'
import type { FeatureFilter } from '../../store/feature/feature_filter.ts'
import type { Statement } from '../../store/feature/feature_sql.ts'
import type { PageMark, PageMarks } from '../../store/feature/page_marks.ts'
import { canSkipByIndex, type FeatureSelection, findBatchEnd } from '../../store/feature/read_features.ts'
import type { OpenLayer } from './open_layer.ts'

/** Number of features that one statement reads if the database has a single connection. */
const batchSize = 5000

/** Number of features that are read quickly. */
const fewFeatures = 1000

/** Selection of features in order of their ids. */
export interface PartSelection {
  readonly filter: FeatureFilter
  readonly limit?: number | undefined
}

/**
 * Yields statements that read features in order of their ids: one statement if the database has several connections,
 * else one for each batch, so that other requests run in between. Batches are not read from one snapshot: concurrent
 * changes show in later batches.
 */
export async function* splitReading(
  { layer, database }: OpenLayer,
  { filter, limit }: PartSelection,
  write: (part: PartSelection) => Statement,
): AsyncGenerator<Statement> {
  let left = limit
  let ids: FeatureFilter['ids'] = {}
  while (database.driver === 'pglite' && (left === undefined || left > batchSize)) {
    const end = await findBatchEnd(database, layer, { filter: { ...filter, ids }, size: batchSize })
    if (end === undefined) break
    yield write({ filter: { ...filter, ids: { ...ids, upTo: end } } })
    ids = { above: end }
    left = left === undefined ? undefined : left - batchSize
  }
  yield write({ filter: { ...filter, ids }, limit: left })
}

/** Statements and the database that runs them. */
export interface Reading {
  readonly database: Database
  readonly statements: Iterable<Statement> | AsyncIterable<Statement>
  /** Maximum number of features of all statements, if it is known: a few of them do not wait for exports. */
  readonly most?: number | undefined
  readonly signal: AbortSignal
}

/**
 * Runs statements one after the other: each in a read-only transaction, or on its own if the database has a single
 * connection, because beginning and ending a transaction takes a quarter of the time of a batch there.
 */
export async function readEach(
  { database, statements, most = Number.POSITIVE_INFINITY, signal }: Reading,
  read: (tx: Pick<Queryable, 'copyOut'>, statement: Statement) => Promise<void>,
): Promise<void> {
  const alone: Pick<Queryable, 'copyOut'> = {
    copyOut: (select, values, options) => database.copyOut(select, values, { ...options, signal }),
  }
  const isExport = most > fewFeatures
  for await (const statement of statements)
    if (database.driver === 'pglite') await read(alone, statement)
    else await database.transaction((tx) => read(tx, statement), { readOnly: true, signal, isExport })
}

/** A page of a feature list, with the remembered mark where it starts. */
interface Page {
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
