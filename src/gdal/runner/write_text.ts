import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { fullWhile } from './disk_room.ts'

/** File to write a string to. */
export interface TextTarget {
  /** Path of a file that does not exist yet. */
  readonly path: string
  readonly encoding: 'utf8' | 'latin1'
  /** Operation for the error message, as a clause: `a source is read`. */
  readonly doing: string
}

/**
 * Writes a string from its chunks.
 *
 * @throws {Problem} files/full, and what the chunks throw
 */
export async function writeText(
  { path, encoding, doing }: TextTarget,
  pieces: AsyncIterable<string>,
): Promise<void> {
  try {
    await pipeline(pieces, createWriteStream(path, { flags: 'wx', encoding }))
  } catch (error) {
    throw fullWhile(doing, error)
  }
}
