import type { Log } from '../core/log.ts'

/** The part of a driver pool that checkpoints need. */
export interface CheckpointTarget {
  query<R extends object>(text: string): Promise<{ readonly rows: R[] }>
}

/** Write-ahead log written since the last checkpoint, in bytes, that makes a checkpoint due; recovery replays it. */
const dueBytes = 64 * 2 ** 20
const everyMs = 15_000

/**
 * Runs a checkpoint once the write-ahead log has grown past a limit, so that its files can be recycled. A PostgreSQL
 * server has a checkpointer process; the embedded database does not, so its log would grow without limit.
 *
 * @returns whether a checkpoint was run
 */
export async function checkpointWhenDue(database: CheckpointTarget, limitBytes = dueBytes): Promise<boolean> {
  const { rows } = await database.query<{ due: boolean }>(
    `select pg_current_wal_lsn() - redo_lsn > ${limitBytes} as due from pg_control_checkpoint()`,
  )
  if (rows[0]?.due !== true) return false
  await database.query('checkpoint')
  return true
}

/** Checks periodically, without keeping the process alive, until the returned function is called. */
export function startCheckpoints(database: CheckpointTarget, log: Log): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    running = checkpointWhenDue(database).catch((error: unknown) =>
      log.warn({ err: error }, 'checkpoint of the embedded database failed'),
    )
  }, everyMs)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}
