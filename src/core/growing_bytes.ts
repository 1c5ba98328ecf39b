import { type Bytes, bytesOf } from './bytes.ts'

/** Beyond this many bytes, a copy outside of JavaScript is faster than a loop. */
const shortBytes = 256

/** Bytes that grow as they are written to. */
export class GrowingBytes implements Bytes {
  bytes: Buffer
  view: DataView
  /** Where the next byte goes. */
  at = 0

  constructor(sizeBytes: number) {
    const { bytes, view } = bytesOf(Buffer.allocUnsafe(sizeBytes))
    this.bytes = bytes
    this.view = view
  }

  /** Makes sure that so many bytes more have room. */
  reserve(count: number): void {
    if (this.at + count <= this.bytes.length) return
    const { bytes, view } = bytesOf(Buffer.allocUnsafe(2 * (this.at + count)))
    this.bytes.copy(bytes, 0, 0, this.at)
    this.bytes = bytes
    this.view = view
  }

  /** Appends a part of other bytes, for which it makes room. */
  take(source: Bytes, start = 0, end = source.bytes.length): void {
    this.reserve(end - start)
    const { bytes, view } = this
    let { at } = this
    if (end - start > shortBytes) at += source.bytes.copy(bytes, at, start, end)
    else {
      let from = start
      // Four bytes at once: most of what is taken is short, and there is a lot of it.
      for (const last = end - 4; from <= last; from += 4, at += 4)
        view.setInt32(at, source.view.getInt32(from))
      for (; from < end; from += 1) bytes[at++] = source.bytes[from] ?? 0
    }
    this.at = at
  }

  u16(value: number): void {
    this.view.setUint16(this.at, value, true)
    this.at += 2
  }

  u32(value: number): void {
    this.view.setUint32(this.at, value, true)
    this.at += 4
  }

  f64(value: number): void {
    this.view.setFloat64(this.at, value, true)
    this.at += 8
  }

  /** Lets the offset that stands at `place` point to the next byte. @see https://flatbuffers.dev/internals */
  pointHere(place: number): void {
    this.view.setUint32(place, this.at - place, true)
  }

  /** Fills up with zeros until `at` is `rest` beyond a multiple of eight, counted from `start`. */
  align(start: number, rest = 0): void {
    while ((this.at - start) % 8 !== rest) this.bytes[this.at++] = 0
  }

  /** Fills up with zeros to a multiple of four, counted from `start`. */
  alignHalf(start: number): void {
    while ((this.at - start) % 4 !== 0) this.bytes[this.at++] = 0
  }
}
