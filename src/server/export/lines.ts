import type { Database } from '../../database/database.ts'
import type { Statement } from '../../store/feature/binding.ts'
import { type SpooledStreamOptions, streamSpooled } from '../spooled_stream.ts'

/** Rows of text. */
export interface LineStream extends SpooledStreamOptions {
  readonly database: Database
  readonly statement: Statement
}

/**
 * Streams the rows of a statement as they are, each ended by a line feed, at the speed of the database, whatever the
 * client does.
 *
 * @throws {Problem} database/*, and what the statement runs into before its first row
 */
export function streamLines({ database, statement, ...options }: LineStream) {
  return streamSpooled(options, (spool, signal) =>
    database.transaction(
      async (tx) => {
        for await (const chunk of tx.copyOut(statement.text, statement.values)) await spool.write(chunk)
      },
      { readOnly: true, signal },
    ),
  )
}
