import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, readlink, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** A folder for incomplete files. */
export interface Scratch {
  /** Returns an unused path. */
  newPath(): string
}

/** Age after which a file is removed if the state of its process cannot be determined. */
const oldMs = 24 * 60 * 60 * 1000

/** Opens a scratch folder and removes the files of dead processes. */
export async function createScratch(folder: string): Promise<Scratch> {
  await mkdir(folder, { recursive: true })
  const prefix = await formatPrefix()
  await removeAbandoned(folder)
  return { newPath: () => join(folder, `${prefix}.${randomUUID()}`) }
}

// Identifies the process: host, PID and start time, since PIDs are reused.
async function formatPrefix(): Promise<string> {
  // Without /proc the process is unknown: its files are removed when they are old.
  const pid = await readlink('/proc/self').catch(() => '0')
  return `${encodeURIComponent(hostname()).replaceAll('.', '%2E')}.${pid}.${await findStart(pid)}`
}

async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (await isDead(path, name)) await rm(path, { force: true })
  }
}

async function isDead(path: string, name: string): Promise<boolean> {
  const [host, pid = '0', start] = name.split('.')
  const here = encodeURIComponent(hostname()).replaceAll('.', '%2E')
  if (host === here && pid !== '0') return (await findStart(pid)) !== start
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && Date.now() - found.mtimeMs > oldMs
}

/** Start time of a process: the boot id and the ticks since boot; empty if it does not run. @see proc(5) */
async function findStart(pid: string): Promise<string> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8')
    const status = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program name in parentheses, which may contain spaces and parentheses.
    const ticks = status.slice(status.lastIndexOf(')') + 2).split(' ')[19] ?? ''
    return `${boot.slice(0, 8)}-${ticks}`
  } catch {
    return ''
  }
}
