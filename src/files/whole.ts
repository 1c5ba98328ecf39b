import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { problem } from '../contract/problems.ts'
import { isDiskFull } from '../core/disk_full.ts'
import { isProblem, type Problem } from '../core/problem.ts'

/** How a file is written that is there whole or not at all. */
export interface WholeFileOptions {
  /** The path as people know it. */
  readonly shown: string
  /** Whether it may take the place of one that is there. */
  readonly mayReplace: boolean
  readonly signal?: AbortSignal | undefined
}

/**
 * Makes sure that a file can be written before the work for it is done.
 *
 * @throws {Problem} usage/bad-argument, file/not-found
 */
export async function checkTarget(
  path: string,
  { shown, mayReplace }: Pick<WholeFileOptions, 'shown' | 'mayReplace'>,
): Promise<void> {
  const found = await statOf(path)
  if (found?.isDirectory())
    throw problem('usage/bad-argument', `"${shown}" is a folder.`, { hint: 'Name a file in it.' })
  if (found !== undefined && !mayReplace)
    throw problem('usage/bad-argument', `"${shown}" is there already.`, {
      hint: 'Name another file, or overwrite it with --force.',
    })
  if ((await statOf(dirname(path)))?.isDirectory() !== true)
    throw problem('file/not-found', `There is no folder "${dirname(shown)}".`, { hint: 'Make it first.' })
}

/**
 * Writes bytes beside a file and puts them in its place when all are safe on the disk. What fails leaves nothing behind.
 *
 * @returns bytes written
 * @throws {Problem} usage/bad-argument, file/not-found, file/unreadable, files/full, and what the bytes fail with
 */
export async function writeWhole(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  options: WholeFileOptions,
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
    throw problemOfWriting(options.shown, error)
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
  return problem('file/unreadable', `"${path}" cannot be written: ${code ?? message}.`, { cause: error })
}
