import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** How the folder of a run's server begins; the id of the run's process and a dash follow. */
export const folderPrefix = 'landform-postgres-'

/**
 * Ends servers whose run was killed before it could stop them, and deletes the folders of those that have ended:
 * what is ended now is deleted by a later run.
 */
export function sweepOrphans(): void {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(folderPrefix))) {
    if (signal(Number.parseInt(name.slice(folderPrefix.length), 10), 0)) continue
    const folder = join(tmpdir(), name)
    const server = findServer(folder)
    if (server === undefined || !signal(server, 'SIGQUIT')) {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  }
}

// The number in the file may have gone to another process since: only one that names the folder is the server.
function findServer(folder: string): number | undefined {
  const file = join(folder, 'data/postmaster.pid')
  if (!existsSync(file)) return undefined
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10)
  const commandLine = `/proc/${pid}/cmdline`
  return existsSync(commandLine) && readFileSync(commandLine, 'utf8').includes(folder) ? pid : undefined
}

/** Sends a signal; 0 only asks. False when there is no such process. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}
