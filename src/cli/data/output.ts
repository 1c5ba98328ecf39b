import { pipeline } from 'node:stream/promises'
import type { Terminal } from '../terminal.ts'

/**
 * Streams data to standard output, no faster than it is read there. A reader that has seen enough goes away; then nothing
 * more is asked for either.
 *
 * @throws {Problem} what the data fail with
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
