import { Buffer } from 'node:buffer'

/**
 * What a child process sends: frames of one byte that says what follows, four bytes (big-endian) that say how long it
 * is, and the content.
 */
export const frameKinds = { summary: 1, rows: 2, problem: 3, tick: 4, layout: 5 } as const

/** What a frame holds: JSON, or for `rows` a whole binary COPY. */
export type FrameKind = keyof typeof frameKinds

/** Bytes before the content. */
export const frameHeaderBytes = 5

/** Writes what stands before the content. */
export function writeFrameHeader(bytes: Buffer, kind: FrameKind, length: number): void {
  bytes[0] = frameKinds[kind]
  bytes.writeUInt32BE(length, 1)
}

/** Makes a frame that holds JSON. */
export function jsonFrame(kind: FrameKind, value: unknown): Buffer {
  const content = Buffer.from(JSON.stringify(value))
  const frame = Buffer.allocUnsafe(frameHeaderBytes + content.length)
  writeFrameHeader(frame, kind, content.length)
  content.copy(frame, frameHeaderBytes)
  return frame
}
