import { type Reading, readEach } from '../features/read_parts.ts'
import { type SpooledStreamOptions, streamSpooled } from '../stream/spooled_stream.ts'

/** Rows of text. */
export interface LineStream extends SpooledStreamOptions, Omit<Reading, 'signal'> {}

/**
 * Streams the rows of statements as they are, each ended by a line feed, at the speed of the database, whatever the
 * client does.
 *
 * @throws {Problem} database/*, and what the statement runs into before its first row
 */
export function streamLines({ database, statements, ...options }: LineStream) {
  return streamSpooled(options, (spool, signal) =>
    readEach({ database, statements, signal }, async (tx, { text, values }) => {
      for await (const chunk of tx.copyOut(text, values)) await spool.write(chunk)
    }),
  )
}
