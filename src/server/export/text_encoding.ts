import type { ExportEncoding } from '../../contract/export_formats.ts'
import { controlLetters, controlMark } from '../../store/feature/export_rows.ts'

const mark = controlMark.charCodeAt(0)

/** Turns what is written with the control mark into the characters that are meant. The chunks may be cut anywhere. */
export async function* unescapeControl(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isCut = false
  for await (const chunk of chunks) {
    const bytes: Uint8Array = isCut ? Buffer.concat([Buffer.of(mark), chunk]) : chunk
    // No mark follows another: one at the end waits for its letter.
    isCut = bytes.at(-1) === mark
    const whole = isCut ? bytes.subarray(0, -1) : bytes
    if (whole.length > 0) yield whole.includes(mark) ? unescapeBytes(whole) : whole
  }
}

const codes = new Map(
  Object.entries(controlLetters).map(([letter, meant]) => [letter.charCodeAt(0), meant.charCodeAt(0)]),
)

function unescapeBytes(bytes: Uint8Array): Uint8Array {
  const result = Buffer.allocUnsafe(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte === mark) at += 1
    result[length] = byte === mark ? (codes.get(bytes[at] ?? 0) ?? 0) : byte
    length += 1
  }
  return result.subarray(0, length)
}

/** Writes UTF-8 in another encoding; a character that it does not have becomes a question mark. */
export async function* encodeAs(
  encoding: Exclude<ExportEncoding, 'UTF-8'>,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const table = tableOf(encoding)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  for await (const chunk of chunks) yield encodeText(decoder.decode(chunk, { stream: true }), table)
}

function encodeText(text: string, table: ReadonlyMap<string, number>): Uint8Array {
  const bytes = Buffer.allocUnsafe(text.length)
  let length = 0
  for (const character of text) {
    bytes[length] = table.get(character) ?? 0x3f
    length += 1
  }
  return bytes.subarray(0, length)
}

/**
 * Gives a regular expression of the characters that an encoding does not have.
 *
 * @see https://www.postgresql.org/docs/current/functions-matching.html 9.7.3.3
 */
export function lackingPattern(encoding: Exclude<ExportEncoding, 'UTF-8'>): string {
  // No text holds a NUL, and what the web takes for controls are bytes without a meaning elsewhere.
  const codes = [...tableOf(encoding).keys()].map((character) => character.charCodeAt(0))
  const held = codes.filter((code) => code > 0 && (code < 0x80 || code > 0x9f))
  return `[^${held.map((code) => `\\u${code.toString(16).padStart(4, '0')}`).join('')}]`
}

const labels = { CP1251: 'windows-1251' } as const

/** Gives the byte of each character of a single-byte encoding. */
function tableOf(encoding: keyof typeof labels): ReadonlyMap<string, number> {
  const decoder = new TextDecoder(labels[encoding])
  const bytes = Array.from({ length: 256 }, (_, byte) => byte)
  return new Map(bytes.map((byte) => [decoder.decode(Uint8Array.of(byte)), byte]))
}
