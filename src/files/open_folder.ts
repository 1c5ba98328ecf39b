import { chmod, mkdir, mkdtemp, readdir, rmdir, stat } from 'node:fs/promises'
import { platform } from 'node:os'
import { dirname, join } from 'node:path'
import { problem } from '../contract/problems.ts'
import { isDiskFull } from '../core/disk_full.ts'
import { isProblem, type Problem } from '../core/problem.ts'

/** A folder for one user alone. */
export interface PrivateFolder {
  /** Mode that it had, as `755`, where others could enter it. */
  readonly exposedMode?: string
  /** Whether others can enter it still, since its file system keeps no modes. */
  readonly isExposed: boolean
}

/**
 * Creates a folder that only its owner can enter, or closes one that others can, and checks that it is writable. A folder
 * that others can enter is not closed if it holds files of other programs.
 *
 * @param marks names that every such folder holds once it has been used
 * @throws {Problem} files/unusable, files/exposed, files/full
 */
export async function openPrivateFolder(path: string, marks: readonly string[]): Promise<PrivateFolder> {
  try {
    await createFolder(path)
    await rmdir(await mkdtemp(join(path, 'probe-')))
    return await closeFolder(path, marks)
  } catch (error) {
    throw isProblem(error) ? error : problemOfFolder(path, error)
  }
}

/** Removes all access to a file but its owner's; a missing file is ignored. */
export async function closeFile(path: string): Promise<void> {
  try {
    await chmod(path, 0o600)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

async function closeFolder(path: string, marks: readonly string[]): Promise<PrivateFolder> {
  const exposedMode = await findExposedMode(path)
  if (exposedMode === undefined) return { isExposed: false }
  const names = new Set(await readdir(path))
  if (names.size > 0 && !marks.every((name) => names.has(name)))
    throw exposed(path, `is open to other users (mode ${exposedMode}) and holds other files`)
  try {
    await chmod(path, 0o700)
  } catch (error) {
    if (codeOf(error) !== 'EPERM') throw error
    throw exposed(path, `is open to other users (mode ${exposedMode}) and belongs to another user`)
  }
  return { exposedMode, isExposed: (await findExposedMode(path)) !== undefined }
}

/** Gives the mode of a folder that others than its owner can enter or read. Windows has other means. */
async function findExposedMode(path: string): Promise<string | undefined> {
  const { mode } = await stat(path)
  return platform() === 'win32' || (mode & 0o077) === 0 ? undefined : (mode & 0o777).toString(8)
}

function exposed(path: string, why: string): Problem {
  return problem('files/exposed', `The folder ${path} ${why}.`)
}

// Level by level: where a file system takes no folders, as /proc, the recursive form of the library never ends.
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
