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
 * Makes a folder that only its owner can enter, or closes one that others can, and makes sure that it can be written to.
 * A folder that others can enter is not closed where it holds files of theirs.
 *
 * @param marks names that every such folder holds once it has been used
 * @throws {Problem} files/unusable, files/exposed, files/full
 */
export async function openPrivateFolder(path: string, marks: readonly string[]): Promise<PrivateFolder> {
  try {
    await makeFolder(path)
    await rmdir(await mkdtemp(join(path, 'probe-')))
    return await closeFolder(path, marks)
  } catch (error) {
    throw isProblem(error) ? error : problemOfFolder(path, error)
  }
}

/** Takes the rights to a file from all but its owner; one that is not there is left so. */
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
async function makeFolder(path: string, mode = 0o700): Promise<void> {
  try {
    await mkdir(path, { mode })
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && (await stat(path)).isDirectory()) return
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error
    await makeFolder(dirname(path), 0o777)
    await mkdir(path, { mode }).catch(unlessMade)
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
