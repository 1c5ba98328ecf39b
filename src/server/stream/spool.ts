import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'

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
