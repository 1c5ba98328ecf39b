import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Prefix of the folder of a server of a run; the PID of the run and a dash follow. */
export const folderPrefix = 'landform-postgres-'

/**
 * Stops servers whose run was killed, and deletes the folders of those that have already stopped; the folders of
 * servers stopped now are deleted by a later run.
 */
export function removeOrphans(): void {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(folderPrefix))) {
    if (signal(Number.parseInt(name.slice(folderPrefix.length), 10), 0)) continue
    const folder = join(tmpdir(), name)
    const server = findServer(folder)
    if (server === undefined || !signal(server, 'SIGQUIT')) {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  }
}

// The PID in the file may have been reused: only a process with the folder in its command line is the server.
function findServer(folder: string): number | undefined {
  const file = join(folder, 'data/postmaster.pid')
  if (!existsSync(file)) return undefined
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10)
  const commandLine = `/proc/${pid}/cmdline`
  return existsSync(commandLine) && readFileSync(commandLine, 'utf8').includes(folder) ? pid : undefined
}

/** Sends a signal; 0 only checks the process. Returns false if it does not exist. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}
