/** A buffer and a view of the same bytes, with the same offsets. */
export interface Bytes {
  readonly bytes: Buffer
  readonly view: DataView
}

/** Creates a view of a buffer. */
export function bytesOf(bytes: Buffer): Bytes {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) }
}

/** Reads a text in UTF-8 that ends at a zero byte, or after `length` bytes. */
export function readText(bytes: Uint8Array, start: number, length: number): string {
  const field = bytes.subarray(start, start + length)
  const end = field.indexOf(0)
  return Buffer.from(end < 0 ? field : field.subarray(0, end)).toString('utf8')
}
