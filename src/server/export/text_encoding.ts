import type { ExportEncoding } from '../../contract/formats/export_formats.ts'
import { controlLetters, controlMark } from '../../store/feature/export_rows.ts'

const mark = controlMark.charCodeAt(0)

/** Decodes control characters that are escaped with the control mark. Chunks may end anywhere. */
export async function* unescapeControl(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isCut = false
  for await (const chunk of chunks) {
    const bytes: Uint8Array = isCut ? Buffer.concat([Buffer.of(mark), chunk]) : chunk
    // Two marks never follow each other: a mark at the end belongs to the next chunk.
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

/** Converts UTF-8 to another encoding; unsupported characters become question marks. */
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
 * Returns a regular expression that matches the characters an encoding does not have.
 *
 * @see https://www.postgresql.org/docs/current/functions-matching.html 9.7.3.3
 */
export function unsupportedPattern(encoding: Exclude<ExportEncoding, 'UTF-8'>): string {
  // Strings in PostgreSQL have no NUL; the WHATWG encoding maps undefined bytes to C1 controls.
  const codes = [...tableOf(encoding).keys()].map((character) => character.charCodeAt(0))
  const held = codes.filter((code) => code > 0 && (code < 0x80 || code > 0x9f))
  return `[^${held.map((code) => `\\u${code.toString(16).padStart(4, '0')}`).join('')}]`
}

const labels = { CP1251: 'windows-1251' } as const

/** Returns the byte of each character of a single-byte encoding. */
function tableOf(encoding: keyof typeof labels): ReadonlyMap<string, number> {
  const decoder = new TextDecoder(labels[encoding])
  const bytes = Array.from({ length: 256 }, (_, byte) => byte)
  return new Map(bytes.map((byte) => [decoder.decode(Uint8Array.of(byte)), byte]))
}
