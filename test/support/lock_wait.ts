import { expect } from 'vitest'
import type { Database, Queryable } from '../../src/database/database.ts'

/**
 * Does work in a transaction that is committed only once somebody else waits for a lock of it, and gives what came of
 * the others. For PostgreSQL: the embedded database has one connection.
 *
 * @param others sends what is going to wait, once the work is done
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
    await expect.poll(() => countWaits(database), { interval: 10, timeout: 60_000 }).toBeGreaterThan(0)
  })
  if (waiting === undefined) throw new Error('nothing was sent')
  return waiting
}

async function countWaits(database: Database): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return row?.count ?? 0
}
