import type { Database, Queryable } from '../../database/database.ts'
import type { Statement } from '../../store/feature/bindings.ts'
import type { FeatureFilter } from '../../store/feature/feature_filter.ts'
import { findBatchEnd } from '../../store/feature/read_features.ts'
import type { OpenLayer } from './open_layer.ts'

/** Features that one statement reads where the database has one connection for everybody. */
const partLength = 5000

/** Which features are read, in the order of their ids. */
export interface PartSelection {
  readonly filter: FeatureFilter
  readonly limit?: number | undefined
}

/**
 * Gives the statements that read features in the order of their ids: one where the database has connections for others,
 * else one for each part, between which others have their turn. Such a reading is of no single moment: what is changed
 * meanwhile is read as it is when its part comes.
 */
export async function* splitReading(
  { layer, database }: OpenLayer,
  { filter, limit }: PartSelection,
  write: (part: PartSelection) => Statement,
): AsyncGenerator<Statement> {
  let left = limit
  let ids: FeatureFilter['ids'] = {}
  while (database.driver === 'pglite' && (left === undefined || left > partLength)) {
    const end = await findBatchEnd(database, layer, { filter: { ...filter, ids }, size: partLength })
    if (end === undefined) break
    yield write({ filter: { ...filter, ids: { ...ids, upTo: end } } })
    ids = { above: end }
    left = left === undefined ? undefined : left - partLength
  }
  yield write({ filter: { ...filter, ids }, limit: left })
}

/** What some statements are run on. */
export interface Reading {
  readonly database: Database
  readonly statements: Iterable<Statement> | AsyncIterable<Statement>
  readonly signal: AbortSignal
}

/** Runs statements one after the other, each in a transaction that only reads. */
export async function readEach(
  { database, statements, signal }: Reading,
  read: (tx: Queryable, statement: Statement) => Promise<void>,
): Promise<void> {
  for await (const statement of statements)
    await database.transaction((tx) => read(tx, statement), { readOnly: true, signal })
}
