/** Kind of a token of Well-Known Text; `other` is an invalid character. */
export type WktToken = 'word' | 'number' | 'open' | 'close' | 'comma' | 'other' | 'end'

const [open, close, comma] = [0x28, 0x29, 0x2c]

/**
 * Splits Well-Known Text into tokens in place, without creating strings, because tables may contain millions of
 * geometries.
 *
 * @see OGC 06-103r4 clause 7.2
 */
export class WktScan {
  readonly #bytes: Buffer
  readonly #end: number
  /** Offset of the current token. */
  start: number
  /** Offset after the current token. */
  at: number

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.#bytes = bytes
    this.#end = end
    this.start = start
    this.at = start
  }

  /** Reads the next token. */
  next(): WktToken {
    let at = this.at
    while (at < this.#end && isBlank(this.#bytes[at] as number)) at += 1
    this.start = at
    if (at >= this.#end) return this.#take('end', at)
    const byte = this.#bytes[at] as number
    if (isLetter(byte)) return this.#take('word', this.#skipWord(at))
    if (byte === open) return this.#take('open', at + 1)
    if (byte === close) return this.#take('close', at + 1)
    if (byte === comma) return this.#take('comma', at + 1)
    const after = this.#skipNumber(at)
    return after > at ? this.#take('number', after) : this.#take('other', at + 1)
  }

  /** Returns the text of the current token. */
  text(): string {
    return this.#bytes.toString('latin1', this.start, this.at)
  }

  /** Returns whether the current token ends in a letter, ignoring case. */
  endsIn(letter: string): boolean {
    return ((this.#bytes[this.at - 1] as number) | 0x20) === letter.charCodeAt(0)
  }

  #take(token: WktToken, at: number): WktToken {
    this.at = at
    return token
  }

  #skipWord(from: number): number {
    let at = from
    while (at < this.#end && isLetter(this.#bytes[at] as number)) at += 1
    return at
  }

  /** Returns the end of a number, which a delimiter has to follow; the start if there is no number. */
  #skipNumber(from: number): number {
    const first = isSign(this.#bytes[from]) ? from + 1 : from
    const whole = this.#skipDigits(first)
    const fraction = this.#isAt(whole, 0x2e) ? this.#skipDigits(whole + 1) : whole
    const digits = whole - first + Math.max(0, fraction - whole - 1)
    if (digits === 0) return from
    const after = this.#skipExponent(fraction)
    const next = after < this.#end ? (this.#bytes[after] as number) : close
    return isBlank(next) || next === comma || next === close ? after : from
  }

  /** Returns the end of an exponent; the start if there is none or it has no digits. */
  #skipExponent(from: number): number {
    if (from >= this.#end || ((this.#bytes[from] as number) | 0x20) !== 0x65) return from
    const first = isSign(this.#bytes[from + 1]) ? from + 2 : from + 1
    const after = this.#skipDigits(first)
    return after === first ? from : after
  }

  #skipDigits(from: number): number {
    let at = from
    while (at < this.#end && isDigit(this.#bytes[at] as number)) at += 1
    return at
  }

  #isAt(at: number, byte: number): boolean {
    return at < this.#end && this.#bytes[at] === byte
  }
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
}

function isLetter(byte: number): boolean {
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x7a
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

function isSign(byte: number | undefined): boolean {
  return byte === 0x2b || byte === 0x2d
}
