import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { problem } from '../contract/problems.ts'
import { isDiskFull } from '../core/disk_full.ts'
import { isProblem, type Problem } from '../core/problem.ts'

/** Options of an atomic write. */
export interface AtomicWriteOptions {
  /** Path as shown in messages. */
  readonly shownPath: string
  /** Whether an existing file is replaced. */
  readonly overwrite: boolean
  readonly signal?: AbortSignal | undefined
}

/**
 * Checks that a file can be written, before its content is produced.
 *
 * @throws {Problem} usage/bad-argument, file/not-found
 */
export async function checkTarget(
  path: string,
  { shownPath, overwrite }: Pick<AtomicWriteOptions, 'shownPath' | 'overwrite'>,
): Promise<void> {
  const found = await statOf(path)
  if (found?.isDirectory())
    throw problem('usage/bad-argument', `"${shownPath}" is a folder.`, { hint: 'Name a file in it.' })
  if (found !== undefined && !overwrite)
    throw problem('usage/bad-argument', `"${shownPath}" already exists.`, {
      hint: 'Name another file, or overwrite it with --force.',
    })
  if ((await statOf(dirname(path)))?.isDirectory() !== true)
    throw problem('file/not-found', `The folder "${dirname(shownPath)}" does not exist.`, {
      hint: 'Create it first.',
    })
}

/**
 * Writes a file atomically: to a partial file in the same folder, renamed after it is flushed to disk. Leaves nothing
 * behind on failure.
 *
 * @returns number of bytes written
 * @throws {Problem} usage/bad-argument, file/not-found, file/unreadable, files/full, and errors of `bytes`
 */
export async function writeAtomically(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  options: AtomicWriteOptions,
): Promise<number> {
  const { signal } = options
  await checkTarget(path, options)
  const partial = join(dirname(path), `.${basename(path).slice(0, 100)}.${randomUUID().slice(0, 8)}.partial`)
  let sizeBytes = 0
  async function* counted() {
    for await (const chunk of bytes) {
      sizeBytes += chunk.length
      yield chunk
    }
  }
  try {
    const target = createWriteStream(partial, { flags: 'wx', flush: true })
    await pipeline(counted(), target, signal === undefined ? {} : { signal })
    await checkTarget(path, options)
    await rename(partial, path)
    return sizeBytes
  } catch (error) {
    await rm(partial, { force: true })
    throw problemOfWriting(options.shownPath, error)
  }
}

async function statOf(path: string) {
  return stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw problemOfWriting(path, error)
  })
}

function problemOfWriting(path: string, error: unknown): Problem {
  if (isProblem(error)) return error
  const { code, name, message } = error as NodeJS.ErrnoException
  if (name === 'AbortError') return problem('pipeline/interrupted', `Writing "${path}" was interrupted.`)
  if (isDiskFull(error))
    return problem('files/full', `The disk of "${path}" is full.`, { hint: 'Free some space there.' })
  return problem('file/unreadable', `Cannot write "${path}": ${code ?? message}.`, { cause: error })
}
