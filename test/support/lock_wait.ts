import { expect } from 'vitest'
import type { Database, Queryable } from '../../src/database/database.ts'

/**
 * Runs work in a transaction that commits once another connection waits for one of its locks, and returns the result of
 * the others. For PostgreSQL only: the embedded database has one connection.
 *
 * @param others starts the operations that will wait, after the work
 */
export async function commitWhenAwaited<T>(
  database: Database,
  work: (tx: Queryable) => Promise<unknown>,
  others: () => Promise<T>,
): Promise<T> {
  let waiting: Promise<T> | undefined
  await database.transaction(async (tx) => {
    await work(tx)
    waiting = others()
    await untilAwaited(database)
  })
  if (waiting === undefined) throw new Error('no operation was started')
  return waiting
}

/** Waits until a connection waits for a lock. For PostgreSQL only. */
export async function untilAwaited(database: Database): Promise<void> {
  await expect.poll(() => countWaits(database), { interval: 10 }).toBeGreaterThan(0)
}

async function countWaits(database: Database): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return row?.count ?? 0
}
