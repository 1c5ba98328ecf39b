import type { Bytes } from '../../core/bytes.ts'
import type { CopyValue } from '../../core/copy_rows.ts'
import type { GrowingBytes } from '../../core/growing_bytes.ts'

const quote = 0x22
const backslash = 0x5c
const firstPrintable = 0x20

/** Most bytes that a byte takes in a JSON text. */
const escapedBytes = 6

/**
 * Writes a text of UTF-8 as a JSON text.
 *
 * @see RFC 8259 clause 7
 */
export function writeJsonText(sink: GrowingBytes, source: Bytes, { at: start, length }: CopyValue): void {
  const end = start + length
  sink.reserve(2 + escapedBytes * length)
  const { bytes, view } = sink
  let { at } = sink
  let from = start
  bytes[at++] = quote
  while (from < end) {
    // Hardly a text has characters that are escaped: four at once, until there may be one.
    for (const last = end - 4; from <= last; from += 4, at += 4) {
      const four = source.view.getInt32(from)
      if (needsCare(four)) break
      view.setInt32(at, four)
    }
    for (const stop = Math.min(from + 4, end); from < stop; from += 1) {
      const byte = source.bytes[from] ?? 0
      if (byte >= firstPrintable && byte !== quote && byte !== backslash) bytes[at++] = byte
      else at += bytes.write(escapes[byte] ?? '', at, 'latin1')
    }
  }
  bytes[at++] = quote
  sink.at = at
}

const each = 0x0101_0101
const highest = 0x8080_8080

/**
 * Tells whether one of four bytes is escaped.
 *
 * @see https://graphics.stanford.edu/~seander/bithacks.html#HasLessInWord
 */
function needsCare(four: number): boolean {
  const quotes = four ^ (quote * each)
  const backslashes = four ^ (backslash * each)
  const controls = (four - firstPrintable * each) & ~four
  return ((controls | ((quotes - each) & ~quotes) | ((backslashes - each) & ~backslashes)) & highest) !== 0
}

/** How the characters are written that may not stand in a JSON text. */
const escapes = Array.from({ length: backslash + 1 }, (_, byte) =>
  JSON.stringify(String.fromCharCode(byte)).slice(1, -1),
)
