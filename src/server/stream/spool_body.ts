import type { IncomingMessage } from 'node:http'
import { problem } from '../../contract/problems.ts'
import { Spool } from './spool.ts'

/** A body that has arrived as a whole: read it once, then let it go. */
export interface SpooledBody extends AsyncDisposable {
  chunks(): AsyncIterable<Uint8Array>
}

/** How a body is taken in. */
export interface SpoolBodyOptions {
  /** Folder for what does not fit into memory. */
  readonly folder: string
  readonly limitBytes: number
  /** Called with each chunk as it comes. */
  readonly onChunk?: ((chunk: Uint8Array) => void) | undefined
}

/**
 * Takes in the body of a request, as fast or slow as the client sends it.
 *
 * @throws {Problem} request/too-large; request/aborted where the client goes away before the end; and what the disk is
 *   refused with
 */
export async function spoolBody(
  raw: IncomingMessage,
  { folder, limitBytes, onChunk }: SpoolBodyOptions,
): Promise<SpooledBody> {
  const spool = new Spool({ folder })
  let sizeBytes = 0
  try {
    for await (const chunk of piecesOf(raw)) {
      sizeBytes += chunk.length
      if (sizeBytes > limitBytes) throw tooLarge(limitBytes)
      onChunk?.(chunk)
      await spool.write(chunk)
    }
  } catch (error) {
    await spool.close()
    throw error
  }
  spool.end()
  return { chunks: () => spool.chunks(), [Symbol.asyncDispose]: () => spool.close() }
}

/**
 * Gives the body of a request as it comes.
 *
 * @throws {Problem} request/aborted where the client goes away before the end
 */
export async function* piecesOf(raw: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    // What is left of a body that cannot be taken is not cut off, so that the client reads the answer.
    yield* raw.iterator({ destroyOnReturn: false })
  } catch (cause) {
    throw aborted(cause)
  }
}

/** A body that is larger than its operation takes. */
export const tooLarge = (limitBytes: number) =>
  problem('request/too-large', `The body has more than ${limitBytes} bytes.`)

/** A client that went away in the middle of its body. */
export const aborted = (cause: unknown) =>
  problem('request/aborted', 'The request ended before its body did.', { cause })
