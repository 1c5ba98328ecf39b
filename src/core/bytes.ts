/** Bytes with a view of the same bytes; offsets are counted from their start. */
export interface Bytes {
  readonly bytes: Buffer
  readonly view: DataView
}

/** Makes a view of bytes. */
export function bytesOf(bytes: Buffer): Bytes {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) }
}
