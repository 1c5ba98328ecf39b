import { expect, test } from 'vitest'
import { bytesOf } from '../../src/core/bytes.ts'
import { GrowingBytes } from '../../src/core/growing_bytes.ts'

const source = bytesOf(Buffer.from(Array.from({ length: 2000 }, (_, at) => (at * 7 + 3) % 256)))

test('appends parts of any length and offset', () => {
  const sink = new GrowingBytes(1)
  const parts: Buffer[] = []
  for (let length = 0; length <= 300; length += 1)
    for (const start of [0, 1, 2, 3, 1000 - length, 2000 - length]) {
      sink.take(source, start, start + length)
      parts.push(source.bytes.subarray(start, start + length))
    }
  expect(sink.bytes.subarray(0, sink.at).equals(Buffer.concat(parts))).toBe(true)
})

test('appends all bytes by default', () => {
  const sink = new GrowingBytes(16)
  sink.take(source)
  sink.take(bytesOf(Buffer.of()))
  expect(sink.bytes.subarray(0, sink.at).equals(source.bytes)).toBe(true)
})

test('keeps written bytes when it grows', () => {
  const sink = new GrowingBytes(4)
  sink.u32(0x0403_0201)
  sink.reserve(8)
  sink.f64(1)
  expect([...sink.bytes.subarray(0, sink.at)]).toEqual([1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f])
  expect(sink.view.getFloat64(4, true)).toBe(1)
})
