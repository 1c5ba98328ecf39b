import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Milliseconds after which git is stopped: the commit is worth no long wait. */
const timeoutMs = 5000

/**
 * Finds the git commit of a file or folder: 12 hexadecimal digits, with `-dirty` if tracked files differ from it;
 * undefined outside of a repository, or without git.
 */
export async function findCommit(path: string): Promise<string | undefined> {
  const folder = (await isFolder(path)) ? path : dirname(path)
  // A repository may name programs that git runs to watch files.
  const options = ['-c', 'core.fsmonitor=false']
  const words = ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*']
  return new Promise((resolve) => {
    execFile('git', [...options, ...words], { cwd: folder, timeout: timeoutMs }, (error, stdout) => {
      resolve(error === null && stdout.trim() !== '' ? stdout.trim() : undefined)
    })
  })
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}
