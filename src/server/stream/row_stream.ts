import { type Reading, readEach } from '../features/read_parts.ts'
import type { Spool } from './spool.ts'
import { type SpooledStreamOptions, streamSpooled } from './spooled_stream.ts'

/** Rows of JSON. */
export interface RowStream extends SpooledStreamOptions, Omit<Reading, 'signal'> {
  /** Told the first bytes, with what goes before them, where there is a row. */
  readonly onFirst?: ((bytes: Uint8Array) => void) | undefined
}

const lineFeed = 0x0a
const comma = 0x2c

/**
 * Streams the rows of statements as one JSON list.
 *
 * @throws {Problem} database/*, and what the statement runs into before its first row
 */
export function streamRows(options: RowStream): Promise<AsyncGenerator<Uint8Array>> {
  return streamSpooled(options, (spool, signal) => fill(spool, { ...options, signal }))
}

/** Drains the statements into the spool. */
async function fill(spool: Spool, { onFirst, ...reading }: RowStream): Promise<void> {
  const before = Buffer.from('[')
  let lead = before
  await readEach(reading, async (tx, { text, values }) => {
    for await (const chunk of tx.copyOut(text, values)) {
      const isWhole = chunk.at(-1) === lineFeed
      const rows = Buffer.concat([lead, isWhole ? chunk.subarray(0, -1) : chunk])
      replaceLineFeeds(rows)
      if (lead === before) onFirst?.(rows)
      await spool.write(rows)
      lead = isWhole ? Buffer.of(comma) : Buffer.of()
    }
  })
  await spool.write(Buffer.from(lead === before ? '[]' : ']'))
}

// Text of JSON has no line feed of its own: each one ends a row.
function replaceLineFeeds(bytes: Buffer): void {
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) bytes[at] = comma
}
