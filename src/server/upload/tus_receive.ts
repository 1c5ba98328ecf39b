import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { problem } from '../../contract/problems.ts'
import type { Blob } from '../../files/blob_store.ts'
import { appendParts, type PartialUpload } from '../../store/upload/partial_upload.ts'
import type { ServerContext } from '../context.ts'
import { aborted } from '../stream/spool.ts'
import type { Checksum } from './tus_protocol.ts'

/** So much of a body is kept at a time: no more is lost when the server dies. */
const partBytes = 16 * 2 ** 20

/** What comes for an upload. */
export interface Incoming {
  readonly raw: IncomingMessage
  readonly checksum: Checksum | undefined
  /** Gives on what comes as long as the sender may send more, and throws then. */
  readonly limit: (content: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>
}

/**
 * Takes what a request brings of an upload, and keeps what has come even where the client goes away; with a checksum,
 * all of it or nothing. Gives where the upload stands then.
 *
 * @throws {Problem} request/too-large, request/aborted, upload/checksum, upload/guests; upload/offset where another
 *   request was faster
 */
export async function receive(
  { database, blobs }: Pick<ServerContext, 'database' | 'blobs'>,
  upload: PartialUpload,
  { raw, checksum, limit }: Incoming,
): Promise<number> {
  await using source = new PartSource(raw, checksum?.algorithm)
  const waiting: Blob[] = []
  let offset = upload.offsetBytes
  const append = async (parts: readonly Blob[]) => {
    const isDone = await database.transaction((tx) =>
      appendParts(tx, upload.id, { offsetBytes: offset, parts }),
    )
    if (!isDone) throw outOfPlace(upload.id, offset)
    offset += sumOf(parts)
  }
  while (await source.hasMore()) {
    const limitBytes = upload.lengthBytes - offset - sumOf(waiting)
    const part = await blobs.put(limit(source.take(partBytes)), { limitBytes })
    if (checksum === undefined) await append([part])
    else waiting.push(part)
  }
  if (source.failure !== undefined) throw aborted(source.failure)
  if (checksum !== undefined && !source.digest().equals(checksum.digest))
    throw problem(
      'upload/checksum',
      `The part does not have the ${checksum.algorithm} checksum that it was sent with.`,
    )
  if (waiting.length > 0) await append(waiting)
  return offset
}

/** A part that does not go on where the upload stands. */
export function outOfPlace(id: string, offset: number) {
  return problem('upload/offset', `The upload ${id} does not stand at byte ${offset}.`, {
    data: { upload: id, offset },
  })
}

const sumOf = (parts: readonly Blob[]) => parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)

/** Cuts a body into parts as it comes. */
class PartSource implements AsyncDisposable {
  /** Why the body ended before its end; what came until then has been given. */
  failure: unknown
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #hash: ReturnType<typeof createHash> | undefined
  #next: Uint8Array | undefined

  constructor(raw: IncomingMessage, algorithm: string | undefined) {
    // What is left of a body that is too large is not cut off, so that the client reads the answer.
    this.#chunks = raw.iterator({ destroyOnReturn: false })
    this.#hash = algorithm === undefined ? undefined : createHash(algorithm)
  }

  /** Waits for the next bytes; tells whether there are any. */
  async hasMore(): Promise<boolean> {
    while (this.#next === undefined || this.#next.length === 0) {
      const { value, done } = await this.#read()
      if (done === true) return false
      this.#hash?.update(value)
      this.#next = value
    }
    return true
  }

  /** Gives bytes as they come, about as many as said. */
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

  /** Lets go of a body that is not read to its end: as long as it is held, what is left of it is not thrown away. */
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
