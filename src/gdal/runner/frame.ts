import { Buffer } from 'node:buffer'

/**
 * Frames that a child process sends: one byte for the kind, four bytes (big-endian) for the length, and the content.
 */
export const frameKinds = { summary: 1, rows: 2, problem: 3, tick: 4, layout: 5 } as const

/** Kind of a frame. The content is JSON, except for `rows`: a complete binary COPY stream. */
export type FrameKind = keyof typeof frameKinds

/** Size of the header in bytes. */
export const frameHeaderBytes = 5

/** Writes the header of a frame. */
export function writeFrameHeader(bytes: Buffer, kind: FrameKind, length: number): void {
  bytes[0] = frameKinds[kind]
  bytes.writeUInt32BE(length, 1)
}

/** Creates a frame with JSON content. */
export function jsonFrame(kind: FrameKind, value: unknown): Buffer {
  const content = Buffer.from(JSON.stringify(value))
  const frame = Buffer.allocUnsafe(frameHeaderBytes + content.length)
  writeFrameHeader(frame, kind, content.length)
  content.copy(frame, frameHeaderBytes)
  return frame
}
