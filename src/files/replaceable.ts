import { open } from 'node:fs/promises'
import { problem } from '../contract/problems.ts'

/** A file to write, and what files that it may replace start with. */
export interface ReplaceableFile {
  readonly path: string
  readonly shownPath: string
  /** Start of files of this format. */
  readonly start: string
}

/**
 * Checks that a file does not exist, is empty or has the same format, so that a mistyped path replaces no other file.
 *
 * @throws {Problem} usage/bad-argument
 */
export async function checkReplaceable({ path, shownPath, start }: ReplaceableFile): Promise<void> {
  const found = await readStart(path, Buffer.byteLength(start))
  if (found === undefined || found === '' || found === start) return
  throw problem('usage/bad-argument', `"${shownPath}" exists and is another kind of file.`, {
    hint: 'Name another file, or delete it first.',
  })
}

async function readStart(path: string, size: number): Promise<string | undefined> {
  try {
    await using file = await open(path)
    if (!(await file.stat()).isFile()) return undefined
    const { bytesRead, buffer } = await file.read(Buffer.alloc(size), 0, size, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } catch {
    // What cannot be read is reported by the write.
    return undefined
  }
}
