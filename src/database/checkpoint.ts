import type { Log } from '../core/log.ts'

/** What may be asked of the embedded database itself. */
export interface Asked {
  query<R extends object>(text: string): Promise<{ readonly rows: R[] }>
}

/** So much may be written to the log before its pages are: what a start after a kill has to read again. */
const dueBytes = 64 * 2 ** 20
const everyMs = 15_000

/**
 * Writes the pages that the write-ahead log is ahead of, once that is much, so that its files can be used again. A
 * PostgreSQL of its own has a process for it; the embedded one has none, and its log would grow for ever.
 *
 * @returns whether it was due
 */
export async function checkpointWhenDue(database: Asked, limitBytes = dueBytes): Promise<boolean> {
  const { rows } = await database.query<{ due: boolean }>(
    `select pg_current_wal_lsn() - redo_lsn > ${limitBytes} as due from pg_control_checkpoint()`,
  )
  if (rows[0]?.due !== true) return false
  await database.query('checkpoint')
  return true
}

/** Looks every now and then, without keeping the process alive, until the returned function is called. */
export function startCheckpoints(database: Asked, log: Log): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    running = checkpointWhenDue(database).catch((error: unknown) =>
      log.warn({ err: error }, 'the log of the embedded database could not be shortened'),
    )
  }, everyMs)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}
