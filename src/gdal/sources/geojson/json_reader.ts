import { readSync } from 'node:fs'
import { JsonFault } from './geojson_fault.ts'

/** JSON characters, as bytes. @see RFC 8259 */
export const codes = {
  quote: 0x22,
  plus: 0x2b,
  comma: 0x2c,
  minus: 0x2d,
  dot: 0x2e,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  backslash: 0x5c,
  openList: 0x5b,
  closeList: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const

/** Thrown if more bytes are needed than the window contains; reading restarts with a larger window. */
const needsMore = new Error('the window ends')
const startBytes = 1 << 18
/** Maximum size of a feature. */
const maxFeatureBytes = 1 << 30
const maxShownLength = 80
const powersOfTen = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent)

/**
 * Reads JSON from an open file, byte by byte, through a window that contains one unit at a time: a feature, or a member
 * of the collection. Bytes up to 0x20 count as white space.
 */
export class JsonReader {
  readonly #file: number
  /** The window; a zero byte follows its end. */
  bytes: Buffer
  /** Position of the next byte in the window. */
  at = 0
  /** Position of the last string, without quotes. */
  stringStart = 0
  stringEnd = 0
  /** Whether the last string has escapes. */
  isEscaped = false
  /** Whether the last number has neither a fraction nor an exponent. */
  isInteger = false
  #end = 0
  /** Offset of the window in the file. */
  #before = 0
  #isLast = false

  /** @param windowBytes initial size of the window */
  constructor(file: number, windowBytes: number = startBytes) {
    this.#file = file
    this.bytes = Buffer.allocUnsafe(windowBytes + 1)
    this.bytes[0] = 0
  }

  /** Offset of `at` in the file. */
  get offset(): number {
    return this.#before + this.at
  }

  /** Calls `read` until the window contains everything it reads, each time from the same position. */
  unit<T>(read: () => T): T {
    for (;;) {
      const start = this.at
      try {
        return read()
      } catch (error) {
        if (error !== needsMore) throw error
        this.at = start
        this.#fill()
      }
    }
  }

