import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

/** Prefix of the folder of a server of a run; the PID of the run and a dash follow. */
const folderPrefix = 'landform-postgres-'

/** File system in memory, on Linux. */
const memoryFolder = '/dev/shm'

/** Free space from which on the databases of a run are kept in memory: they need less than half of it. */
const leastMemoryBytes = 4 * 2 ** 30

/** Creates the folder of a server: in memory if requested and if there is room, else on disk. */
export function createServerFolder(isInMemory: boolean): string {
  const parent = isInMemory && hasMemoryRoom() ? memoryFolder : tmpdir()
  return mkdtempSync(join(parent, `${folderPrefix}${process.pid}-`))
}

function hasMemoryRoom(): boolean {
  if (!existsSync(memoryFolder)) return false
  const { bavail, bsize } = statfsSync(memoryFolder)
  return bavail * bsize >= leastMemoryBytes
}

/**
 * Stops servers whose run was killed, and deletes the folders of those that have already stopped; the folders of
 * servers stopped now are deleted by a later run.
 */
export function removeOrphans(): void {
  for (const folder of [tmpdir(), memoryFolder].flatMap(listServerFolders)) {
    if (signal(Number.parseInt(basename(folder).slice(folderPrefix.length), 10), 0)) continue
    const server = findServer(folder)
    if (server === undefined || !signal(server, 'SIGQUIT')) {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  }
}

function listServerFolders(parent: string): string[] {
  if (!existsSync(parent)) return []
  return readdirSync(parent)
    .filter((entry) => entry.startsWith(folderPrefix))
    .map((entry) => join(parent, entry))
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
