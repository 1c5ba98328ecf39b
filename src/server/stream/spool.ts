import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { problem } from '../../contract/problems.ts'
import { type Reading, readEach } from '../features/read_parts.ts'

/** Storage of a spool for unread bytes. */
export interface SpoolOptions {
  /** Folder for the file that holds bytes beyond the memory limit. */
  readonly folder: string
  /** Maximum number of bytes in memory. @default 4 MiB */
  readonly memoryBytes?: number
}

const defaultMemoryBytes = 4 * 2 ** 20
const readBytes = 256 * 2 ** 10

/**
 * Buffer between a fast writer and a slow reader: holds a few megabytes in memory and the rest in a file, so that the
 * writer never waits for the reader. For one writer and one reader. The file is unlinked right after it is opened, so that
 * it disappears with the process.
 */
export class Spool {
  readonly #options: SpoolOptions
  readonly #queue: Uint8Array[] = []
  #queuedBytes = 0
  #file: FileHandle | undefined
  /** Write and read positions in the file; both are reset when the reader has caught up. */
  #written = 0
  #read = 0
  #end: { readonly error?: unknown } | undefined
  #wake: (() => void) | undefined
  #writing: Promise<unknown> = Promise.resolve()
  #closed: Promise<void> | undefined

  constructor(options: SpoolOptions) {
    this.#options = options
  }

  /** Adds bytes; resolves when they are stored. The bytes must not be modified afterwards. */
  write(chunk: Uint8Array): Promise<void> {
    const { memoryBytes = defaultMemoryBytes } = this.#options
    const fits = this.#read === this.#written && this.#queuedBytes + chunk.length <= memoryBytes
    if (!fits) {
      const writing = this.#append(chunk)
      this.#writing = writing.catch(() => undefined)
      return writing
    }
    this.#queue.push(chunk)
    this.#queuedBytes += chunk.length
    this.#notify()
    return Promise.resolve()
  }

  /** Marks the end of the content; with an error, the content is incomplete. */
  end(error?: unknown): void {
    this.#end ??= error === undefined ? {} : { error }
    this.#notify()
  }

