import type { Readable } from 'node:stream'
import { problem } from '../../contract/problems.ts'
import { type FrameKind, frameHeaderBytes, frameKinds } from './frame.ts'

/** A frame whose content has not been read yet. */
export interface Frame {
  readonly kind: FrameKind
  /** Streams the content. Read it to its end before requesting the next frame. */
  content(): AsyncIterable<Uint8Array>
}

/** Reads frames from a stream. */
export interface Frames {
  /** Reads the next frame; undefined at the end of the stream. */
  next(): Promise<Frame | undefined>
}

/**
 * Reads the frames of a child process without buffering more than the stream does.
 *
 * @param wait wraps each wait for bytes, to limit its time
 * @throws {Problem} gdal/failed if the stream ends within a frame
 */
export function readFrames(stream: Readable, wait: <T>(work: Promise<T>) => Promise<T>): Frames {
  const chunks: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)

  /** Fills the buffer with at least one byte; returns false at the end. */
  async function fill(): Promise<boolean> {
    if (held.length > 0) return true
    const { done, value } = await wait(chunks.next())
    if (!done) held = value
    return !done
  }

  async function* take(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      if (!(await fill())) throw problem('gdal/failed', 'the GDAL process ended in the middle of its work')
      const piece = held.subarray(0, left)
      held = held.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }

  return {
    async next() {
      if (!(await fill())) return undefined
      const header = Buffer.concat(await Array.fromAsync(take(frameHeaderBytes)))
      const kind = kindOf(header[0])
      const length = header.readUInt32BE(1)
      return { kind, content: () => take(length) }
    },
  }
}

function kindOf(code: number | undefined): FrameKind {
  const entry = Object.entries(frameKinds).find(([, number]) => number === code)
  if (entry === undefined) throw new Error(`unknown frame code ${code}`)
  return entry[0] as FrameKind
}

/** Parses the JSON content of a frame. */
export async function readJson<T>(frame: Frame): Promise<T> {
  return JSON.parse(Buffer.concat(await Array.fromAsync(frame.content())).toString()) as T
}
