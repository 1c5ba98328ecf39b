const code = (character: string) => character.charCodeAt(0)
const [quote, backslash] = [code('"'), code('\\')]
const [openBrace, closeBrace, openBracket, closeBracket] = [code('{'), code('}'), code('['), code(']')]
const comma = code(',')
const enders: ReadonlySet<number> = new Set([comma, code(':'), closeBrace, closeBracket])

/** Why the bytes of a value were refused. */
export type JsonBytesReason = 'size' | 'depth' | 'values' | 'encoding'

/** The bytes of a JSON value exceed a limit or are not UTF-8. */
export class JsonBytesFault extends Error {
  readonly reason: JsonBytesReason

  constructor(reason: JsonBytesReason) {
    super(reason)
    this.reason = reason
  }
}

/** Limits of a JSON value. */
export interface JsonValueLimits {
  readonly limitBytes: number
  /** Maximum nesting depth of lists and objects; unlimited if absent. */
  readonly maxDepth?: number
  /** Maximum number of values in it, with lists and objects; unlimited if absent. */
  readonly maxValues?: number
}

/**
 * Collects the bytes of JSON values that arrive in chunks, one value after another. Finds where a value ends without
 * parsing it; the text of a value is well-formed only if its parser says so.
 */
export class JsonValueBytes {
  readonly #limits: Required<JsonValueLimits>
  #pieces: Uint8Array[] = []
  #sizeBytes = 0
  #depth = 0
  #values = 0
  #inString = false
  #escaped = false

  constructor({
    limitBytes,
    maxDepth = Number.POSITIVE_INFINITY,
    maxValues = Number.POSITIVE_INFINITY,
  }: JsonValueLimits) {
    this.#limits = { limitBytes, maxDepth, maxValues }
  }

  /** Begins a value with its first byte. */
  begin(byte: number): void {
    this.#depth = byte === openBrace || byte === openBracket ? 1 : 0
    this.#values = 1
    this.#inString = byte === quote
    this.#escaped = false
  }

  /**
   * Tells whether the value ends before its next byte: a comma, a colon or a closing bracket outside of it.
   *
   * @throws {JsonBytesFault} depth, values
   */
  endsBefore(byte: number): boolean {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false
      else if (byte === backslash) this.#escaped = true
      else if (byte === quote) this.#inString = false
      return false
    }
    if (this.#depth === 0 && enders.has(byte)) return true
    if (byte === quote) this.#inString = true
    else if (byte === openBrace || byte === openBracket) this.#deepen()
    else if (byte === closeBrace || byte === closeBracket) this.#depth -= 1
    else if (byte === comma) this.#countValue()
    return false
  }

  #countValue(): void {
    this.#values += 1
    if (this.#values > this.#limits.maxValues) throw new JsonBytesFault('values')
  }

  #deepen(): void {
    this.#countValue()
    this.#depth += 1
    if (this.#depth > this.#limits.maxDepth) throw new JsonBytesFault('depth')
  }

  /**
   * Keeps a part of the value.
   *
   * @throws {JsonBytesFault} size
   */
  keep(piece: Uint8Array): void {
    this.#sizeBytes += piece.length
    if (this.#sizeBytes > this.#limits.limitBytes) throw new JsonBytesFault('size')
    // Copies the bytes, because the caller may reuse the chunk.
    this.#pieces.push(piece.slice())
  }

  /**
   * Ends the value with its last part, and returns its text.
   *
   * @throws {JsonBytesFault} size, encoding
   */
  take(last: Uint8Array): string {
    this.keep(last)
    const bytes = Buffer.concat(this.#pieces)
    this.#pieces = []
    this.#sizeBytes = 0
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    } catch {
      throw new JsonBytesFault('encoding')
    }
  }
}
