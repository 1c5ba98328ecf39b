import { createHash } from 'node:crypto'

/** Size of the text that is gathered before it is encoded. */
const pieceLength = 1 << 16

/** Changes of features, as the JSON list of a PATCH of features. */
export class FeaturePatch {
  /** Number of entries. */
  count = 0
  readonly #chunks: Buffer[] = []
  #text = '['

  /** Adds the JSON text of an entry. */
  add(entry: string): void {
    this.#text += this.count === 0 ? entry : `,\n${entry}`
    this.count += 1
    if (this.#text.length >= pieceLength) this.#flush()
  }

  /** Returns the text of the list in UTF-8; no entries can be added afterwards. */
  chunks(): readonly Buffer[] {
    if (this.#text !== '') {
      this.#text += ']'
      this.#flush()
    }
    return this.#chunks
  }

  /** Returns the SHA-256 of the list, which stands for it in digests of plans. */
  toJSON(): string {
    const hash = createHash('sha256')
    for (const chunk of this.chunks()) hash.update(chunk)
    return hash.digest('hex')
  }

  #flush(): void {
    this.#chunks.push(Buffer.from(this.#text))
    this.#text = ''
  }
}
