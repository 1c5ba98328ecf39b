import { chmod, mkdir, mkdtemp, readdir, rmdir, stat } from 'node:fs/promises'
import { platform } from 'node:os'
import { dirname, join } from 'node:path'
import { problem } from '../contract/problems.ts'
import { isDiskFull } from '../core/disk_full.ts'
import { isProblem, type Problem } from '../core/problem.ts'

/** A folder accessible to its owner only. */
export interface PrivateFolder {
  /** Previous mode, such as `755`, if other users had access. */
  readonly exposedMode?: string
  /** Whether other users still have access, because the file system does not support modes. */
  readonly isExposed: boolean
}

/**
 * Creates a folder with access for its owner only, or removes the access of other users from an existing one, and
 * checks that it is writable. The mode of an accessible folder with files of other programs is not changed.
 *
 * @param marks names of the entries by which a folder is recognized as ours
 * @throws {Problem} files/unusable, files/exposed, files/full
 */
export async function openPrivateFolder(path: string, marks: readonly string[]): Promise<PrivateFolder> {
  try {
    await createFolder(path)
    await rmdir(await mkdtemp(join(path, 'probe-')))
    return await restrictFolder(path, marks)
  } catch (error) {
    throw isProblem(error) ? error : problemOfFolder(path, error)
  }
}

/** Removes the access of other users to a file, if it exists. */
export async function restrictFile(path: string): Promise<void> {
  try {
    await chmod(path, 0o600)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

async function restrictFolder(path: string, marks: readonly string[]): Promise<PrivateFolder> {
  const exposedMode = await findExposedMode(path)
  if (exposedMode === undefined) return { isExposed: false }
  const names = new Set(await readdir(path))
  if (names.size > 0 && !marks.every((name) => names.has(name)))
    throw exposed(path, `is accessible to other users (mode ${exposedMode}) and contains other files`)
  try {
    await chmod(path, 0o700)
  } catch (error) {
    if (codeOf(error) !== 'EPERM') throw error
    throw exposed(path, `is accessible to other users (mode ${exposedMode}) and belongs to another user`)
  }
  return { exposedMode, isExposed: (await findExposedMode(path)) !== undefined }
}

/** Returns the mode of a folder that other users can access. Undefined on Windows, which has no modes. */
async function findExposedMode(path: string): Promise<string | undefined> {
  const { mode } = await stat(path)
  return platform() === 'win32' || (mode & 0o077) === 0 ? undefined : (mode & 0o777).toString(8)
}

function exposed(path: string, reason: string): Problem {
  return problem('files/exposed', `The folder ${path} ${reason}.`)
}

// Level by level: `mkdir` with `recursive` never returns on file systems without folder creation, such as /proc.
async function createFolder(path: string, mode = 0o700): Promise<void> {
  try {
    await mkdir(path, { mode })
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && (await stat(path)).isDirectory()) return
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error
    await createFolder(dirname(path), 0o777)
    await mkdir(path, { mode }).catch(ignoreExisting)
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
