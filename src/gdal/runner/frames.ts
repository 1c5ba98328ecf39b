import type { Readable } from 'node:stream'
import { problem } from '../../contract/problems.ts'
import { type FrameKind, frameHeaderBytes, frameKinds } from './frame.ts'

/** A frame whose content is still to be read. */
export interface Frame {
  readonly kind: FrameKind
  /** Gives the content as it comes; to be read to its end before the next frame is asked for. */
  content(): AsyncIterable<Uint8Array>
}

/** Reads frames from a stream. */
export interface Frames {
  /** Gives the next frame; undefined at the end of the stream. */
  next(): Promise<Frame | undefined>
}

/**
 * Reads the frames that a child process sends, never more of them in memory than the stream holds.
 *
 * @param wait runs each wait for bytes, so that a caller may limit it
 * @throws {Problem} gdal/failed where the stream ends within a frame
 */
export function readFrames(stream: Readable, wait: <T>(work: Promise<T>) => Promise<T>): Frames {
  const chunks: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)

  /** Fills up what is held to at least one byte; false at the end. */
  async function fill(): Promise<boolean> {
    if (held.length > 0) return true
    const { done, value } = await wait(chunks.next())
    if (!done) held = value
    return !done
  }

  async function* take(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      if (!(await fill())) throw problem('gdal/failed', 'the process of GDAL ended in the middle of its work')
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
  if (entry === undefined) throw new Error(`no frame has the code ${code}`)
  return entry[0] as FrameKind
}

/** Reads the content of a frame that holds JSON. */
export async function readJson<T>(frame: Frame): Promise<T> {
  return JSON.parse(Buffer.concat(await Array.fromAsync(frame.content())).toString()) as T
}
