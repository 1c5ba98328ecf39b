import { mkdir, mkdtemp, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { problem } from '../contract/problems.ts'
import { isDiskFull } from '../core/disk_full.ts'
import type { Problem } from '../core/problem.ts'

/**
 * Creates a folder if missing, and checks that it is writable.
 *
 * @throws {Problem} files/unusable, files/full
 */
export async function openFolder(path: string): Promise<void> {
  try {
    await createFolder(path)
    await rmdir(await mkdtemp(join(path, 'probe-')))
  } catch (error) {
    throw problemOfFolder(path, error)
  }
}

// Level by level: `mkdir` with `recursive` never returns on file systems without folder creation, such as /proc.
async function createFolder(path: string): Promise<void> {
  try {
    await mkdir(path)
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && (await stat(path)).isDirectory()) return
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error
    await createFolder(dirname(path))
    await mkdir(path).catch(ignoreExisting)
  }
}

/** Another process may have created the folder in the meantime. */
function ignoreExisting(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error
}

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'it is a file',
  ENOTDIR: 'part of its path is a file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'its file system is read-only',
  ENOENT: 'it cannot be created there',
}

function problemOfFolder(path: string, error: unknown): Problem {
  const code = codeOf(error)
  if (isDiskFull(error))
    return problem('files/full', `The disk of the folder ${path} is full.`, { cause: error })
  const reason = reasons[code] ?? String(error)
  return problem('files/unusable', `Cannot use the folder ${path}: ${reason}.`, { cause: error })
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
