import type { Spool } from '../stream/spool.ts'

/** Size of a chunk in characters. */
const chunkLength = 1 << 16

/** Collects text and writes it to a spool in chunks. */
export class TextSink {
  readonly #spool: Spool
  #pending = ''

  constructor(spool: Spool) {
    this.#spool = spool
  }

  /** Adds text, which is written with the next chunk. */
  add(text: string): void {
    this.#pending += text
  }

  /** Returns the chunks of a source unchanged, and writes the text that their reader has added in between. */
  async *during(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      yield chunk
      // When the reader requests the next chunk, it has used the one before.
      if (this.#pending.length > chunkLength) await this.flush()
    }
  }

  /** Writes the remaining text. */
  async flush(): Promise<void> {
    const written = Buffer.from(this.#pending)
    this.#pending = ''
    await this.#spool.write(written)
  }
}
