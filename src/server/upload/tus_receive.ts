import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { problem } from '../../contract/problems.ts'
import type { Blob } from '../../files/blob_store.ts'
import { appendParts, type PartialUpload } from '../../store/upload/partial_upload.ts'
import type { ServerContext } from '../context.ts'
import { aborted } from '../stream/spool.ts'
import type { Checksum } from './tus_protocol.ts'

/** Size of the stored pieces of a body, which limits the loss when the server crashes. */
const partBytes = 16 * 2 ** 20

/** Received part of an upload. */
export interface IncomingPart {
  readonly raw: IncomingMessage
  readonly checksum: Checksum | undefined
  /** Passes the content through; throws when the sender exceeds its quota. */
  readonly limit: (content: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>
}

/**
 * Receives a part and returns the new offset of the upload. Keeps what was received if the client disconnects; a part with
 * a checksum is stored completely or not at all.
 *
 * @throws {Problem} request/too-large, request/aborted, upload/checksum, upload/guests; upload/offset if a concurrent
 *   request has appended to the upload
 */
export async function receive(
  { database, blobs }: Pick<ServerContext, 'database' | 'blobs'>,
  upload: PartialUpload,
  { raw, checksum, limit }: IncomingPart,
): Promise<number> {
  await using source = new BodySplitter(raw, checksum?.algorithm)
  const unverified: Blob[] = []
  let offset = upload.offsetBytes
  const append = async (parts: readonly Blob[]) => {
    const isDone = await database.transaction((tx) =>
      appendParts(tx, upload.id, { offsetBytes: offset, parts }),
    )
    if (!isDone) throw offsetMismatch(upload.id, offset)
    offset += sumOf(parts)
  }
  while (await source.hasMore()) {
    const limitBytes = upload.lengthBytes - offset - sumOf(unverified)
    const part = await blobs.put(limit(source.take(partBytes)), { limitBytes })
    if (checksum === undefined) await append([part])
    else unverified.push(part)
  }
  if (source.failure !== undefined) throw aborted(source.failure)
  if (checksum !== undefined && !source.digest().equals(checksum.digest))
    throw problem('upload/checksum', `The ${checksum.algorithm} checksum does not match the received part.`)
  if (unverified.length > 0) await append(unverified)
  return offset
}

/** Creates the error for a part whose offset is not the current end of the upload. */
export function offsetMismatch(id: string, offset: number) {
  return problem('upload/offset', `Offset ${offset} is not the current offset of upload ${id}.`, {
    data: { upload: id, offset },
  })
}

const sumOf = (parts: readonly Blob[]) => parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)

/** Splits a streamed body into pieces. */
class BodySplitter implements AsyncDisposable {
  /** Error that ended the body early; the bytes before it are still returned. */
  failure: unknown
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #hash: ReturnType<typeof createHash> | undefined
  #next: Uint8Array | undefined

  constructor(raw: IncomingMessage, algorithm: string | undefined) {
    // Does not destroy the rest of a body that is too large, so that the client reads the response.
    this.#chunks = raw.iterator({ destroyOnReturn: false })
    this.#hash = algorithm === undefined ? undefined : createHash(algorithm)
  }

  /** Waits for the next bytes and tells whether any are left. */
  async hasMore(): Promise<boolean> {
    while (this.#next === undefined || this.#next.length === 0) {
      const { value, done } = await this.#read()
      if (done === true) return false
      this.#hash?.update(value)
      this.#next = value
    }
    return true
  }

  /** Yields chunks up to about the given size. */
  async *take(sizeBytes: number): AsyncGenerator<Uint8Array> {
    let taken = 0
    while (taken < sizeBytes && (await this.hasMore())) {
      const chunk = this.#next ?? new Uint8Array()
      this.#next = undefined
      taken += chunk.length
      yield chunk
    }
  }

  digest(): Buffer {
    return this.#hash?.digest() ?? Buffer.of()
  }

  /** Releases a partly read body, so that its rest can be discarded. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#chunks.return?.()
  }

  async #read(): Promise<IteratorResult<Uint8Array>> {
    try {
      return await this.#chunks.next()
    } catch (cause) {
      this.failure = cause
      return { value: undefined, done: true }
    }
  }
}
