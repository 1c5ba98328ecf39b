import type { IncomingMessage } from 'node:http'
import { problem } from '../contract/problems.ts'
import { Spool } from './spool.ts'

/** A body that has arrived as a whole: read it once, then let it go. */
export interface SpooledBody extends AsyncDisposable {
  chunks(): AsyncIterable<Uint8Array>
}

/**
 * Takes in the body of a request, of any size, as fast or slow as the client sends it.
 *
 * @throws {Problem} request/aborted where the client goes away before the end
 */
export async function spoolBody(
  raw: IncomingMessage,
  folder: string,
  onChunk?: (chunk: Uint8Array) => void,
): Promise<SpooledBody> {
  const spool = new Spool({ folder })
  try {
    for await (const chunk of raw as AsyncIterable<Buffer>) {
      onChunk?.(chunk)
      await spool.write(chunk)
    }
  } catch (cause) {
    await spool.close()
    throw raw.complete ? cause : aborted(cause)
  }
  spool.end()
  return { chunks: () => spool.chunks(), [Symbol.asyncDispose]: () => spool.close() }
}

/** A client that went away in the middle of its body. */
export const aborted = (cause: unknown) =>
  problem('request/aborted', 'The request ended before its body did.', { cause })
