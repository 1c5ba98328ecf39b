import { problem } from '../contract/problems.ts'
import type { Database } from '../database/database.ts'
import type { Statement } from '../store/feature/binding.ts'
import { Spool } from './spool.ts'

/** Rows of JSON and what goes around them. */
export interface RowStream {
  readonly database: Database
  readonly statement: Statement
  /** Folder for what the client is too slow for. */
  readonly folder: string
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal
  /** Text before the first row and behind the last. @default `[` and `]` */
  readonly around?: readonly [before: string, after: string]
}

const lineFeed = 0x0a
const comma = 0x2c

/**
 * Streams the rows of a statement as one JSON list. The database is drained at its own speed, whatever the client
 * does: no connection waits for a socket. Waits for the first bytes, so that a statement that fails at once gives an
 * error and no stream.
 *
 * @throws {Problem} database/*, and what the statement runs into before its first row
 */
export async function streamRows(options: RowStream): Promise<AsyncGenerator<Uint8Array>> {
  const spool = new Spool({ folder: options.folder })
  const left = new AbortController()
  const signal = AbortSignal.any([options.signal, left.signal])
  const filled = fill(spool, { ...options, signal })
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

/** Drains the statement into the spool. Never rejects: the reader of the spool meets the error. */
async function fill(spool: Spool, { database, statement, around = ['[', ']'], signal }: RowStream) {
  const [before, after] = around.map((text) => Buffer.from(text))
  try {
    await database.transaction(
      async (tx) => {
        let lead = before ?? Buffer.of()
        for await (const chunk of tx.copyOut(statement.text, statement.values)) {
          const isWhole = chunk.at(-1) === lineFeed
          const rows = Buffer.concat([lead, isWhole ? chunk.subarray(0, -1) : chunk])
          replaceLineFeeds(rows)
          await spool.write(rows)
          lead = isWhole ? Buffer.of(comma) : Buffer.of()
        }
        await spool.write(Buffer.concat([lead === before ? lead : Buffer.of(), after ?? Buffer.of()]))
      },
      { readOnly: true, signal },
    )
    spool.end()
  } catch (error) {
    spool.end(error)
  }
}

// Text of JSON has no line feed of its own: each one ends a row.
function replaceLineFeeds(bytes: Buffer): void {
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) bytes[at] = comma
}
