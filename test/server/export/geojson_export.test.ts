import { expect, test } from 'vitest'
import { bytesOf } from '../../../src/core/bytes.ts'
import { GrowingBytes } from '../../../src/core/growing_bytes.ts'
import { writeJsonText } from '../../../src/server/export/geojson_export.ts'

/** Writes a text that stands between others. */
const write = (text: string): string => {
  const before = 'x"'
  const source = bytesOf(Buffer.from(`${before}${text}"\\`))
  const sink = new GrowingBytes(1)
  writeJsonText(sink, source, { at: before.length, length: Buffer.byteLength(text) })
  return sink.bytes.toString('utf8', 0, sink.at)
}

test('characters are escaped only where JSON requires it, at any position', () => {
  const plain = 'abcdefghij'
  for (let code = 0; code < 0x250; code += 1)
    for (let at = 0; at <= plain.length; at += 1) {
      const text = plain.slice(0, at) + String.fromCharCode(code) + plain.slice(at)
      expect(write(text)).toBe(JSON.stringify(text))
    }
})

test('strings of any length are preserved', () => {
  for (let length = 0; length < 40; length += 1) {
    expect(write('é'.repeat(length))).toBe(`"${'é'.repeat(length)}"`)
    expect(write('"'.repeat(length))).toBe(`"${'\\"'.repeat(length)}"`)
  }
  expect(write('日本 𝄞 \u{10ffff}')).toBe('"日本 𝄞 \u{10ffff}"')
})
