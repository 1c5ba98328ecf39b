import { problem } from '../../contract/problems.ts'
import { Spool } from './spool.ts'

/** What a spooled stream works with. */
export interface SpooledStreamOptions {
  /** Folder for what the client is too slow for. */
  readonly folder: string
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal
}

/**
 * Streams what `write` puts into a spool, at the writer's own speed, whatever the client does: no connection to the
 * database waits for a socket. Waits for the first bytes, so that work that fails at once gives an error and no
 * stream. The signal that `write` gets is aborted when nobody reads any more.
 */
export async function streamSpooled(
  options: SpooledStreamOptions,
  write: (spool: Spool, signal: AbortSignal) => Promise<void>,
): Promise<AsyncGenerator<Uint8Array>> {
  const spool = new Spool({ folder: options.folder })
  const left = new AbortController()
  // Never rejects: the reader of the spool meets the error.
  const filled = write(spool, AbortSignal.any([options.signal, left.signal])).then(
    () => spool.end(),
    (error: unknown) => spool.end(error),
  )
  const finish = async () => {
    left.abort(problem('request/aborted', 'The client went away.'))
    await filled
    await spool.close()
  }
  try {
    await spool.untilReadable()
  } catch (error) {
    await finish()
    throw error
  }
  // An answer that nobody reads to its end, or at all, still has to be cleared away.
  options.signal.addEventListener('abort', () => void finish(), { once: true })
  const stream = readSpool(spool, finish)
  await stream.next()
  return stream
}

async function* readSpool(spool: Spool, finish: () => Promise<void>): AsyncGenerator<Uint8Array> {
  try {
    // Nothing yet: once it has begun, returning from it clears away, even before the first read.
    yield Buffer.of()
    yield* spool.chunks()
  } finally {
    await finish()
  }
}