  /** Resolves when bytes or the end can be read. */
  async untilReadable(): Promise<void> {
    while (this.#queue.length === 0 && this.#read === this.#written && this.#end === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    if (this.#queue.length === 0 && this.#read === this.#written) this.#throwError()
  }

  /** Yields the written bytes in order. Throws the error passed to `end` after the last byte. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      await this.untilReadable()
      const chunk = this.#queue.shift()
      if (chunk !== undefined) {
        this.#queuedBytes -= chunk.length
        yield chunk
      } else if (this.#read < this.#written) yield await this.#readBack()
      else return
    }
  }

  /** Releases memory and file; idempotent. Do not write or read afterwards. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    this.end()
    this.#queue.length = 0
    await this.#writing
    const file = this.#file
    this.#file = undefined
    await file?.close()
  }

  #throwError(): void {
    if (this.#end && 'error' in this.#end) throw this.#end.error
  }

  #notify(): void {
    this.#wake?.()
    this.#wake = undefined
  }

  async #append(chunk: Uint8Array): Promise<void> {
    this.#file ??= await openUnlinked(this.#options.folder)
    // Reuses the file when the reader has caught up, so that it never exceeds the unread bytes.
    if (this.#read === this.#written) this.#read = this.#written = 0
    let at = 0
    while (at < chunk.length) {
      const { bytesWritten } = await this.#file.write(chunk, at, chunk.length - at, this.#written)
      at += bytesWritten
      this.#written += bytesWritten
      this.#notify()
    }
  }

  async #readBack(): Promise<Uint8Array> {
    const length = Math.min(readBytes, this.#written - this.#read)
    const buffer = Buffer.allocUnsafe(length)
    const result = await this.#file?.read(buffer, 0, length, this.#read)
    const { bytesRead = 0 } = result ?? {}
    if (bytesRead === 0) throw new Error('the spool file is truncated')
    this.#read += bytesRead
    return buffer.subarray(0, bytesRead)
  }
}

async function openUnlinked(folder: string): Promise<FileHandle> {
  const path = join(folder, `spool-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await rm(path, { force: true })
  return file
}

/** Options of a spooled stream. */
export interface SpooledStreamOptions {
  /** Folder of the spool file. */
  readonly folder: string
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
}

/**
 * Streams the output of `write` through a spool, so that a slow client does not block a database connection. Waits for
 * the first bytes, so that early failures reject instead of breaking the stream. The signal passed to `write` is aborted
 * when the stream is no longer read.
 */
export async function streamSpooled(
  options: SpooledStreamOptions,
  write: (spool: Spool, signal: AbortSignal) => Promise<void>,
): Promise<AsyncGenerator<Uint8Array>> {
  const spool = new Spool({ folder: options.folder })
  const abandoned = new AbortController()
  // Never rejects: the reader of the spool gets the error.
  let isFilled = false
  const filled = write(spool, AbortSignal.any([options.signal, abandoned.signal]))
    .then(
      () => spool.end(),
      (error: unknown) => spool.end(error),
    )
    .finally(() => {
      isFilled = true
    })
  const finish = async () => {
    if (!isFilled) abandoned.abort(problem('request/aborted', 'The client disconnected.'))
    await filled
    await spool.close()
  }
  try {
    await spool.untilReadable()
  } catch (error) {
    await finish()
    throw error
  }
  // Cleans up streams that are not read to their end.
  options.signal.addEventListener('abort', () => void finish(), { once: true })
  const stream = readSpool(spool, finish)
  await stream.next()
  return stream
}

async function* readSpool(spool: Spool, finish: () => Promise<void>): AsyncGenerator<Uint8Array> {
  try {
    // An empty first chunk starts the generator, so that its `finally` runs even if nothing is read.
    yield Buffer.of()
    yield* spool.chunks()
  } finally {
    await finish()
  }
}

/** Completely received body, which can be read once. */
interface SpooledBody extends AsyncDisposable {
  chunks(): AsyncIterable<Uint8Array>
}

/** Options for receiving a body. */
interface SpoolBodyOptions {
  /** Folder of the spool file. */
  readonly folder: string
  readonly limitBytes: number
  /** Called with each received chunk. */
  readonly onChunk?: ((chunk: Uint8Array) => void) | undefined
}

/**
 * Receives the complete body of a request into a spool.
 *
 * @throws {Problem} request/too-large; request/aborted if the client disconnects before the end; also throws errors of
 *   the disk
 */
export async function spoolBody(
  raw: IncomingMessage,
  { folder, limitBytes, onChunk }: SpoolBodyOptions,
): Promise<SpooledBody> {
  const spool = new Spool({ folder })
  let sizeBytes = 0
  try {
    for await (const chunk of streamBody(raw)) {
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

/** Tells by its headers whether a request has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

/**
 * Streams the body of a request.
 *
 * @throws {Problem} request/aborted if the client disconnects before the end
 */
export async function* streamBody(raw: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    // Does not destroy the rest of a rejected body, so that the client reads the response.
    yield* raw.iterator({ destroyOnReturn: false })
  } catch (cause) {
    throw aborted(cause)
  }
}

/** Creates the error for a body that exceeds the limit of its operation. */
export const tooLarge = (limitBytes: number) =>
  problem('request/too-large', `The body is larger than ${limitBytes} bytes.`)

/** Creates the error for a client that disconnects before its body is complete. */
export const aborted = (cause: unknown) =>
  problem('request/aborted', 'The request ended before its body was complete.', { cause })

/** Statements whose rows are JSON values. */
interface RowStream extends SpooledStreamOptions, Omit<Reading, 'signal'> {
  /** Called with the first chunk, including the opening bracket, if there are rows. */
  readonly onFirst?: ((bytes: Uint8Array) => void) | undefined
}

const lineFeed = 0x0a
const comma = 0x2c

/**
 * Streams the rows of statements as one JSON list.
 *
 * @throws {Problem} database/*, and other errors of a statement before its first row
 */
export function streamRows(options: RowStream): Promise<AsyncGenerator<Uint8Array>> {
  return streamSpooled(options, (spool, signal) => fill(spool, { ...options, signal }))
}

/** Writes the rows of the statements to the spool. */
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

/** Replaces the line feeds between rows of JSON by commas. JSON output contains no line feeds, so each one ends a row. */
export function replaceLineFeeds(bytes: Buffer): void {
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) bytes[at] = comma
}