  /** Moves the rest of the window to its start, and fills it. */
  #fill(): void {
    const { bytes, at } = this
    const kept = this.#end - at
    if (kept > maxFeatureBytes) throw this.fault('size')
    if (2 * kept >= bytes.length) this.bytes = Buffer.allocUnsafe(2 * bytes.length)
    bytes.copy(this.bytes, 0, at, this.#end)
    this.#before += at
    this.at = 0
    const read = readSync(this.#file, this.bytes, kept, this.bytes.length - 1 - kept, null)
    this.#end = kept + read
    this.#isLast = read === 0
    this.bytes[this.#end] = 0
  }

  /** Creates the error for the byte at a position. */
  fault(kind: JsonFault['kind'] = 'syntax', at: number = this.at): JsonFault {
    return new JsonFault(kind, this.#before + at)
  }

  /** Creates the error for a zero byte. */
  #endAt(at: number): Error {
    if (at < this.#end) return this.fault('nul', at)
    return this.#isLast ? this.fault('end', at) : needsMore
  }

  /** Skips white space; returns the byte after it. */
  next(): number {
    const { bytes } = this
    let { at } = this
    let byte = bytes[at] as number
    while (byte <= 0x20) {
      if (byte === 0) throw this.#endAt(at)
      at += 1
      byte = bytes[at] as number
    }
    this.at = at
    return byte
  }

  /** Skips white space; returns whether the file ends after it. */
  isAtEnd(): boolean {
    try {
      this.next()
      return false
    } catch (error) {
      if (error instanceof JsonFault && error.kind === 'end') return true
      throw error
    }
  }

  /** Skips white space and a required byte. */
  expect(byte: number): void {
    if (this.next() !== byte) throw this.fault()
    this.at += 1
  }

  /** Skips white space, and a byte if it matches. */
  takes(byte: number): boolean {
    if (this.next() !== byte) return false
    this.at += 1
    return true
  }

  /** Parses an object: calls `read` at each value, with the position of its key in `stringStart` and `stringEnd`. */
  members(read: () => void): void {
    this.expect(codes.openObject)
    if (this.takes(codes.closeObject)) return
    do {
      this.string()
      this.expect(codes.colon)
      this.next()
      read()
    } while (this.takes(codes.comma))
    this.expect(codes.closeObject)
  }

  /** Tells whether the last string equals an ASCII string. */
  isString(text: string): boolean {
    const { bytes, stringStart } = this
    if (this.stringEnd - stringStart !== text.length) return false
    for (let index = 0; index < text.length; index++)
      if (bytes[stringStart + index] !== text.charCodeAt(index)) return false
    return true
  }

  /** Parses a string, after white space. */
  string(): void {
    if (this.next() !== codes.quote) throw this.fault()
    const { bytes } = this
    let at = this.at + 1
    this.stringStart = at
    this.isEscaped = false
    for (;;) {
      const byte = bytes[at] as number
      if (byte === codes.quote) break
      if (byte === codes.backslash) {
        this.isEscaped = true
        at += 1
      }
      if (bytes[at] === 0) throw this.#endAt(at)
      at += 1
    }
    this.stringEnd = at
    this.at = at + 1
  }

  /** Parses a number. Up to 2^53 and 22 decimals, a quotient of doubles is exact; other numbers take longer. */
  number(): number {
    const { bytes } = this
    const start = this.at
    const isNegative = bytes[start] === codes.minus
    const first = isNegative ? start + 1 : start
    let at = first
    let digits = 0
    let byte = bytes[at] as number
    for (; byte >= codes.zero && byte <= codes.nine; byte = bytes[++at] as number)
      digits = digits * 10 + (byte - codes.zero)
    if (at === first) throw this.#badByte(at)
    if (bytes[first] === codes.zero && at > first + 1) throw this.fault('syntax', first)
    let decimals = 0
    if (byte === codes.dot) {
      const dot = at
      byte = bytes[++at] as number
      for (; byte >= codes.zero && byte <= codes.nine; byte = bytes[++at] as number)
        digits = digits * 10 + (byte - codes.zero)
      decimals = at - dot - 1
      if (decimals === 0) throw this.#badByte(at)
    }
    if (byte === 0) throw this.#endAt(at)
    this.isInteger = decimals === 0
    this.at = at
    if ((byte | 0x20) === 0x65 || digits > Number.MAX_SAFE_INTEGER || decimals > 22)
      return this.#longNumber(start)
    if (decimals === 0) return isNegative ? 0 - digits : digits
    const value = digits / (powersOfTen[decimals] as number)
    return isNegative ? -value : value
  }

  /** Parses the exponent of a number, if any, and then the whole number. */
  #longNumber(start: number): number {
    if (((this.bytes[this.at] as number) | 0x20) === 0x65) {
      this.isInteger = false
      this.at += 1
      const sign = this.bytes[this.at]
      if (sign === codes.plus || sign === codes.minus) this.at += 1
      const first = this.at
      while (isDigit(this.bytes[this.at] as number)) this.at += 1
      if (this.at === first || this.bytes[this.at] === 0) throw this.#badByte(this.at)
    }
    return Number(this.bytes.toString('latin1', start, this.at))
  }

  #badByte(at: number): Error {
    return this.bytes[at] === 0 ? this.#endAt(at) : this.fault('syntax', at)
  }

  /** Parses a word: a value that is not a string, list or object. */
  word(): string {
    const { bytes } = this
    const start = this.at
    let at = start
    while (isWordByte(bytes[at] as number)) at += 1
    if (bytes[at] === 0) throw this.#endAt(at)
    if (at === start) throw this.fault()
    this.at = at
    return bytes.toString('latin1', start, Math.min(at, start + maxShownLength))
  }

  /** Skips a value. In lists and objects, only strings, brackets and braces are parsed. */
  pass(): void {
    const byte = this.next()
    if (byte === codes.quote) this.string()
    else if (byte !== codes.openList && byte !== codes.openObject) this.word()
    else this.#passNested()
  }

  #passNested(): void {
    const { bytes } = this
    let depth = 0
    do {
      const byte = bytes[this.at] as number
      if (byte === codes.quote) {
        this.string()
        continue
      }
      if (byte === 0) throw this.#endAt(this.at)
      this.at += 1
      // Brackets and braces differ in one bit, which does not matter here.
      if ((byte | 0x20) === codes.openObject) depth += 1
      else if ((byte | 0x20) === codes.closeObject) depth -= 1
    } while (depth > 0)
  }

  /** Skips a value, and describes it. */
  describe(): string {
    const first = this.next()
    const start = this.at
    this.pass()
    if (first === codes.openList) return 'a list'
    if (first === codes.openObject) return 'an object'
    const [from, to] = first === codes.quote ? [this.stringStart, this.stringEnd] : [start, this.at]
    const text = this.bytes.toString('utf8', from, Math.min(to, from + maxShownLength))
    return first === codes.quote ? JSON.stringify(text) : text
  }
}

/** Tells whether a byte is a digit. */
export function isDigit(byte: number): boolean {
  return byte >= codes.zero && byte <= codes.nine
}

function isWordByte(byte: number): boolean {
  return (
    byte > 0x20 &&
    byte !== codes.comma &&
    byte !== codes.colon &&
    byte !== codes.quote &&
    (byte & 0xdf) !== codes.openList &&
    (byte & 0xdf) !== codes.closeList
  )
}
