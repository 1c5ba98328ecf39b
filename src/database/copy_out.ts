import type { Duplex } from 'node:stream'
import type { Connection, Submittable } from 'pg'

/** Bytes of a block of rows. */
const blockBytes = 64 * 1024

/** Bytes that wait for the reader, above which nothing more is read from the connection. */
const limitBytes = 1024 * 1024

/**
 * Statement `COPY … TO STDOUT` of the driver. It only collects what the driver has parsed, and throws nothing at it: after an
 * error, and after its reader has gone, further rows are discarded.
 */
export class CopyOut implements Submittable {
  readonly #text: string
  #stream: Duplex | undefined
  #blocks: Buffer[] = []
  #block = Buffer.alloc(0)
  #length = 0
  #waitingBytes = 0
  #isPaused = false
  #isDiscarded = false
  #end: { readonly error?: unknown } | undefined
  #wake: () => void = () => undefined

  constructor(text: string) {
    this.#text = text
  }

  /** Yields blocks of rows. Throws the error of the statement after the rows before it. */
  async *blocks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      for (const block of this.#take()) yield block
      if (this.#waitingBytes > 0) continue
      if (this.#end !== undefined) break
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    if ('error' in this.#end) throw this.#end.error
  }

  /** Discards all further rows. */
  discard(): void {
    this.#isDiscarded = true
    this.#take()
  }

  /** Called by the driver, as the functions below, whose names are its own. */
  submit(connection: Connection): void {
    this.#stream = connection.stream
    connection.query(this.#text)
  }

  readonly handleCopyData = ({ chunk }: { readonly chunk: Buffer }): void => {
    if (this.#isDiscarded || this.#end !== undefined) return
    this.#add(chunk)
    this.#waitingBytes += chunk.length
    if (this.#waitingBytes > limitBytes && !this.#isPaused) {
      this.#isPaused = true
      this.#stream?.pause()
    }
    this.#wake()
  }

  readonly handleError = (error: unknown): void => this.#finish({ error })

  readonly handleReadyForQuery = (): void => this.#finish({})

  readonly handleCommandComplete = (): void => undefined

  #finish(end: { readonly error?: unknown }): void {
    this.#end ??= end
    this.#wake()
  }

  /** Adds bytes to the last block. Copies them, because the driver reuses its buffer. */
  #add(chunk: Buffer): void {
    if (this.#length + chunk.length > this.#block.length) {
      this.#closeBlock()
      this.#block = Buffer.allocUnsafe(Math.max(blockBytes, chunk.length))
    }
    chunk.copy(this.#block, this.#length)
    this.#length += chunk.length
  }

  #closeBlock(): void {
    if (this.#length > 0) this.#blocks.push(this.#block.subarray(0, this.#length))
    this.#block = this.#block.subarray(this.#length)
    this.#length = 0
  }

  /** Takes what waits, and lets the connection continue. */
  #take(): Buffer[] {
    this.#closeBlock()
    const taken = this.#blocks
    this.#blocks = []
    this.#waitingBytes = 0
    if (this.#isPaused) {
      this.#isPaused = false
      this.#stream?.resume()
    }
    return taken
  }
}
