import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { problem } from '../../contract/problems.ts'
import { type Reading, readEach } from '../features/read_parts.ts'

/** How a spool holds what was not read yet. */
export interface SpoolOptions {
  /** Folder for the file that takes what does not fit into memory. */
  readonly folder: string
  /** Most bytes in memory. @default 4 MiB */
  readonly memoryBytes?: number
}

const defaultMemoryBytes = 4 * 2 ** 20
const readBytes = 256 * 2 ** 10

/**
 * Stands between a fast writer and a slow reader: keeps some megabytes in memory and the rest in a file, so that the
 * writer never waits for the reader. One writer, one reader. The file has no name as soon as it is open, so that it
 * goes with the process whatever happens.
 */
export class Spool {
  readonly #options: SpoolOptions
  readonly #queue: Uint8Array[] = []
  #queuedBytes = 0
  #file: FileHandle | undefined
  /** Bytes of the file that were written and read so far; both go back to zero when the reader has caught up. */
  #written = 0
  #read = 0
  #end: { readonly error?: unknown } | undefined
  #wake: (() => void) | undefined
  #writing: Promise<unknown> = Promise.resolve()
  #closed: Promise<void> | undefined

  constructor(options: SpoolOptions) {
    this.#options = options
  }

  /** Takes bytes; resolves when they are kept. The bytes must not change later. */
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

  /** Says that nothing more comes; with an error, that the rest is missing. */
  end(error?: unknown): void {
    this.#end ??= error === undefined ? {} : { error }
    this.#notify()
  }

  /** Resolves when there is something to read, or the end. */
  async untilReadable(): Promise<void> {
    while (this.#queue.length === 0 && this.#read === this.#written && this.#end === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    if (this.#queue.length === 0 && this.#read === this.#written) this.#throwError()
  }

  /** Gives what was written, in order, as it comes; throws the error of the end behind the last byte. */
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

  /** Lets go of memory and file, once, however often it is asked for. Nothing may be written or read afterwards. */
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
    this.#file ??= await openNameless(this.#options.folder)
    // A reader that has caught up starts anew with the file: it never grows beyond what waits.
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
    const wanted = Math.min(readBytes, this.#written - this.#read)
    const buffer = Buffer.allocUnsafe(wanted)
    const result = await this.#file?.read(buffer, 0, wanted, this.#read)
    const { bytesRead = 0 } = result ?? {}
    if (bytesRead === 0) throw new Error('the spool file has lost its end')
    this.#read += bytesRead
    return buffer.subarray(0, bytesRead)
  }
}

async function openNameless(folder: string): Promise<FileHandle> {
  const path = join(folder, `spool-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await rm(path, { force: true })
  return file
}

/** What a spooled stream works with. */
export interface SpooledStreamOptions {
  /** Folder for what the client is too slow for. */
  readonly folder: string
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal
}

/**
 * Streams what `write` puts into a spool, at the writer's own speed, whatever the client does: no connection to the
 * database waits for a socket. Waits for the first bytes, so that work that fails at once gives an error and no
 * stream. The signal that `write` gets is aborted when nobody reads any more.
 */
export async function streamSpooled(
  options: SpooledStreamOptions,
  write: (spool: Spool, signal: AbortSignal) => Promise<void>,
): Promise<AsyncGenerator<Uint8Array>> {
  const spool = new Spool({ folder: options.folder })
  const left = new AbortController()
  // Never rejects: the reader of the spool meets the error.
  const filled = write(spool, AbortSignal.any([options.signal, left.signal])).then(
    () => spool.end(),
    (error: unknown) => spool.end(error),
  )
  const finish = async () => {
    left.abort(problem('request/aborted', 'The client went away.'))
    await filled
    await spool.close()
  }
  try {
    await spool.untilReadable()
  } catch (error) {
    await finish()
    throw error
  }
  // An answer that nobody reads to its end, or at all, still has to be cleared away.
  options.signal.addEventListener('abort', () => void finish(), { once: true })
  const stream = readSpool(spool, finish)
  await stream.next()
  return stream
}

async function* readSpool(spool: Spool, finish: () => Promise<void>): AsyncGenerator<Uint8Array> {
  try {
    // Nothing yet: once it has begun, returning from it clears away, even before the first read.
    yield Buffer.of()
    yield* spool.chunks()
  } finally {
    await finish()
  }
}

/** A body that has arrived as a whole: read it once, then let it go. */
interface SpooledBody extends AsyncDisposable {
  chunks(): AsyncIterable<Uint8Array>
}

/** How a body is taken in. */
interface SpoolBodyOptions {
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

/** Rows of JSON. */
interface RowStream extends SpooledStreamOptions, Omit<Reading, 'signal'> {
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
