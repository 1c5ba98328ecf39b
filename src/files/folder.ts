import { mkdir, mkdtemp, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { problem } from '../contract/problems.ts'
import { isDiskFull } from '../core/disk_full.ts'
import type { Problem } from '../core/problem.ts'

/**
 * Makes a folder where there is none, and makes sure that it can be written to.
 *
 * @throws {Problem} files/unusable, files/full
 */
export async function openFolder(path: string): Promise<void> {
  try {
    await makeFolder(path)
    await rmdir(await mkdtemp(join(path, 'probe-')))
  } catch (error) {
    throw problemOfFolder(path, error)
  }
}

// Level by level: where a file system takes no folders, as /proc, the recursive form of the library never ends.
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path)
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && (await stat(path)).isDirectory()) return
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error
    await makeFolder(dirname(path))
    await mkdir(path).catch(unlessMade)
  }
}

/** Somebody else may have made it meanwhile. */
function unlessMade(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error
}

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'it is a file',
  ENOTDIR: 'a part of its path is a file',
  EACCES: 'it may not be written to',
  EPERM: 'it may not be written to',
  EROFS: 'its file system is read-only',
  ENOENT: 'it cannot be made there',
}

function problemOfFolder(path: string, error: unknown): Problem {
  const code = codeOf(error)
  if (isDiskFull(error))
    return problem('files/full', `The disk of the folder ${path} is full.`, { cause: error })
  const reason = reasons[code] ?? String(error)
  return problem('files/unusable', `The folder ${path} cannot be used: ${reason}.`, { cause: error })
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
