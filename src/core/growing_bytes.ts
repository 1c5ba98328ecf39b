import { type Bytes, bytesOf } from './bytes.ts'

/** Maximum number of bytes that a loop copies faster than a native call. */
const maxLoopBytes = 256

/** A buffer that grows as it is written to. */
export class GrowingBytes implements Bytes {
  bytes: Buffer
  view: DataView
  /** Offset of the next byte. */
  at = 0

  constructor(sizeBytes: number) {
    const { bytes, view } = bytesOf(Buffer.allocUnsafe(sizeBytes))
    this.bytes = bytes
    this.view = view
  }

  /** Makes room for a number of bytes. */
  reserve(count: number): void {
    if (this.at + count <= this.bytes.length) return
    const { bytes, view } = bytesOf(Buffer.allocUnsafe(2 * (this.at + count)))
    this.bytes.copy(bytes, 0, 0, this.at)
    this.bytes = bytes
    this.view = view
  }

  /** Appends a range of other bytes, growing as needed. */
  take(source: Bytes, start = 0, end = source.bytes.length): void {
    this.reserve(end - start)
    const { bytes, view } = this
    let { at } = this
    if (end - start > maxLoopBytes) at += source.bytes.copy(bytes, at, start, end)
    else {
      let from = start
      // Copies four bytes at a time: most ranges are short, and there are many of them.
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

  /** Sets the relative offset stored at `place` to the next byte. @see https://flatbuffers.dev/internals */
  pointHere(place: number): void {
    this.view.setUint32(place, this.at - place, true)
  }

  /** Pads with zeros until `at` is `rest` after a multiple of eight, relative to `start`. */
  align(start: number, rest = 0): void {
    while ((this.at - start) % 8 !== rest) this.bytes[this.at++] = 0
  }

  /** Pads with zeros to a multiple of four, relative to `start`. */
  alignHalf(start: number): void {
    while ((this.at - start) % 4 !== 0) this.bytes[this.at++] = 0
  }
}
