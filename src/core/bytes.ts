/** A buffer and a view of the same bytes, with the same offsets. */
export interface Bytes {
  readonly bytes: Buffer
  readonly view: DataView
}

/** Creates a view of a buffer. */
export function bytesOf(bytes: Buffer): Bytes {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) }
}
