import { pipeline } from 'node:stream/promises'
import type { Terminal } from '../terminal.ts'

/**
 * Streams data to standard output with backpressure. Stops reading the data when the reader closes the pipe.
 *
 * @throws {Problem} of the data
 */
export async function streamOut(
  data: AsyncIterable<Uint8Array | string>,
  { out, interrupt }: Pick<Terminal, 'out' | 'interrupt'>,
): Promise<void> {
  try {
    await pipeline(data, out, { end: false, signal: interrupt })
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'].includes(code)) throw error
  }
}
