import { readSync } from 'node:fs'

/** Characters of JSON, as bytes. @see RFC 8259 */
export const codes = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  backslash: 0x5c,
  openList: 0x5b,
  closeList: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const

/** Ends the reading of what is no JSON. */
export class NoJson extends Error {}

const windowBytes = 1 << 20
/** Most bytes that are kept of a text, and of a word; a window has to hold more. */
const longestText = 80

/**
 * Passes over JSON in an open file, byte by byte, so that a file of any size takes no memory. It is meant to find a way
 * to some of the values: of the others it only makes sure that they end.
 */
export class JsonScan {
  readonly #file: number
  readonly #bytes: Buffer
  #at = 0
  #end = 0
  /** Bytes of the file before the window. */
  #before = 0

  constructor(file: number, windowSize: number = windowBytes) {
    this.#file = file
    this.#bytes = Buffer.allocUnsafe(windowSize)
  }

  /** Bytes that were passed. */
  get offset(): number {
    return this.#before + this.#at
  }

  /** Gives the byte that is next; -1 at the end of the file. */
  peek(): number {
    return this.#at < this.#end || this.#fill() ? (this.#bytes[this.#at] as number) : -1
  }

  /** Takes the byte that is next. */
  take(): void {
    this.#at += 1
  }

  /** Passes over what stands between values; gives the byte that is next, -1 at the end of the file. */
  next(): number {
    for (;;) {
      const byte = this.peek()
      if (byte > 0x20 || byte < 0) return byte
      this.take()
    }
  }

  /** Takes a byte that has to be next, behind blanks. */
  expect(byte: number): void {
    if (this.next() !== byte) throw new NoJson()
    this.take()
  }

  /** Takes a byte if it is next, behind blanks. */
  takes(byte: number): boolean {
    if (this.next() !== byte) return false
    this.take()
    return true
  }

  /** Reads a text, the beginning of a long one, with its escapes as they stand. */
  text(): string {
    this.expect(codes.quote)
    if (this.#end - this.#at <= longestText) this.#refill()
    const start = this.#at
    const isWhole = this.#toQuote() && this.#bytes[this.#at] === codes.quote
    const kept = this.#bytes.toString('utf8', start, Math.min(this.#at, start + longestText))
    if (isWhole) this.take()
    else this.#passText()
    return kept
  }

  /** Passes over a value: a list or an object with all there is in it. */
  pass(): void {
    const first = this.next()
    if (first === codes.openList || first === codes.openObject) {
      this.take()
      this.passRest(1)
    } else if (first === codes.quote) this.text()
    else if (this.word() === '') throw new NoJson()
  }

  /** Passes over the rest of lists and objects, of which so many are open. */
  passRest(open: number): void {
    let depth = open
    while (depth > 0) {
      const byte = this.peek()
      if (byte < 0) throw new NoJson()
      this.#at += 1
      if (byte === codes.quote) this.#passText()
      // Brackets and braces differ from each other by one bit that says nothing here.
      else if ((byte | 0x20) === codes.openObject) depth += 1
      else if ((byte | 0x20) === codes.closeObject) depth -= 1
    }
  }

  /** Reads what is neither text, list nor object: a number, a word, or nothing. */
  word(): string {
    let word = ''
    for (let byte = this.peek(); isWordByte(byte); byte = this.peek()) {
      if (word.length < longestText) word += String.fromCharCode(byte)
      this.take()
    }
    return word
  }

  /** Takes digits, points, signs and exponents. */
  passNumber(): void {
    do {
      const bytes = this.#bytes
      let at = this.#at
      while (at < this.#end && isNumberByte(bytes[at] as number)) at += 1
      this.#at = at
    } while (this.#at === this.#end && this.#fill())
  }

  /** Passes over the rest of a text, behind its first quote. */
  #passText(): void {
    for (;;) {
      if (!this.#toQuote()) {
        if (!this.#fill()) throw new NoJson()
        continue
      }
      this.#at += 1
      if (this.#bytes[this.#at - 1] === codes.quote) return
      // What is escaped ends nothing.
      if (this.peek() < 0) throw new NoJson()
      this.#at += 1
    }
  }

  /** Goes on to the next quote or backslash; false where the window has none. */
  #toQuote(): boolean {
    const bytes = this.#bytes
    const end = this.#end
    let at = this.#at
    while (at < end && bytes[at] !== codes.quote && bytes[at] !== codes.backslash) at += 1
    this.#at = at
    return at < end
  }

  #fill(): boolean {
    if (this.#at >= this.#end) this.#refill()
    return this.#at < this.#end
  }

  /** Keeps what was not read yet, and reads on behind it. */
  #refill(): void {
    const bytes = this.#bytes
    this.#before += this.#at
    const kept = bytes.copy(bytes, 0, this.#at, this.#end)
    const read = readSync(this.#file, bytes, kept, bytes.length - kept, null)
    this.#at = 0
    this.#end = kept + read
  }
}

function isWordByte(byte: number): boolean {
  return (
    byte > 0x20 &&
    byte !== codes.comma &&
    byte !== codes.colon &&
    byte !== codes.quote &&
    byte !== codes.openList &&
    byte !== codes.closeList &&
    byte !== codes.openObject &&
    byte !== codes.closeObject
  )
}

function isNumberByte(byte: number): boolean {
  if (byte >= 0x30) return byte <= 0x39 || byte === 0x65 || byte === 0x45
  return byte === 0x2e || byte === 0x2d || byte === 0x2b
}
