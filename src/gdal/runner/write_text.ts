import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { fullWhile } from './disk_room.ts'

/** Where a text goes, and how. */
export interface TextTarget {
  /** A file that there is not yet. */
  readonly path: string
  readonly encoding: 'utf8' | 'latin1'
  /** What is done with it, as a clause. */
  readonly doing: string
}

/**
 * Writes the pieces of a text, whole.
 *
 * @throws {Problem} files/full, and what the pieces throw
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
