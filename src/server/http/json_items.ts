import { maxFeatureValues } from '../../contract/limits.ts'
import { problem } from '../../contract/problems.ts'
import { JsonBytesFault, JsonValueBytes } from '../../core/json_value_bytes.ts'
import { parseExactJson } from '../../core/long_number.ts'
import type { Problem } from '../../core/problem.ts'

const code = (character: string) => character.charCodeAt(0)
const [comma, openBracket, closeBracket] = [code(','), code('['), code(']')]
const byteOrderMark = [0xef, 0xbb, 0xbf] as const
const whiteSpace: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])

/** Position of the scanner: before the list, before the first or a later item, in an item, after it, after the list. */
type State = 'start' | 'first' | 'item' | 'in' | 'after' | 'end'

/**
 * Parses a streamed JSON list item by item, without holding the full list in memory. Keeps all digits of integers
 * beyond 2^53.
 *
 * @throws {Problem} request/malformed if the body is not JSON, request/invalid if it is not a list, request/too-large if
 *   an item exceeds the limit, or has too many values for it
 */
export async function* readJsonItems(
  chunks: AsyncIterable<Uint8Array>,
  { itemLimitBytes }: { readonly itemLimitBytes: number },
): AsyncGenerator<unknown> {
  const scanner = new Scanner(itemLimitBytes)
  try {
    for await (const chunk of chunks) yield* scanner.scan(chunk)
  } catch (error) {
    throw error instanceof JsonBytesFault ? problemOf(error, scanner.count, itemLimitBytes) : error
  }
  scanner.finish()
}

class Scanner {
  readonly #item: JsonValueBytes
  #state: State = 'start'
  #count = 0
  /** Number of bytes of a byte order mark read so far; Windows programs write one. */
  #markBytes = 0

  constructor(limitBytes: number) {
    this.#item = new JsonValueBytes({ limitBytes, maxValues: maxFeatureValues(limitBytes) })
  }

  get count(): number {
    return this.#count
  }

  *scan(chunk: Uint8Array): Generator<unknown> {
    let from = 0
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0
      if (this.#state === 'in') {
        if (!this.#item.endsBefore(byte)) continue
        yield this.#take(chunk.subarray(from, at))
      }
      if (this.#step(byte)) from = at
    }
    if (this.#state === 'in') this.#item.keep(chunk.subarray(from))
  }

  finish(): void {
    if (this.#state !== 'end') throw malformed('it ends before the closing bracket')
  }

  /** Reads one byte between items and tells whether an item begins with it. */
  #step(byte: number): boolean {
    if (whiteSpace.has(byte) || this.#isMark(byte)) return false
    const { next, begins } = findNext(this.#state, byte)
    this.#state = next
    if (begins) this.#item.begin(byte)
    return begins
  }

  #isMark(byte: number): boolean {
    if (this.#state !== 'start') return false
    const isMark = byte === byteOrderMark[this.#markBytes]
    if (isMark) this.#markBytes += 1
    else if (this.#markBytes > 0 && this.#markBytes < byteOrderMark.length)
      findNext('start', byteOrderMark[0])
    return isMark
  }

  #take(last: Uint8Array): unknown {
    const text = this.#item.take(last)
    this.#state = 'after'
    this.#count += 1
    try {
      return parseExactJson(text)
    } catch (cause) {
      throw malformed(`item ${this.#count - 1}: ${cause instanceof Error ? cause.message : cause}`)
    }
  }
}

function findNext(state: State, byte: number): { readonly next: State; readonly begins: boolean } {
  if (state === 'start' && byte === openBracket) return { next: 'first', begins: false }
  if ((state === 'first' || state === 'after') && byte === closeBracket) return { next: 'end', begins: false }
  if (state === 'after' && byte === comma) return { next: 'item', begins: false }
  if (state === 'first' || (state === 'item' && byte !== closeBracket)) return { next: 'in', begins: true }
  // Probably valid JSON of another type; the rest is not parsed to verify that.
  if (state === 'start' && otherValueStart.test(String.fromCharCode(byte)))
    throw problem(
      'request/invalid',
      `Expected a list, got a value starting with "${showByte(byte)}" - at $`,
      {
        data: { location: ['body', ''] },
      },
    )
  const expected = state === 'item' ? ', expected another item after the comma' : ''
  throw malformed(`unexpected "${showByte(byte)}"${expected}`)
}

/** First characters of JSON values other than lists. */
const otherValueStart = /[{"tfn\d-]/

const showByte = (byte: number) =>
  byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`

function problemOf({ reason }: JsonBytesFault, count: number, limitBytes: number): Problem {
  if (reason === 'encoding') return problem('request/malformed', 'The body is not UTF-8.')
  const excess =
    reason === 'values'
      ? `has more than ${maxFeatureValues(limitBytes)} values, with lists and objects`
      : `is larger than ${limitBytes} bytes`
  return problem('request/too-large', `Item ${count} ${excess}.`)
}

const malformed = (reason: string): Problem =>
  problem('request/malformed', `The body is not a well-formed JSON list: ${reason}.`)
